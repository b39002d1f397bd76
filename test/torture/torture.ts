import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { openStorage } from '../../adapters/knex/index.js'
import { BUILT_IN } from '../../apps/server/rate-card.js'
import { type Simulator, startSimulator } from '../../apps/simulator/simulator.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { parseMicros } from '../../core/kernel/money.js'
import { createAccount } from '../support/account.js'
import { startEventReceiver } from '../support/event-receiver.js'
import { APP_SECRET, SECRET, VERIFY_TOKEN } from '../support/gateway.js'
import { type Env, postern, posternJson } from '../support/postern.js'
import { rightOf } from '../support/right-of.js'
import { makeScratch } from '../support/scratch.js'
import { readBooks } from './books.js'
import { checkAlerts } from './check-alerts.js'
import { checkEvents, type ReceivedEvent } from './check-events.js'
import { checkRun } from './check-run.js'
import { type Account, runClients } from './client.js'
import { addEndpoints, waitUntilDelivered } from './events.js'
import { faultRates } from './fault-rates.js'
import { type KillableGateway, makeKillableGateway } from './gateway-process.js'
import { runOperators } from './operators.js'
import type { ClientRequest, Finding } from './run-record.js'
import { makeSeededRandom, type SeededRandom } from './seeded-random.js'
import type { TortureDatabase } from './torture-database.js'

/** The options of one run. */
export type TortureOptions = {
  /** How many times the gateway or the database is killed. */
  readonly kills: number
  readonly kill: 'gateway' | 'database'
  readonly seed: number
  /** The minimum number of messages that clients send, even after the last kill. */
  readonly sends: number
  /** The maximum number of responses to clients between two kills. */
  readonly answers: number
  /** Whether the faults include statuses without our id; a message that cannot be matched takes a minute to settle. */
  readonly withoutCallback: boolean
  /** How long the platform's reports may take to be acknowledged, in milliseconds; after that the run has failed. */
  readonly deadlineMs: number
}

/** The result of a run. */
export type TortureResult = {
  readonly seconds: number
  readonly kills: number
  readonly requests: number
  readonly repeated: number
  readonly answered: Readonly<Record<string, number>>
  readonly platform: { readonly accepted: number; readonly refused: number; readonly acknowledged: number; readonly redeliveries: number }
  readonly states: Readonly<Record<string, number>>
  readonly reconciled: unknown
  readonly untraceable: number
  /** The results that two operators received, and how many texts were free. */
  readonly byHand: Readonly<Record<string, number>>
  readonly freeTexts: number
  readonly events: { readonly received: number; readonly repeated: number }
  readonly findings: ReadonlyArray<Finding>
  readonly logLines: ReadonlyArray<string>
}

/** A number so low that every run uses them up. */
const FREE_TEXTS = 20

const CLIENTS = 16
const WORKSPACES = 3
const DELAYS = { sent: 20, delivered: 60, read: 120, failed: 80, late: 600, drip: 100 }
const PLATFORM_TIMEOUT_MS = 400
const UNCONFIRMED_AFTER_MS = 2_000

/** The maximum time between two kills if there are no responses. */
const LONGEST_LIFE_MS = 5_000

