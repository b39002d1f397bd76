import { makeCertificate } from '../support/certificate.js'
import { makeScratch } from '../support/scratch.js'
import { startChild } from './child.js'
import type { Cleanup } from './cleanup.js'
import { findCores } from './cores.js'
import { makeDatabase } from './database.js'
import { measureInFlight, type InFlightFigures } from './in-flight.js'
import { median } from './load-result.js'
import type { Options } from './options.js'
import { benchServers } from './servers.js'
import { measureStart, type StartFigures } from './start.js'

/** The figures of whole processes: medians over the rounds, and the values of each round. */
export type ProcessFigures = {
  readonly start_ms: number | null
  readonly rest_rss_mb: number | null
  readonly in_flight_10000_rss_mb: number | null
  readonly starts: ReadonlyArray<StartFigures>
  readonly inFlight: ReadonlyArray<InFlightFigures>
}

/** The names of the two measurements, for `--only`. */
export const START = 'start and rest'
export const IN_FLIGHT = '10,000 in flight'

/** Measures the start of the gateway, its memory at rest and ten thousand sends in flight, alternately; each time in a new process. */
export const measureProcesses = async (
  { rounds, only }: Pick<Options, 'rounds' | 'only'>, cleanup: Cleanup, log: (line: string) => void,
): Promise<ProcessFigures> => {
  const [wantsStart, wantsInFlight] = [START, IN_FLIGHT].map((name) => only?.test(name) ?? true)
  const cores = await findCores()
  await cores.pin(process.pid, 'rest')
  const { found } = await benchServers(cleanup, new Set())
  const sqlite = found.find(({ name }) => name === 'SQLite')
  if (sqlite === undefined) throw new Error('there is no SQLite')
  const scratch = await makeScratch()
  cleanup.defer(scratch.remove)
  const certificate = await makeCertificate(scratch)
  const platform = await startChild(cores, 'rest', { program: { file: 'platform-stub.ts' } })
  cleanup.defer(platform.stop)
  const database = await makeDatabase(sqlite, { tenants: 1, filled: false }, cleanup)
  const starts: StartFigures[] = []
  const inFlight: InFlightFigures[] = []
  for (let round = 1; round <= rounds; round += 1) {
    if (wantsStart) starts.push(await measureStart(cores, database, platform))
    if (wantsInFlight) inFlight.push(await measureInFlight(cores, sqlite, certificate, cleanup))
    log(`round ${round} of ${rounds}: ${JSON.stringify([...starts.slice(-1), ...inFlight.slice(-2)])}`)
  }
  return {
    start_ms: medianOf(starts.map(({ start_ms }) => start_ms)),
    rest_rss_mb: medianOf(starts.map(({ rest_rss_mb }) => rest_rss_mb)),
    in_flight_10000_rss_mb: medianOf(inFlight.map(({ rss_mb }) => rss_mb)),
    starts,
    inFlight,
  }
}

const medianOf = (values: ReadonlyArray<number | null>): number | null => {
  const known = values.flatMap((value) => value ?? [])
  return known.length === 0 ? null : median(known)
}

/** The figures as text. */
export const processText = ({ starts, inFlight, ...figures }: ProcessFigures): string => [
  ...Object.entries(figures).map(([key, value]) => `${key}: ${value ?? 'not measured'}`),
  ...[...starts, ...inFlight].map((round) => `  ${JSON.stringify(round)}`),
  '',
].join('\n')
