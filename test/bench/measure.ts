import type { Child } from './child.js'
import { median, type Load, type LoadResult } from './load-result.js'
import { BUSY, type RowPlan } from './rows.js'
import type { Target } from './targets.js'
import { requestsOf } from './tenants.js'

/**
 * One line of the table, measured.
 *
 * `cores` is how busy the measured process was, 1 for one whole core, and `per_core` how many requests it did in a second
 * of its own processor time, which tells more than the rate where other programs take the core from it.
 */
export type Row = {
  readonly name: string
  readonly connections: number
  readonly requests_per_second: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly rss_mib: number | null
  readonly cores: number | null
  readonly per_core: number | null
}

/** A row about to be measured, perhaps at a fixed rate. */
export type Measurable = { readonly plan: RowPlan; readonly target: Target; readonly perSecond?: number }

/** Who makes the load and who takes the messages. */
export type Surroundings = { readonly load: Child; readonly stub: Child; readonly tell: (line: string) => void }

export type Schedule = { readonly seconds: number; readonly rounds: number }

type Run = LoadResult & { readonly cores: number | undefined; readonly peakMib: number | undefined }

/**
 * Measures rows: a warm-up each, then rounds in which every row has its turn, so that whatever else the machine does is
 * shared by all. A row's figures are the medians of its runs, its memory the highest peak.
 */
export const measureAll = async (rows: ReadonlyArray<Measurable>, { seconds, rounds }: Schedule, around: Surroundings): Promise<ReadonlyArray<Row>> => {
  for (const row of rows) {
    around.tell(`warm-up: ${nameOf(row)}`)
    await runOnce(row, seconds, around)
  }
  const runs = rows.map((): Run[] => [])
  for (let round = 1; round <= rounds; round += 1) {
    // Forth and back by turns, as rows that share a process find it warmer the later they come.
    const turn = round % 2 === 1 ? [...rows.entries()] : [...rows.entries()].reverse()
    for (const [place, row] of turn) {
      const run = await runOnce(row, seconds, around)
      around.tell(`round ${round} of ${rounds}: ${nameOf(row)}: ${Math.round(run.perSecond)}/s`)
      runs[place]?.push(run)
    }
  }
  return rows.map((row, place) => rowOf(row, runs[place] ?? []))
}

const nameOf = ({ plan, perSecond }: Measurable): string =>
  `${plan.name}${perSecond === undefined ? '' : ` at ${perSecond}/s`}, ${plan.connections} connections`

/**
 * How long a process works before each run, in seconds, and on how many connections: while others had their turns, its runtime gave
 * back memory and compiled code, and on few connections it would take long to get them again.
 */
const RAMP = { seconds: 2, connections: BUSY }

/** One run. Throws where a request failed, or where the platform, the log or the books tell another number than the answers. */
const runOnce = async (row: Measurable, seconds: number, { load, stub }: Surroundings): Promise<Run> => {
  const { plan: { connections, tenants, operation }, target: { child, reset, check }, perSecond } = row
  const requests = requestsOf(await reset(tenants), operation)
  const takenBefore = Number(await stub.ask('taken'))
  const asked: Load = { url: child.url, connections, seconds, requests, ...(perSecond !== undefined && { perSecond }) }
  const ramp = (await load.ask({ ...asked, ...RAMP })) as LoadResult
  await child.forgetPeak()
  const cpuBefore = await child.cpuSeconds()
  const begun = performance.now()
  const result = (await load.ask(asked)) as LoadResult
  const elapsed = (performance.now() - begun) / 1_000
  const cpuAfter = await child.cpuSeconds()
  const peakMib = await child.peakMib()

  const taken = Number(await stub.ask('taken')) - takenBefore
  const succeeded = ramp.succeeded + result.succeeded
  const failed = ramp.failed + result.failed
  if (result.succeeded === 0) throw new Error(`${nameOf(row)}: nothing was answered`)
  if (failed > 0) throw new Error(`${nameOf(row)}: ${failed} requests failed, ${succeeded} succeeded`)
  if (taken !== succeeded) throw new Error(`${nameOf(row)}: ${succeeded} answers were 200, but the platform took ${taken}`)
  await check(succeeded).catch((error: unknown) => { throw new Error(`${nameOf(row)}: ${String(error)}`) })
  return { ...result, peakMib, cores: cpuBefore === undefined || cpuAfter === undefined ? undefined : (cpuAfter - cpuBefore) / elapsed }
}

const rowOf = ({ plan: { name, connections }, perSecond }: Measurable, runs: ReadonlyArray<Run>): Row => {
  const peaks = runs.flatMap(({ peakMib }) => peakMib ?? [])
  const busy = runs.flatMap((run) => (run.cores === undefined ? [] : [{ cores: run.cores, perCore: run.perSecond / run.cores }]))
  return {
    name: perSecond === undefined ? name : `${name}, at half the peak rate`,
    connections,
    requests_per_second: rounded(median(runs.map((run) => run.perSecond)), 1),
    p50_ms: rounded(median(runs.map(({ p50Ms }) => p50Ms)), 100),
    p99_ms: rounded(median(runs.map(({ p99Ms }) => p99Ms)), 100),
    rss_mib: peaks.length === 0 ? null : rounded(Math.max(...peaks), 1),
    cores: busy.length === 0 ? null : rounded(median(busy.map(({ cores }) => cores)), 100),
    per_core: busy.length === 0 ? null : rounded(median(busy.map(({ perCore }) => perCore)), 1),
  }
}

const rounded = (value: number, parts: number): number => Math.round(value * parts) / parts
