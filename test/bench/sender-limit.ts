import { setTimeout as delay } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import { type Simulator, startSimulator } from '../../apps/simulator/simulator.js'
import type { CustomerId } from '../../core/customers/customer.js'
import type { Currency } from '../../core/kernel/money.js'
import { DAY_MS } from '../../core/kernel/time.js'
import { messageIdOf } from '../../core/messages/message.js'
import { senderIdOf } from '../../core/senders/sender.js'
import { type Account, createAccount } from '../support/account.js'
import { withDatabase } from '../support/books.js'
import { findServers, type TestServer } from '../support/databases.js'
import { APP_SECRET, SECRET, VERIFY_TOKEN } from '../support/gateway.js'
import { openLateNetwork } from '../support/late-network.js'
import { sendTemplate } from '../support/load.js'
import { rightOf } from '../support/right-of.js'
import { type SenderUse, useSender } from '../support/sender-load.js'
import { startServers } from '../support/server-process.js'
import { type Cleanup, makeCleanup } from './cleanup.js'
import { percentile } from './load-result.js'
import type { Options } from './options.js'

/** The figures of a sender at its limit, over one database. */
export type SenderFigures = {
  readonly database: string
  /** The rate of the sender, and that at which the platform refuses. */
  readonly rate: number
  readonly throughput: number
  /** A platform that counts in a bucket, one that also counts in seconds of the clock, and one that counts pairs to which most messages go. */
  readonly uses: ReadonlyArray<SenderUse & { readonly platform: 'bucket' | 'seconds' | 'pairs'; readonly used: number }>
  /** How long a request takes through a sender with a full queue, and through one without, at the same time; and what the queue sent in a second meanwhile. */
  readonly besideQueue: Latencies & { readonly queuePerSecond: number }
  readonly alone: Latencies
}

type Latencies = { readonly p50Ms: number; readonly p99Ms: number; readonly sends: number }

const GATEWAYS = 4
const THROUGHPUT = 80
/** The rate just below the throughput of the platform, and the burst just below that of the platform. */
const RATE = 79.9
const PAIR_LIMIT = '44/6s'
const JITTER_MS = 50
/** A fifth of all messages are from customers. */
const INBOUND_PER_SECOND = THROUGHPUT / 5
/** The customers of the measurement of pairs: all of them are at their limit. */
const HOT = 60
/** The requests in a second beside a queue, a tenth of the rate. */
const REQUESTS_PER_SECOND = 8
/** Most statuses never arrive, so that they take no time of the machine. */
const NEVER_MS = DAY_MS
const FUNDS = 1_000_000_000_000n
const [BUSY, QUIET] = ['1000', '1001'] as const

/** Measures four gateways with one sender at its limit. */
export const benchSenders = async (
  { seconds, only }: Pick<Options, 'only' | 'seconds'>, whole: Cleanup, log: (line: string) => void,
): Promise<ReadonlyArray<SenderFigures>> => {
  const { found } = await findServers()
  const figures: Array<SenderFigures> = []
  for (const server of found.filter(({ name }) => only?.test(name) ?? true)) {
    const uses: Array<SenderFigures['uses'][number]> = []
    for (const platform of ['bucket', 'seconds', 'pairs'] as const) {
      const settings = { throughput: THROUGHPUT, strictSeconds: platform === 'seconds', pairLimit: true }
      const use = await over(server, settings, whole, ({ urls, accounts: [account], simulator }) => useSender({
        urls, key: account.key, simulator, phoneNumberId: BUSY, seconds, hot: platform === 'pairs' ? HOT : 0,
        inbound: { perSecond: INBOUND_PER_SECOND, isRandom: true },
      }))
      uses.push({ ...use, platform, used: use.perSecond / THROUGHPUT })
      log(`${server.name}: ${JSON.stringify(uses.at(-1))}`)
    }
    const beside = await over(server, { throughput: THROUGHPUT }, whole, (system) => measureBesideQueue(system, seconds))
    log(`${server.name}: ${JSON.stringify(beside)}`)
    figures.push({ database: server.name, rate: RATE, throughput: THROUGHPUT, uses, ...beside })
  }
  return figures
}

type System = {
  readonly urls: ReadonlyArray<string>; readonly databaseUrl: string
  readonly accounts: readonly [Account, Account]; readonly simulator: Simulator
}

