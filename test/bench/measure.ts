import type { Child } from './child.js'
import { median, type Load, type LoadResult } from './load-result.js'
import { MANY_CONNECTIONS, type RowPlan } from './rows.js'
import type { Target } from './targets.js'
import { requestsOf } from './tenants.js'

/**
 * One line of the table, measured.
 *
 * `cores` is the processor use of all threads of the measured process, 1 for one whole core. `per_core` is the number of requests per second of
 * their processor time, which is a better figure than the rate if other programs use the same core. `relay` is the name of the row's relay.
 */
export type Row = {
  readonly name: string
  readonly relay: string | null
  readonly connections: number
  readonly requests_per_second: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly rss_mib: number | null
  readonly cores: number | null
  readonly per_core: number | null
  /** The lowest and the highest of its runs. */
  readonly ranges: Readonly<Partial<Record<'requests_per_second' | 'p50_ms' | 'p99_ms' | 'per_core', Range>>>
}

/** The lowest and the highest value. */
export type Range = readonly [number, number]

/** A row to measure. */
export type Measurable = { readonly plan: RowPlan; readonly target: Target }

/** The load generator and the log of a measurement; `fail` is called for a row that could not be measured. */
export type MeasureContext = { readonly load: Child; readonly log: (line: string) => void; readonly fail: (error: unknown) => void }

export type Schedule = { readonly seconds: number; readonly rounds: number }

type Run = LoadResult & { readonly busy: Busy | undefined; readonly peakMib: number | undefined }
type Busy = { readonly cores: number; readonly perCore: number }

/**
 * Measures rows: a warm-up each, then rounds with one run of every row, so that other load of the machine affects all rows. A row's
 * figures are the medians of its runs; its memory is the highest peak. A row with a failed run is omitted.
 */
export const measureAll = async (
  rows: ReadonlyArray<Measurable>, { seconds, rounds }: Schedule, context: MeasureContext,
): Promise<ReadonlyArray<Row>> => {
  const runs = new Map<Measurable, Run[]>(rows.map((row) => [row, []]))
  const runRow = async (row: Measurable, title: string): Promise<Run | undefined> => {
    try {
      const run = await runOnce(row, seconds, context)
      context.log(`${title}: ${nameOf(row)}: ${Math.round(run.perSecond)}/s`)
      return run
    } catch (error) {
      runs.delete(row)
      context.fail(error)
      return undefined
    }
  }
  for (const row of rows) await runRow(row, 'warm-up')
  for (let round = 1; round <= rounds; round += 1) {
    // Every second round runs in reverse order, because a process gets faster from row to row.
    const turn = round % 2 === 1 ? [...runs] : [...runs].reverse()
    for (const [row, done] of turn) {
      const run = await runRow(row, `round ${round} of ${rounds}`)
      if (run !== undefined) done.push(run)
    }
  }
  return [...runs].map(([row, done]) => rowOf(row, done))
}

const nameOf = ({ plan: { name, connections } }: Measurable): string => `${name}, ${connections} connections`

/**
 * The load before each run: while other rows ran, the process's runtime released memory and compiled code; many connections restore
 * them faster than few.
 */
const RAMP = { seconds: 2, connections: MANY_CONNECTIONS }

/** One run. Throws if a request failed, or if the count of the platform, the log or the audit differs from the number of responses. */
const runOnce = async (row: Measurable, usualSeconds: number, { load }: MeasureContext): Promise<Run> => {
  const { plan: { connections, tenants, operation, isKeyed = false, pace }, target: { child, platform, reset, check } } = row
  const seconds = Math.max(usualSeconds, pace?.seconds ?? 0)
  const requests = requestsOf(await reset(tenants), operation)
  const takenBefore = Number(await platform.ask('taken'))
  const asked: Load = { url: child.url, connections, seconds, requests, isKeyed, ...(pace !== undefined && { perSecond: pace.perSecond }) }
  const ramp = (await load.ask({ ...asked, ...RAMP })) as LoadResult
  await child.forgetPeak()
  const cpuBefore = await child.cpuSeconds()
  const begun = performance.now()
  const result = (await load.ask(asked)) as LoadResult
  const elapsed = (performance.now() - begun) / 1_000
  const cpuAfter = await child.cpuSeconds()
  const peakMib = await child.peakMib()

  const taken = Number(await platform.ask('taken')) - takenBefore
  const succeeded = ramp.succeeded + result.succeeded
  const failed = ramp.failed + result.failed
  if (result.succeeded === 0) throw new Error(`${nameOf(row)}: nothing was answered`)
  if (failed > 0) throw new Error(`${nameOf(row)}: ${failed} requests failed, ${succeeded} succeeded`)
  if (taken !== succeeded) throw new Error(`${nameOf(row)}: ${succeeded} answers were 200, but the platform took ${taken}`)
  await check(succeeded).catch((error: unknown) => { throw new Error(`${nameOf(row)}: ${String(error)}`) })
  const used = cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore
  return { ...result, peakMib, busy: used === undefined ? undefined : { cores: used / elapsed, perCore: result.succeeded / used } }
}

const rowOf = ({ plan: { name, relay, connections } }: Measurable, runs: ReadonlyArray<Run>): Row => {
  const peaks = runs.flatMap(({ peakMib }) => peakMib ?? [])
  const busy = runs.flatMap((run) => run.busy ?? [])
  return {
    name,
    relay: relay ?? null,
    connections,
    requests_per_second: rounded(median(runs.map((run) => run.perSecond)), 1),
    p50_ms: rounded(median(runs.map(({ p50Ms }) => p50Ms)), 100),
    p99_ms: rounded(median(runs.map(({ p99Ms }) => p99Ms)), 100),
    rss_mib: peaks.length === 0 ? null : rounded(Math.max(...peaks), 1),
    cores: busy.length === 0 ? null : rounded(median(busy.map(({ cores }) => cores)), 100),
    per_core: busy.length === 0 ? null : rounded(median(busy.map(({ perCore }) => perCore)), 1),
    ranges: {
      requests_per_second: rangeOf(runs.map((run) => run.perSecond), 1), p50_ms: rangeOf(runs.map(({ p50Ms }) => p50Ms), 100),
      p99_ms: rangeOf(runs.map(({ p99Ms }) => p99Ms), 100),
      ...(busy.length > 0 && { per_core: rangeOf(busy.map(({ perCore }) => perCore), 1) }),
    },
  }
}

const rangeOf = (values: ReadonlyArray<number>, parts: number): Range =>
  [rounded(Math.min(...values), parts), rounded(Math.max(...values), parts)]

const rounded = (value: number, parts: number): number => Math.round(value * parts) / parts
