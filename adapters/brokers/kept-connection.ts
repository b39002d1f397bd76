import type { AttemptResult } from '../../core/events/delivery.js'

/** A task took longer than it may. */
export class TookTooLong extends Error {}

/** Waits for a task, but no longer than so many milliseconds; then it rejects with `TookTooLong`, and the later result of the task is ignored. */
export const within = async <Result>(timeoutMs: number, task: Promise<Result>): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(`no result within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return await Promise.race([task, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The result of publishing an event; `sentenceOf` tells the cause of a failure. */
export const publishResult = async (publishing: Promise<void>, sentenceOf: (error: unknown) => string): Promise<AttemptResult> => {
  const startedAt = performance.now()
  const error = await publishing.then(() => undefined, sentenceOf)
  return {
    delivered: error === undefined, httpStatus: undefined, error, answer: undefined, durationMs: Math.round(performance.now() - startedAt),
  }
}

/** A connection that is opened again whenever it is lost. */
export type KeptConnection<Connection> = {
  /** The connection; while there is none, the error of the last attempt to open one. */
  readonly current: () => { readonly connection: Connection } | { readonly connection: undefined; readonly error: Error }
  /** Shuts the connection and opens no other one. */
  readonly end: () => Promise<void>
}

/** How a connection is opened and shut. `open` calls `onLost` when the connection that it opened is lost. */
export type Connector<Connection> = {
  readonly open: (onLost: () => void) => Promise<Connection>
  readonly shut: (connection: Connection) => Promise<void>
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/** Keeps a connection open, with pauses that grow to ten seconds. It resolves after the first attempt, also where that one failed. */
export const keepConnected = async <Connection>({ open, shut }: Connector<Connection>): Promise<KeptConnection<Connection>> => {
  let current: Connection | undefined
  let error = new Error('not connected')
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let ended = false

  const openLater = (): void => {
    if (ended) return
    timer = setTimeout(() => void openNow(), Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS))
    failures += 1
  }
  const openNow = async (): Promise<void> => {
    const attempt = { isLost: false }
    const onLost = (): void => {
      if (attempt.isLost) return
      attempt.isLost = true
      // While it is being opened, the code below sees that it is lost already.
      if (current === undefined) return
      current = undefined
      openLater()
    }
    try {
      const opened = await open(onLost)
      if (ended) return await shut(opened)
      if (attempt.isLost) return openLater()
      current = opened
      error = new Error('the connection was lost')
      failures = 0
    } catch (cause) {
      error = cause instanceof Error ? cause : new Error('the connection failed', { cause })
      openLater()
    }
  }

  await openNow()
  return {
    current: () => (current === undefined ? { connection: undefined, error } : { connection: current }),
    end: async () => {
      ended = true
      clearTimeout(timer)
      const last = current
      current = undefined
      if (last !== undefined) await shut(last)
    },
  }
}
