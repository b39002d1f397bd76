import { setTimeout as delay } from 'node:timers/promises'
import { uuidv7 } from 'uuidv7'
import { openStorage } from '../../adapters/knex/index.js'
import { startSimulator, type Simulator } from '../../apps/simulator/simulator.js'
import { parseMicros, type Currency } from '../../core/money.js'
import { workspaceIdOf, type WorkspaceId } from '../../core/workspace.js'
import { APP_SECRET, rightOf, SECRET, VERIFY_TOKEN } from '../support/gateway.js'
import { postern, posternJson, type Env } from '../support/postern.js'
import { readBooks } from './books.js'
import { makeChance, type Chance } from './chance.js'
import { runClients, type Account } from './client.js'
import type { Errand, Finding } from './evidence.js'
import { faultRates } from './fault-rates.js'
import type { Ground } from './ground.js'
import { judge } from './verdict.js'
import { makeVictim, type Victim } from './victim.js'

/** What one run is to do. */
export type Ordeal = {
  /** How often what `kill` names is killed. */
  readonly kills: number
  readonly kill: 'gateway' | 'database'
  readonly seed: number
  /** At least so many errands are run, however soon the killing is over. */
  readonly sends: number
  /** How often clients are answered at most between two kills, however slow the machine, unless that takes too long. */
  readonly answers: number
  /** Whether statuses without our id are among the faults; settling those that nobody can match takes a minute. */
  readonly unmarked: boolean
  /** After how many milliseconds the run is a failure, though nothing else is amiss. */
  readonly deadlineMs: number
}

/** What came of a run. */
export type Outcome = {
  readonly seconds: number
  readonly kills: number
  readonly errands: number
  readonly repeated: number
  readonly answered: Readonly<Record<string, number>>
  readonly platform: { readonly accepted: number; readonly refused: number; readonly acknowledged: number; readonly redeliveries: number }
  readonly states: Readonly<Record<string, number>>
  readonly reconciled: unknown
  readonly untraceable: number
  readonly findings: ReadonlyArray<Finding>
  readonly complaints: ReadonlyArray<string>
}

const CLIENTS = 16
const WORKSPACES = 3
const DELAYS = { sent: 20, delivered: 60, read: 120, failed: 80, late: 600, drip: 100 }
const PLATFORM_TIMEOUT_MS = 400
const UNCONFIRMED_AFTER_MS = 2_000

/** How long the time between two kills is at most where answers do not come. */
const LONGEST_LIFE_MS = 5_000

/** Kills a gateway, or its database, again and again under load, then settles everything and compares all books. */
export const torture = async (ground: Ground, ordeal: Ordeal): Promise<Outcome> => {
  if (ordeal.kill === 'database' && ground.server === undefined) throw new Error(`${ground.name} is shared, so it is not killed`)
  const begun = performance.now()
  const chance = makeChance(ordeal.seed)
  const simulator = await startSimulator({ seed: ordeal.seed, delays: DELAYS, settings: { rates: faultRates(ordeal.unmarked) } })
  const env: Env = { DATABASE_URL: ground.url, POSTERN_SECRET: SECRET }
  const victim = await makeVictim({
    ...env, PLATFORM_URL: simulator.url, PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN, PLATFORM_APP_SECRET: APP_SECRET,
    PLATFORM_TIMEOUT_MS: String(PLATFORM_TIMEOUT_MS), UNCONFIRMED_AFTER_MS: String(UNCONFIRMED_AFTER_MS), RECONCILE_EVERY_MS: '500',
  })
  try {
    const { workspaces, accounts } = await settle(ground.url)
    simulator.aim({
      url: `${victim.url}/webhooks/platform`, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN,
      timeoutMs: 5_000, retryMs: 20, retryAtMostMs: 500, concurrency: 8, batch: 50,
    })
    let alive = true
    let answers = 0
    const load = runClients(
      {
        url: victim.url, simulator, accounts, chance: makeChance(ordeal.seed + 1),
        goesOn: (run) => alive || run < ordeal.sends, onAnswer: () => { answers += 1 },
      },
      CLIENTS,
    )
    await killing(ordeal, { chance, victim, ground, answers: () => answers })
    alive = false
    const errands = await load
    const late = await quiet(simulator, victim, ordeal.deadlineMs)
    const status = await victim.stop()
    // Nothing is under way any more, so whatever is still open has a known end: nobody reported on it.
    const closing = { ...env, PLATFORM_TIMEOUT_MS: '1', UNCONFIRMED_AFTER_MS: '2', RELEASE_AFTER_HOURS: '0' }
    const reconciled = await posternJson(['reconcile'], closing)
    const audit = await postern(['wallet', 'audit'], env)
    const storage = openStorage({ url: ground.url, secret: SECRET })
    const books = await readBooks(storage, workspaces).finally(storage.close)
    const arrivals = simulator.received()
    const { findings, untraceable } = judge({ errands, arrivals, ...books })
    return {
      seconds: (performance.now() - begun) / 1_000,
      kills: ordeal.kills,
      errands: errands.length,
      repeated: errands.filter(({ replies }) => replies.length > 1).length,
      answered: tally(errands.map(lastAnswer)),
      platform: {
        accepted: arrivals.filter(({ outcome }) => outcome === 'accepted').length,
        refused: arrivals.filter(({ outcome }) => outcome === 'refused').length,
        acknowledged: simulator.stats().acknowledged, redeliveries: simulator.stats().failedAttempts,
      },
      states: tally(books.messages.map(({ state }) => state)),
      reconciled,
      untraceable,
      findings: [
        ...late,
        ...(status === 0 ? [] : [{ about: 'the gateway', fault: `stopped with ${status}` }]),
        ...(audit.status === 0 ? [] : [{ about: 'the audit', fault: `${audit.stdout}${audit.stderr}`.trim() }]),
        ...(errands.some(({ replies }) => lastAnswer({ replies }) === '200') ? [] : [{ about: 'the run', fault: 'not one message went' }]),
        ...findings,
      ],
      complaints: victim.complaints(),
    }
  } finally {
    await victim.kill()
    await simulator.close()
  }
}

