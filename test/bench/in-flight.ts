import { tally } from '../attack/attack.js'
import { startPlatformStub } from '../attack/platform-stub.js'
import { customerOf, nameOf, send } from '../attack/sends.js'
import { makeCertificate } from '../support/certificate.js'
import { makeScratch } from '../support/scratch.js'
import { startChild } from './child.js'
import type { Cleanup } from './cleanup.js'
import { findCores } from './cores.js'
import { makeDatabase } from './database.js'
import { benchServers } from './servers.js'
import { SECRET } from './tenants.js'

/** What many sends in flight take. */
export type InFlightReport = {
  /** The most memory that the gateway took with ten thousand callers at once, in MiB. */
  readonly in_flight_10000_rss_mb: number | null
  /** From the start of the gateway's process to the answer to its first send, in milliseconds. */
  readonly start_ms: number
  /** How many calls the platform had at once. */
  readonly most_in_flight: number
  /** How many connections it had at all. */
  readonly connections: number
  /** How the sends ended: by status and code. */
  readonly outcomes: Readonly<Record<string, number>>
}

const AT_ONCE = 10_000
const PLATFORM_MS = 2_000
/** The limit of the gateway grows with the answers of the first rounds. */
const ROUNDS = 3

/** Sends from ten thousand callers at once to a platform that takes two seconds, over SQLite, undici and HTTP/2. Throws if a send was lost or doubled. */
export const benchInFlight = async (cleanup: Cleanup, log: (line: string) => void): Promise<InFlightReport> => {
  const cores = await findCores()
  await cores.pin(process.pid, 'rest')
  const scratch = await makeScratch()
  cleanup.defer(scratch.remove)
  const certificate = await makeCertificate(scratch)
  const platform = await startPlatformStub(certificate)
  cleanup.defer(platform.close)
  const { found } = await benchServers(cleanup, new Set())
  const sqlite = found.find(({ name }) => name === 'SQLite')
  if (sqlite === undefined) throw new Error('there is no SQLite')
  const database = await makeDatabase(sqlite, { tenants: 1, filled: false }, cleanup)
  const key = database.tenants[0]?.key ?? ''
  const begun = performance.now()
  const gateway = await startChild(cores, 'measured', {
    program: 'gateway', nodeArgs: ['--max-semi-space-size=64'],
    env: {
      PORT: '0', DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: platform.url, PLATFORM_TRANSPORT: 'undici',
      NODE_EXTRA_CA_CERTS: certificate.certFile, RATE_LIMIT_PER_SECOND: '0', PLATFORM_QUEUE_MS: '120000', PLATFORM_TIMEOUT_MS: '60000',
    },
  })
  cleanup.defer(gateway.stop)
  const first = nameOf(await send(gateway.url, key, customerOf(0)))
  const startMs = Math.round(performance.now() - begun)
  if (first !== '200') throw new Error(`the first send ended with ${first}`)
  await platform.answerAfter(PLATFORM_MS)

  const names: string[] = [first]
  for (let round = 1; round <= ROUNDS; round += 1) {
    const replies = await Promise.all(Array.from({ length: AT_ONCE }, (_, place) => send(gateway.url, key, customerOf(place))))
    names.push(...replies.map(nameOf))
    log(`round ${round} of ${ROUNDS}: ${JSON.stringify(tally(names))}`)
  }
  const { accepted, mostInFlight, connections } = await platform.report()
  const outcomes = tally(names)
  if (new Set(accepted.map(({ callback }) => callback)).size !== accepted.length) throw new Error('a message was sent twice')
  if (accepted.length < (outcomes['200'] ?? 0)) throw new Error('a message that was reported as sent did not reach the platform')
  return {
    in_flight_10000_rss_mb: Math.round(await gateway.peakMib() ?? NaN), start_ms: startMs, most_in_flight: mostInFlight, connections, outcomes,
  }
}

/** The report as text. */
export const inFlightText = (report: InFlightReport): string =>
  Object.entries(report).map(([name, value]) => `${name}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}\n`).join('')