/** Does some work over four gateway processes, a database, and a platform behind a network that delays each request. */
const over = async <A>(
  server: TestServer, settings: Parameters<Simulator['change']>[0], whole: Cleanup, work: (system: System) => Promise<A>,
): Promise<A> => {
  const cleanup = makeCleanup()
  // Runs if the measurement is interrupted.
  whole.defer(cleanup.close)
  try {
    const database = await server.createMigrated()
    cleanup.defer(async () => { await database[Symbol.asyncDispose]() })
    const simulator = await startSimulator({ settings, delays: { delivered: NEVER_MS, read: NEVER_MS } })
    cleanup.defer(simulator.close)
    const network = await openLateNetwork(simulator.url, JITTER_MS)
    cleanup.defer(network.close)
    const accounts = await withDatabase(database.url, async (storage): Promise<readonly [Account, Account]> => [
      await createAccount(storage, { name: BUSY, micros: FUNDS, phoneNumberId: BUSY }),
      await createAccount(storage, { name: QUIET, micros: FUNDS, phoneNumberId: QUIET }),
    ])
    const gateways = await startServers(new Array(GATEWAYS).fill({
      DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: network.url, SENDER_LIMIT: String(RATE), PAIR_LIMIT,
      PLATFORM_APP_SECRET: APP_SECRET, PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN, RATE_LIMIT_PER_SECOND: '0',
    }))
    cleanup.defer(async () => { await Promise.all(gateways.map(({ kill }) => kill())) })
    const urls = gateways.map(({ url }) => url)
    simulator.setWebhook({ url: `${urls[0]}/webhooks/platform`, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN })
    return await work({ urls, databaseUrl: database.url, accounts, simulator })
  } finally {
    await cleanup.close()
  }
}

const measureBesideQueue = async (
  { urls, databaseUrl, accounts: [busy, quiet], simulator }: System, seconds: number,
): Promise<Pick<SenderFigures, 'alone' | 'besideQueue'>> => {
  await fillQueue(databaseUrl, busy, Math.ceil(seconds + 30) * THROUGHPUT)
  // Until the gateways send what is queued.
  while (simulator.received().length === 0) await delay(100)
  const queued = (): number => simulator.received().filter(({ to }) => to.startsWith('155505')).length
  const [before, beganAt] = [queued(), performance.now()]
  const [besideQueue, alone] = await Promise.all([busy, quiet].map(({ key }) => latencies(urls, key, seconds)))
  const queuePerSecond = (queued() - before) * 1_000 / (performance.now() - beganAt)
  if (besideQueue === undefined || alone === undefined) throw new Error('there are two senders')
  return { besideQueue: { ...besideQueue, queuePerSecond }, alone }
}

const customerOf = (group: string, number: number): CustomerId => `15550${group}${String(number).padStart(6, '0')}` as CustomerId

const fillQueue = (url: string, { id: workspace }: Account, count: number): Promise<void> => withDatabase(url, async (storage) => {
  for (let first = 0; first < count; first += 500) {
    await Promise.all(Array.from({ length: Math.min(500, count - first) }, async (_, index) => {
      const at = Date.now()
      rightOf(await storage.messageLog.open({
        id: messageIdOf(uuidv7()), workspace, sender: senderIdOf(BUSY), at,
        message: { _tag: 'Template', to: customerOf('5', first + index), name: 'hello_world', language: 'en' },
        price: { micros: 1n, currency: 'USD' as Currency, category: 'marketing' }, queue: { dueAt: at, endsAt: at + DAY_MS },
      }))
    }))
  }
})

/** Sends at a constant rate, each request at its time however long the others take. */
const latencies = async (urls: ReadonlyArray<string>, key: string, seconds: number): Promise<Latencies> => {
  const times: Array<number> = []
  const sends: Array<Promise<void>> = []
  const beganAt = performance.now()
  for (let count = 0; count < seconds * REQUESTS_PER_SECOND; count += 1) {
    await delay(Math.max(0, beganAt + count * 1_000 / REQUESTS_PER_SECOND - performance.now()))
    const sentAt = performance.now()
    sends.push(sendTemplate(urls[count % urls.length] ?? '', key, customerOf('6', count)).then(({ status }) => {
      if (status !== 200) throw new Error(`a request beside the queue was answered with ${status}`)
      times.push(performance.now() - sentAt)
    }))
  }
  await Promise.all(sends)
  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), sends: times.length }
}

/** The figures as text. */
export const sendersText = (figures: ReadonlyArray<SenderFigures>): string => figures.flatMap((of) => [
  `${of.database}: ${GATEWAYS} gateways, one sender at ${of.rate} of ${of.throughput} a second, a fifth from customers, up to ${JITTER_MS} ms of network`,
  ...of.uses.map(({ platform, received, inbound, used, refused, mostInClockSecond, mostInSecond, longestStallMs }) =>
    `  ${platform.padEnd(8)} ${received} sent, ${inbound} from customers: ${(100 * used).toFixed(1)}% used; refused: ${
      Object.entries(refused).map(([code, count]) => `${count} × ${code}`).join(', ') || 'none'
    }; at most ${mostInClockSecond} in a second of the clock, ${mostInSecond} in any second; the platform stood still for up to ${longestStallMs} ms`),
  latencyText('with a full queue', of.besideQueue),
  latencyText('without a queue', of.alone),
  `  meanwhile the queue sent ${of.besideQueue.queuePerSecond.toFixed(1)} messages a second`, '',
]).join('\n')

const latencyText = (name: string, { p50Ms, p99Ms, sends }: Latencies): string =>
  `  a request ${name}: ${p50Ms.toFixed(0)} ms, 99th percentile ${p99Ms.toFixed(0)} ms (${sends} sends)`