/** Workspaces with senders and keys: plenty of money for all but the last, which runs out of it again and again. */
const settle = async (url: string): Promise<{ readonly workspaces: ReadonlyArray<WorkspaceId>; readonly accounts: ReadonlyArray<Account> }> => {
  const storage = openStorage({ url, secret: SECRET })
  const workspaces: WorkspaceId[] = []
  const accounts: Account[] = []
  try {
    await storage.migrate()
    for (let number = 1; number <= WORKSPACES; number += 1) {
      const id = workspaceIdOf(uuidv7())
      const phoneNumberId = String(1_000 + number)
      const micros = rightOf(parseMicros(number < WORKSPACES ? '100000' : '5'))
      rightOf(await storage.workspaces.create({ id, name: `torture ${number}`, currency: 'USD' as Currency, createdAt: Date.now() })())
      rightOf(await storage.ledger.topUp({ workspace: id, micros, reference: 'first', at: Date.now() })())
      rightOf(await storage.senders.assign(id, { phoneNumberId, accessToken: 'token', businessAccountId: undefined })())
      workspaces.push(id)
      accounts.push({ key: rightOf(await storage.keyStore.mint(id, 'torture', Date.now())()).key, phoneNumberId })
    }
    return { workspaces, accounts }
  } finally {
    await storage.close()
  }
}

type Scene = { readonly chance: Chance; readonly victim: Victim; readonly ground: Ground; readonly answers: () => number }

/** Kills at random moments, mostly under load and sometimes in the middle of a start; leaves the gateway running. */
const killing = async ({ kills, kill, answers }: Ordeal, scene: Scene): Promise<void> => {
  const { chance, victim, ground: { server } } = scene
  if (kill === 'database') await victim.start()
  for (let killed = 0; killed < kills; killed += 1) {
    if (kill === 'database') {
      await underLoad(scene, answers)
      await server?.kill()
      await delay(chance.between(0, 400))
      await server?.start()
    } else if (chance.hits(0.1)) {
      // Where it is killed while it starts, its start fails on purpose.
      const started = victim.start().catch(() => undefined)
      await delay(chance.between(0, 1_000))
      await victim.kill()
      await started
    } else {
      await victim.start()
      await underLoad(scene, answers)
      await victim.kill()
    }
  }
  if (kill === 'gateway') await victim.start()
}

/** Waits until clients have had some answers, how many is left to chance, and then for a moment. */
const underLoad = async ({ chance, answers }: Scene, most: number): Promise<void> => {
  const enough = answers() + chance.between(0, most)
  const lastWait = performance.now() + LONGEST_LIFE_MS
  while (answers() < enough && performance.now() < lastWait) await delay(5)
  await delay(chance.between(0, 20))
}

/** Waits until the platform has had every report acknowledged. */
const quiet = async (simulator: Simulator, victim: Victim, deadlineMs: number): Promise<ReadonlyArray<Finding>> => {
  const late = new AbortController()
  const idle = await Promise.race([
    simulator.idle().then(() => true),
    delay(deadlineMs, false, { signal: late.signal }).catch(() => false),
  ])
  late.abort()
  if (idle) return []
  const { pending, failedAttempts } = simulator.stats()
  const fault = `still has ${pending} reports that were not acknowledged, after ${failedAttempts} redeliveries`
  return [{ about: 'the platform', fault: `${fault}; ${victim.complaints().at(-1) ?? 'nothing in the log'}` }]
}

const lastAnswer = ({ replies }: Pick<Errand, 'replies'>): string => {
  const last = replies.at(-1)
  return typeof last === 'object' ? (last.status === 200 ? '200' : `${last.status} ${last.code}`) : (last ?? 'not asked')
}

const tally = (names: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries([...counts].sort(([, a], [, b]) => b - a))
}