/** Kills a gateway, or its database, repeatedly under load, then settles everything and checks messages, money and replies. */
export const torture = async (database: TortureDatabase, options: TortureOptions): Promise<TortureResult> => {
  if (options.kill === 'database' && database.server === undefined) throw new Error(`${database.name} is shared, so it is not killed`)
  const begun = performance.now()
  const random = makeSeededRandom(options.seed)
  const simulator = await startSimulator({ seed: options.seed, delays: DELAYS, settings: { rates: faultRates(options.withoutCallback) } })
  const receiver = await startEventReceiver()
  const scratch = await makeScratch()
  const rateCard = scratch.path('rates.json')
  await writeFile(rateCard, JSON.stringify({ ...BUILT_IN, free_service_messages: FREE_TEXTS }))
  const env: Env = { DATABASE_URL: database.url, POSTERN_SECRET: SECRET, EVENTS_ALLOW: '127.0.0.0/8' }
  const platform: Env = {
    ...env, RATE_CARD: rateCard, PLATFORM_URL: simulator.url, PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN, PLATFORM_APP_SECRET: APP_SECRET,
    PLATFORM_TIMEOUT_MS: String(PLATFORM_TIMEOUT_MS), UNCONFIRMED_AFTER_MS: String(UNCONFIRMED_AFTER_MS), RECONCILE_EVERY_MS: '500',
  }
  const gateway = await makeKillableGateway(platform)
  const others: KillableGateway[] = []
  let alive = true
  try {
    const { workspaces, accounts } = await createAccounts(database.url)
    for (const url of database.otherUrls ?? []) {
      const other = await makeKillableGateway({ ...platform, DATABASE_URL: url })
      others.push(other)
      await other.start()
    }
    await addEndpoints(database.url, workspaces, receiver)
    const written: string[] = []
    const finished = new Set<string>()
    simulator.setWebhook({
      url: `${gateway.url}/webhooks/platform`, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN,
      timeoutMs: 5_000, retryMs: 20, retryAtMostMs: 500, concurrency: 8, batch: 50,
    })
    let answers = 0
    const load = runClients(
      {
        urls: [gateway, ...others].map(({ url }) => url), simulator, accounts, random: makeSeededRandom(options.seed + 1),
        hasMore: (run) => alive || run < options.sends, onAnswer: () => { answers += 1 }, onWritten: (id) => { written.push(id) },
        onDone: (to) => { finished.add(to) },
      },
      CLIENTS,
    )
    const operators = runOperators({
      url: database.url, simulator, random: makeSeededRandom(options.seed + 2), unconfirmedAfterMs: UNCONFIRMED_AFTER_MS,
      isDone: (to) => finished.has(to), goesOn: () => alive,
    })
    await killRepeatedly(options, { random, gateway, database, answers: () => answers })
    alive = false
    const [requests, answered] = await Promise.all([load, operators])
    const late = await waitUntilIdle(simulator, gateway, options.deadlineMs)
    const stopped = await Promise.all([gateway, ...others].map((one) => one.stop()))
    const status = stopped.find((one) => one !== 0) ?? 0
    // Nothing is in flight any more, so every message that is still open can be settled immediately.
    const reconcileEnv = { ...env, PLATFORM_TIMEOUT_MS: '1', UNCONFIRMED_AFTER_MS: '2', RELEASE_AFTER_HOURS: '0' }
    const reconciled = await posternJson(['reconcile'], reconcileEnv)
    const audit = await postern(['wallet', 'audit'], reconcileEnv)
    const undelivered = await deliverTheRest(gateway, database.url, options.deadlineMs)
    const storage = openStorage({ url: database.url, secret: SECRET })
    const books = await readBooks(storage, workspaces).finally(storage.close)
    const received = receiver.received as ReadonlyArray<ReceivedEvent>
    const alerts = checkAlerts({ ...books, received })
    const arrivals = simulator.received()
    const { findings, untraceable } = checkRun({ requests, arrivals, ...books, answered, freeTexts: FREE_TEXTS })
    const events = checkEvents({ received, messages: books.messages, written: [...written, ...simulator.inbound().map(({ id }) => id)] })
    return {
      seconds: (performance.now() - begun) / 1_000,
      kills: options.kills,
      requests: requests.length,
      repeated: requests.filter(({ replies }) => replies.length > 1).length,
      answered: countNames(requests.map(lastAnswer)),
      platform: {
        accepted: arrivals.filter(({ outcome }) => outcome === 'accepted').length,
        refused: arrivals.filter(({ outcome }) => outcome === 'refused').length,
        acknowledged: simulator.stats().acknowledged, redeliveries: simulator.stats().failedAttempts,
      },
      states: countNames(books.messages.map(({ state }) => state)),
      reconciled,
      untraceable,
      byHand: countNames(answered.map(({ outcome, result }) => `${outcome} ${result}`)),
      freeTexts: books.messages.filter(({ kind, price }) => kind === 'text' && price.micros === 0n).length,
      events: { received: received.length, repeated: events.repeated },
      findings: [
        ...late,
        ...(status === 0 ? [] : [{ about: 'the gateway', fault: `stopped with ${status}` }]),
        ...(audit.status === 0 ? [] : [{ about: 'the audit', fault: `${audit.stdout}${audit.stderr}`.trim() }]),
        ...(requests.some(({ replies }) => lastAnswer({ replies }) === '200') ? [] : [{ about: 'the run', fault: 'no message was sent' }]),
        ...undelivered,
        ...receiver.faults.map((fault) => ({ about: 'the application', fault })),
        ...events.findings,
        ...alerts,
        ...((await database.check?.()) ?? []),
        ...findings,
      ],
      logLines: gateway.logLines(),
    }
  } finally {
    alive = false
    await Promise.all([gateway, ...others].map((one) => one.kill()))
    await simulator.close()
    await receiver.close()
    await scratch.remove()
  }
}

