import { tally } from '../attack/attack.js'
import { startPlatformStub } from '../attack/platform-stub.js'
import { agent, customerOf, nameOf, send } from '../attack/sends.js'
import type { TestServer } from '../support/databases.js'
import type { Certificate } from '../support/certificate.js'
import { megabytes } from '../support/process-usage.js'
import { startChild } from './child.js'
import { makeCleanup, type Cleanup } from './cleanup.js'
import type { Cores } from './cores.js'
import { makeDatabase } from './database.js'
import { openConnections } from './open-connections.js'
import { GATEWAY_NODE_ARGS } from './targets.js'
import { SECRET } from './tenants.js'

/** The resources that many sends in flight need. */
export type InFlightFigures = {
  /** The peak memory of the gateway with ten thousand concurrent callers, in megabytes. */
  readonly rss_mb: number | null
  /** The maximum number of concurrent calls at the platform. */
  readonly most_in_flight: number
  /** The total number of its connections. */
  readonly connections: number
  /** The number of results by status and code. */
  readonly outcomes: Readonly<Record<string, number>>
}

const AT_ONCE = 10_000
const PLATFORM_MS = 2_000
/** The limit of the gateway increases with the responses of the first waves. */
const WAVES = 3

/**
 * Sends from ten thousand concurrent callers to a platform that takes two seconds, over SQLite, undici and TLS, in a new gateway.
 *
 * Throws if a send was lost or duplicated.
 */
export const measureInFlight = async (
  cores: Cores, sqlite: TestServer, certificate: Certificate, whole: Cleanup,
): Promise<InFlightFigures> => {
  const cleanup = makeCleanup()
  // Runs if the measurement is interrupted.
  whole.defer(cleanup.close)
  try {
    const platform = await startPlatformStub(certificate)
    cleanup.defer(platform.close)
    const database = await makeDatabase(sqlite, { tenants: 1, filled: false }, cleanup)
    const key = database.tenants[0]?.key ?? ''
    const gateway = await startChild(cores, 'measured', {
      program: 'gateway', nodeArgs: GATEWAY_NODE_ARGS,
      env: {
        PORT: '0', DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: platform.url, PLATFORM_TRANSPORT: 'undici',
        NODE_EXTRA_CA_CERTS: certificate.certFile, RATE_LIMIT_PER_SECOND: '0', PAIR_LIMIT: 'off', SENDER_LIMIT: 'off',
        PORTFOLIO_LIMIT: 'off', PLATFORM_QUEUE_MS: '120000', PLATFORM_TIMEOUT_MS: '60000',
      },
    })
    cleanup.defer(gateway.stop)
    await platform.answerAfter(PLATFORM_MS)
    await openConnections(agent, `${gateway.url}/health/live`, AT_ONCE)
    const names: string[] = []
    for (let wave = 1; wave <= WAVES; wave += 1) {
      const replies = await Promise.all(Array.from({ length: AT_ONCE }, (_, place) => send(gateway.url, key, customerOf(place))))
      names.push(...replies.map(nameOf))
    }
    const { accepted, mostInFlight, connections } = await platform.report()
    const outcomes = tally(names)
    if (new Set(accepted.map(({ callback }) => callback)).size !== accepted.length) throw new Error('a message was sent twice')
    if (accepted.length < (outcomes['200'] ?? 0)) throw new Error('a message that was reported as sent did not reach the platform')
    return { rss_mb: megabytes(await gateway.peakMib()), most_in_flight: mostInFlight, connections, outcomes }
  } finally {
    await cleanup.close()
  }
}
