import { fileBytes } from '../../adapters/machine/file-bytes.js'
import { takeUpload } from '../../adapters/memory/sandbox.js'
import * as E from 'fp-ts/lib/Either.js'
import { makeMemoryStorageOver, openMemoryState } from '../../adapters/memory/storage.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { EndpointId, EndpointSecret } from '../../core/events/endpoint.js'
import { ALL_EVENTS } from '../../core/kernel/outbox.js'
import type { AppId, WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { portFailure } from '../../core/kernel/failure.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS } from '../../core/kernel/time.js'
import { type RateCard, priceBy } from '../../core/money/rate-card.js'
import type { AllStoragePorts, AppPorts, Ports } from '../../core/ports.js'
import type { Report } from '../../core/reports/receive.js'
import type { NumberHealth } from '../../core/senders/number-health.js'
import { OPENING } from './at-the-end.js'
import { backUpOf } from './backup.js'
import { type Choices, makeChoices } from './choices.js'
import { type Gateway, type GatewayParts, makeGateway, type SimulatedStorage, type Weather, WEATHERS } from './gateway.js'
import { makePlatform, type SimulatedPlatform } from './platform.js'
import { batchesOf } from './batches.js'
import { edgesOf } from './edges.js'
import { movesOf } from './moves.js'
import type { Renumbered } from './numbers.js'
import { othersOf } from './others.js'
import { HELD_AFTER_MS } from './held.js'
import { FEW_CUSTOMERS, LOW_LIMITS, queueBefore, queuesOf } from './queue.js'
import type { Limits } from './queued.js'
import { beginAct, deliverEvents, drain, passOverBatches, planOf, type PlanSize, releaseShares, restoresOf } from './life.js'
import type { PlannedAct, Scene, Tenant } from './scene.js'
import { hasFailed, makePromises } from './promises.js'
import { formOf, makeSenders, OTHER_APP, senderId, type Senders, type SimulatedSender } from './senders.js'
import { makeWorld, type Step, type Violation, type World } from './world.js'

/** The result of a history: the broken promises, the reached situations, and the steps. */
export type History = {
  readonly seed: number
  readonly plan: ReadonlyArray<PlannedAct>
  readonly violations: ReadonlyArray<Violation>
  readonly reached: ReadonlyMap<string, number>
  readonly steps: ReadonlyArray<Step>
  readonly endedAt: Instant
  readonly messages: number
}

/** A planted fault of the core or of an adapter that has to be found. */
export type Defect = {
  readonly name: string
  /** The ports of a gateway as the faulty code uses them. */
  readonly spoil?: (ports: Ports) => Ports
  /** The storage as a faulty adapter keeps it. */
  readonly spoilStorage?: (storage: SimulatedStorage) => SimulatedStorage
  /** A report as the faulty code reads it; `app` is the app of its sender. */
  readonly spoilReport?: (report: Report, app: AppId | undefined) => Report
  /** A gateway keeps running while an operator restores a backup. */
  readonly runsOn?: true
}

/** The history to play. */
export type SimulationOptions = {
  readonly seed: number
  /** Only these acts of the seed's plan; all by default. */
  readonly acts?: ReadonlyArray<string>
  readonly defect?: Defect | undefined
  readonly keepsSteps?: boolean
  readonly size?: PlanSize
  /**
   * A real storage for this history, with the world's clock; by default one in memory, the only kind that is backed up. A real storage takes real time, during which the world
   * stands still.
   */
  readonly storage?: (now: () => Instant) => RealStorage
}

/** A storage on a real database. */
export type RealStorage = {
  /** The storage that the promises are checked against. */
  readonly storage: SimulatedStorage & AppPorts
  /** The storage that the gateways use. */
  readonly ofGateways: SimulatedStorage
  /** Performs a call of a gateway, and makes the connection fail during it according to the choices. `note` is called with the failure. */
  readonly during: During
  /** Waits until no transaction of a gateway is open. A transaction whose call has failed may still commit, so its effect is known only afterwards. */
  readonly settled: () => Promise<void>
}

export type During = <Answer>(choices: Choices, note: (failure: string) => void, call: () => Promise<Answer>) => Promise<Answer>

const STARTS_AT = Date.UTC(2026, 0, 5)
const UNCONFIRMED_AFTER_MS = 2 * MINUTE_MS
const RELEASE_AFTER_MS = 7 * DAY_MS
const SIZE: PlanSize = { bursts: 4, acts: 16 }

const CARD: RateCard = {
  currency: 'USD' as Currency, effective: '2026-01-01', markets: new Map(), templateCategory: 'marketing', freeServiceMessages: 3,
  default: { service: 10_000n, marketing: 40_000n, utility: 20_000n, authentication: 30_000n },
}

/** Plays the history of a seed: a month of several gateways, and then the weeks in which everything comes to rest. */
export const simulate = async ({
  seed, acts, defect, keepsSteps = false, size = SIZE, storage: open,
}: SimulationOptions): Promise<History> => {
  const world = makeWorld({ seed, startsAt: STARTS_AT, keepsSteps })
  const choices = makeChoices(seed, 'scene')
  const month = planOf(choices, STARTS_AT + HOUR_MS, size)
  const restores = open === undefined ? restoresOf(makeChoices(seed, 'restores'), month) : []
  const whole = [
    ...month, ...edgesOf(makeChoices(seed, 'edges'), month), ...othersOf(makeChoices(seed, 'others'), month), ...restores,
    ...queueBefore(makeChoices(seed, 'queue before a restore'), restores),
    ...(restores.length > 0 ? [] : [...movesOf(makeChoices(seed, 'moves'), month), ...queuesOf(makeChoices(seed, 'queues'), month)]),
    ...(restores.length > 0 || open !== undefined ? [] : batchesOf(makeChoices(seed, 'batches'), month)),
  ].sort((a, b) => a.at - b.at)
  const plan = acts === undefined ? whole : whole.filter(({ name }) => acts.includes(name))
  let weather: Weather = WEATHERS[choices.weighted({ fair: 2, rough: 4, storm: 2 })]
  const state = openMemoryState(true)
  const real = open?.(world.now)
  const storage = real?.storage ?? makeMemoryStorageOver(state, { now: world.now })
  const connectionChoices = makeChoices(seed, 'connection')
  const isJoint = choices.chance(0.6)
  const tenants = await settle(storage, seed, choices.whole(2, 3))
  const senders = makeSenders(tenants.flatMap((tenant) => tenant.senders))
  const ofGateways = real?.ofGateways ?? defect?.spoilStorage?.(storage) ?? storage
  // A real database counts the slots of senders by its own clock, which is not the clock of the history.
  const lowLimits: Limits = real === undefined ? LOW_LIMITS : { pair: LOW_LIMITS.pair }
  const has = (wanted: PlannedAct['kind']): boolean => plan.some(({ kind }) => kind === wanted)
  const limits: Limits | undefined = has('queue under limits') || has('reach many customers')
    ? { ...(has('queue under limits') && lowLimits), ...(has('reach many customers') && { customers: FEW_CUSTOMERS }) }
    : undefined
  const gateways: Gateway[] = []
  let isCalm = false
  const promises = makePromises({
    world, storage, senders, people: tenants.map(renumberedOf), platform: () => platform, isAtOnce: open === undefined, isJoint, limits,
    queue: () => (real === undefined ? ofGateways : storage).messageQueue,
    archivedAt: (workspace) => tenants.find(({ id }) => id === workspace)?.archivedAt,
    isOver: (name, life) => gateways.some((gateway) => gateway.name === name && gateway.life() !== life),
  })
  const platform: SimulatedPlatform = makePlatform({
    world, gateways: () => gateways as [Gateway, ...Gateway[]], onTaken: promises.onTaken, onLeaving: promises.onLeaving,
    hearForeign: promises.foreign.hear, hearElsewhere: promises.foreign.hearElsewhere, onReport: promises.rules.onReport,
    senderOf: (id) => senders.find(id) ?? senders.all[0] as SimulatedSender,
    isKnown: (message) => promises.known.has(message) && promises.known.get(message)?.isForgotten === undefined,
    numbers: () => promises.rules.numbers, spoil: defect?.spoilReport, roughness: choices.one([0, 0.5, 1, 1, 2]),
  })
  const parts = {
    world, isJoint, onLost: promises.rules.onLost, storage: ofGateways,
    spoil: defect?.spoil,
    outside: (gateway: Gateway) =>
      ({ ...outsideOf(platform, gateway), ...(limits?.customers !== undefined && numbersOf(senders, limits.customers)) }),
    watch: real === undefined
      ? promises.watch
      : (call, run) =>
          world.outside(() =>
            promises.watch(call, () => settledAfter(real, isCalm ? run : () => real.during(connectionChoices, world.reach, run)))),
    settings: {
      priceOf: priceBy(CARD), rateCard: () => CARD, unconfirmedAfterMs: UNCONFIRMED_AFTER_MS, releaseAfterMs: RELEASE_AFTER_MS,
      ...settingsOf(limits, world),
      ...(has('queue before a restore') && { heldStart: { afterMs: HELD_AFTER_MS, installation: () => Promise.resolve('the only one') } }),
    },
  } satisfies Omit<GatewayParts, 'name' | 'weather' | 'skewMs'>
  for (let number = 1; number <= choices.whole(2, 5); number += 1) {
    gateways.push(makeGateway({ ...parts, name: `gateway ${number}`, weather: () => weather, skewMs: choices.whole(-2_000, 2_000) }))
  }
  const [first, ...others] = gateways
  if (first === undefined) throw new Error('a simulation needs a gateway')
  const scene: Scene = {
    world, gateways: [first, ...others], tenants, platform, promises,
    sent: [], topUps: [], erased: [], received: new Map(), turns: new Map(),
    isCalm: () => isCalm,
    operator: makeGateway({ ...parts, name: 'operator', weather: () => WEATHERS.fair, skewMs: 0 }),
    backUp: () => {
      const [putStorageBack, putConfirmedBack, putKnownBack] = [backUpOf(state)(), platform.backUpConfirmed(), promises.backUp()]
      return () => {
        putStorageBack()
        putConfirmedBack()
        return putKnownBack()
      }
    },
    restoring: { latest: undefined, isUnderWay: false, stopped: defect?.runsOn === true ? others : gateways },
  }

  for (const act of plan) {
    await world.runUntil(act.at)
    if (world.violations.length > 0) break
    beginAct(scene, act)
  }
  await world.runUntil((plan.at(-1)?.at ?? STARTS_AT) + HOUR_MS)
  weather = WEATHERS.fair
  isCalm = true
  platform.calmDown()
  await comeToRest(scene)
  if (world.violations.length === 0) await promises.atTheEnd({ platform, received: scene.received, topUps: scene.topUps })
  return {
    seed, plan, violations: world.violations, reached: world.reached, steps: world.steps, endedAt: world.now(),
    messages: promises.known.size,
  }
}

/** The settings of the limits; without limits there is none. */
const settingsOf = (limits: Limits | undefined, { sleep }: World) => ({
  ...(limits?.pair && { pairLimit: limits.pair }), ...(limits?.customers !== undefined && { portfolioLimit: 'on' as const }),
  ...(limits?.sender && { senderLimit: { ...limits.sender, wait: sleep } }),
})

/** Performs a call. If it fails, the answer is returned only when its transaction can have no further effect; otherwise two successive reads could differ. */
const settledAfter = async <Answer>({ settled }: RealStorage, call: () => Promise<Answer>): Promise<Answer> => {
  const answer = await call()
  if (hasFailed(answer)) await settled()
  return answer
}

/** How many days follow a history, and how late a report can be. */
const REST_DAYS = 20
const LATEST_REPORT_MS = 45 * DAY_MS

/** Everything is up and failures have stopped; every report arrives, messages of unknown outcome become old enough to be given up, and every event is delivered. */
const comeToRest = async (scene: Scene): Promise<void> => {
  const { world } = scene
  for (const gateway of scene.gateways) {
    gateway.undisturb()
    if (!gateway.isUp()) gateway.start()
    gateway.cutOff(false)
  }
  for (let day = 0; day < REST_DAYS; day += 1) {
    // The last reports are weeks late, and their consequences have to be reconciled and delivered, too.
    if (day === REST_DAYS / 2) await world.runUntil(world.now() + LATEST_REPORT_MS)
    const gateway = scene.gateways[day % scene.gateways.length]
    world.begin(`rest ${day}`, async () => {
      await gateway?.ask(({ upkeep }) => upkeep.reconcile('all'))
      await releaseShares(scene)
      await deliverEvents(scene)
    })
    // An act of its own, so that it changes none of the choices above.
    if (scene.promises.deadlines.areOpen()) {
      world.begin(`rest ${day}, deadlines`, async () => { await gateway?.ask(async ({ upkeep }) => upkeep.noteOverdue?.()) })
    }
    const { queued, batched } = scene.promises
    if (gateway !== undefined && batched.areOpen()) {
      world.begin(`rest ${day}, batches`, async () => {
        for (let times = 0; times < 4; times += 1) await passOverBatches(scene, gateway)
      })
    }
    if (gateway !== undefined && (queued.areWaiting() || batched.areOpen())) world.begin(`rest ${day}, queue`, () => drain(scene, gateway))
    await world.runUntil(world.now() + DAY_MS)
  }
}

/** What the platform has reported of all numbers: the limit of their business accounts. */
const numbersOf = ({ all }: Senders, customersPerDay: number): { readonly numberHealth: NumberHealth } => {
  const none = async () => E.left(portFailure('NumberHealth')('the numbers do not change'))
  return {
    numberHealth: {
      note: none, want: none, claim: none,
      of: async (of) => E.right(all.filter(({ workspace }) => workspace === of).flatMap(({ ids }) =>
        ids.map((phoneNumberId) => ({ phoneNumberId, readAt: STARTS_AT, customersPerDay })))),
    },
  }
}

const outsideOf = (platform: SimulatedPlatform, gateway: Gateway): Omit<Ports, keyof AllStoragePorts> => ({
  platform: platform.portOf(gateway),
  templateSource: platform.templates,
  senderVerification: 'trusted',
  conversation: {
    markRead: () => Promise.resolve(E.right(undefined)),
    openMedia: () => Promise.resolve(E.left({ _tag: 'MediaGone' })),
    uploadMedia: takeUpload(new Map()),
  },
  fileBytes,
  webhooks: { sinkFor: () => ({ deliver: () => Promise.reject(new Error('deliveries are simulated beside it')) }) },
  passwords: { hash: () => Promise.resolve(E.right('')), verify: () => Promise.resolve(E.right(false)) },
})

const customer = (workspace: number, number: number): PhoneNumber => `4915112345${workspace}${number}` as PhoneNumber

/** A customer of a workspace in Ivory Coast, whose number got two more digits; the platform knows the customer by the older number. */
const renumberedOf = ({ id: workspace, senders }: Tenant): Renumbered => {
  const [dialled, ...others] = ['2250707123456', '22507123456', '22501020304'] as [PhoneNumber, PhoneNumber, PhoneNumber]
  return { workspace, sender: senders.at(-1) ?? senders[0], dialled, others, knownBy: dialled, isReportedLate: false }
}

/** The senders of a workspace; its first one belongs to the app of the environment. */
const sendersOf = (workspace: WorkspaceId, name: string, choices: Choices): Tenant['senders'] => {
  const sender = (number: number): SimulatedSender => {
    const id = senderId(name, number)
    const app = number > 1 && choices.chance(0.4) ? OTHER_APP : undefined
    return { workspace, name: `sender ${id}`, app, ids: [id], known: id, isChanging: false }
  }
  return [sender(1), ...Array.from({ length: choices.whole(0, 2) }, (_, index) => sender(index + 2))]
}

/** The workspaces that an operator creates before the history begins. */
const settle = async (storage: AllStoragePorts & AppPorts, seed: number, count: number): Promise<readonly [Tenant, ...Tenant[]]> => {
  const tenants: Tenant[] = []
  // Histories may share a database, in which an earlier one has added the app.
  await storage.apps.add({ id: OTHER_APP, name: 'other', createdAt: STARTS_AT, appSecret: 'simulated', verifyToken: 'simulated' })
  for (let number = 1; number <= count; number += 1) {
    // Names differ between seeds for the same reason.
    const name = `${seed}${number}`
    const id = `ws_${name.padStart(32, '0')}` as WorkspaceId
    await storage.workspaces.create({ id, name: `Workspace ${number}`, currency: CARD.currency, createdAt: STARTS_AT })
    // The second workspace pays a quarter more than the platform charges.
    if (number === 2) await storage.workspacePricing.setPricing(id, { _tag: 'Markup', ppm: 250_000n })
    const senders = sendersOf(id, name, makeChoices(seed, `senders ${number}`))
    for (const { known, app } of senders) await storage.senders.assign(id, formOf(known, app))
    await storage.ledger.topUp({ workspace: id, micros: number === 1 ? 400_000n : 120_000n, reference: OPENING, at: STARTS_AT })
    await storage.eventEndpoints.add({
      id: `ep_${name.padStart(32, '0')}` as EndpointId, workspace: id, url: 'https://app.example/events', types: ALL_EVENTS,
      description: '', createdAt: STARTS_AT, secret: 'whsec_simulated' as EndpointSecret,
    })
    const keys = []
    for (const spendingLimit of [undefined, 80_000n]) {
      const minted = await storage.keyStore.mint({
        workspace: id, name: 'App', at: STARTS_AT, scopes: ['send'], ...(spendingLimit !== undefined && { spendingLimit }),
      })
      if (E.isRight(minted)) keys.push({ ...minted.right, limit: spendingLimit })
    }
    tenants.push({ id, senders, keys, customers: [customer(number, 0), customer(number, 1), customer(number, 2)] })
  }
  const [first, ...others] = tenants
  if (first === undefined) throw new Error('a simulation needs a workspace')
  return [first, ...others]
}