/** A few messages cost this much, so wallets become low in every run. */
const SPENT_BEFORE_LOW = 300_000n

/** Creates workspaces with senders and keys; all have enough money except the last, whose wallet is often empty. */
const createAccounts = async (url: string): Promise<{
  readonly workspaces: ReadonlyArray<WorkspaceId>
  readonly accounts: ReadonlyArray<Account>
}> => {
  const storage = openStorage({ url, secret: SECRET })
  const workspaces: WorkspaceId[] = []
  const accounts: Account[] = []
  try {
    await storage.migrate()
    for (let number = 1; number <= WORKSPACES; number += 1) {
      const phoneNumberId = String(1_000 + number)
      const micros = rightOf(parseMicros(number < WORKSPACES ? '100000' : '5'))
      const { id, key } = await createAccount(storage, { name: `torture ${number}`, micros, phoneNumberId })
      rightOf(await storage.walletAlerts.setThreshold(id, micros - SPENT_BEFORE_LOW))
      workspaces.push(id)
      accounts.push({ key, phoneNumberId })
    }
    return { workspaces, accounts }
  } finally {
    await storage.close()
  }
}

type KillContext = {
  readonly random: SeededRandom
  readonly gateway: KillableGateway
  readonly database: TortureDatabase
  readonly answers: () => number
}

/** Kills at random times, mostly under load and sometimes during a start; leaves the gateway running. */
const killRepeatedly = async ({ kills, kill, answers }: TortureOptions, context: KillContext): Promise<void> => {
  const { random, gateway, database: { server } } = context
  if (kill === 'database') await gateway.start()
  for (let killed = 0; killed < kills; killed += 1) {
    if (kill === 'database') {
      await underLoad(context, answers)
      await server?.kill()
      await delay(random.between(0, 400))
      await server?.start()
    } else if (random.chance(0.1)) {
      // The start fails if the gateway is killed during it.
      const started = gateway.start().catch(() => undefined)
      await delay(random.between(0, 1_000))
      await gateway.kill()
      await started
    } else {
      await gateway.start()
      await underLoad(context, answers)
      await gateway.kill()
    }
  }
  if (kill === 'gateway') await gateway.start()
}

/** Waits for a random number of responses to clients, and then for a random time. */
const underLoad = async ({ random, answers }: KillContext, most: number): Promise<void> => {
  const enough = answers() + random.between(0, most)
  const lastWait = performance.now() + LONGEST_LIFE_MS
  while (answers() < enough && performance.now() < lastWait) await delay(5)
  await delay(random.between(0, 20))
}

/** The changes made by reconciliation become events in a gateway that is started again. */
const deliverTheRest = async (gateway: KillableGateway, url: string, deadlineMs: number): Promise<ReadonlyArray<Finding>> => {
  await gateway.start()
  const isDelivered = await waitUntilDelivered(url, deadlineMs)
  await gateway.stop()
  return isDelivered ? [] : [{ about: 'the events', fault: 'were not all delivered in time' }]
}

/** Waits until every report of the platform is acknowledged. */
const waitUntilIdle = async (simulator: Simulator, gateway: KillableGateway, deadlineMs: number): Promise<ReadonlyArray<Finding>> => {
  const late = new AbortController()
  const idle = await Promise.race([
    simulator.idle().then(() => true),
    delay(deadlineMs, false, { signal: late.signal }).catch(() => false),
  ])
  late.abort()
  if (idle) return []
  const { pending, failedAttempts } = simulator.stats()
  const fault = `still has ${pending} reports that were not acknowledged, after ${failedAttempts} redeliveries`
  return [{ about: 'the platform', fault: `${fault}; ${gateway.logLines().at(-1) ?? 'nothing in the log'}` }]
}

const lastAnswer = ({ replies }: Pick<ClientRequest, 'replies'>): string => {
  const last = replies.at(-1)
  return typeof last === 'object' ? (last.status === 200 ? '200' : `${last.status} ${last.code}`) : (last ?? 'not asked')
}

const countNames = (names: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a))
}
