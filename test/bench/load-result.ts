/** Requests to send. With `perSecond` they are sent at a constant rate, independent of their responses. */
export type Load = {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly perSecond?: number
  readonly requests: ReadonlyArray<LoadRequest>
  /** Whether each request gets its own idempotency key. */
  readonly isKeyed?: boolean
}

export type LoadRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The result of a load; every request was answered or failed. */
export type LoadResult = {
  readonly succeeded: number
  readonly failed: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The value below which a share of all values lies. */
export const percentile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

/** The median of a few values. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? NaN
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? NaN)) / 2 : upper
}
