import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber } from '../../core/customers/customer.js'
import type { BatchId, EventId, WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { IdempotencyKey } from '../../core/messages/message.js'
import { walletAlerted } from '../../core/money/wallet.js'
import type { Ports } from '../../core/ports.js'
import type { Postern } from '../../core/postern.js'
import type { Choices } from './choices.js'
import { OFFER, type ReportedState, TEMPLATE } from './platform.js'
import type { PlannedAct, Scene, Send, Tenant } from './scene.js'
import type { Renumbered } from './numbers.js'
import { newIdOf, takingFrom } from './shares.js'

/**
 * The share of histories with a customer whom the platform knows by another number than the dialled one, with another program on a number, with messages that share a
 * hold, and with a delivery that is awaited.
 */
const OTHERS: ReadonlyArray<readonly [kind: OtherKind, chance: number]> = [
  ['meet a renumbered customer', 0.35], ['hear of another program', 0.3], ['share a hold', 0.3],
  ['await a delivery', 0.5],
]

type OtherKind = 'meet a renumbered customer' | 'hear of another program' | 'share a hold' | 'await a delivery'

/** When a history meets them. They use separate names for their choices, so a plan without them plays unchanged. */
export const othersOf = (choices: Choices, plan: ReadonlyArray<PlannedAct>): ReadonlyArray<PlannedAct> =>
  OTHERS.flatMap(([kind, chance]): ReadonlyArray<PlannedAct> => {
    const near = choices.chance(chance) ? plan[choices.whole(0, Math.floor(plan.length / 2))] : undefined
    return near === undefined ? [] : [{ at: near.at + choices.time(10, MINUTE_MS), kind, name: kind }]
  })

/** The dependencies of these acts. */
export type OtherActs = {
  readonly send: (
    scene: Scene, tenant: Tenant, send: Pick<Send, 'message' | 'sender' | 'key' | 'over' | 'confirmWithinMs'>,
  ) => Promise<void>
  readonly erase: (scene: Scene, tenant: Tenant, customer: PhoneNumber) => Promise<boolean>
  readonly pay: (scene: Scene, tenant: Tenant) => Promise<void>
  /** Asks gateways until one answers; whether the answer is a success. */
  readonly insist: (scene: Scene, what: string, work: Insisted) => Promise<boolean>
}

type Insisted = (postern: Postern, ports: Ports) => Promise<E.Either<{ readonly _tag: string }, unknown>>

/** The acts. */
export const otherActs = ({ send, erase, pay, insist }: OtherActs): Readonly<Record<OtherKind, (scene: Scene) => Promise<void>>> => ({
  'meet a renumbered customer': async (scene) => {
    const { world, platform, promises: { rules } } = scene
    const choices = world.choices()
    const tenant = choices.one(scene.tenants)
    const person = rules.numbers.people.find(({ workspace }) => workspace === tenant.id)
    if (person === undefined) return
    const { sender, dialled, others: [first, second] } = person
    const key = (): IdempotencyKey | undefined =>
      choices.chance(0.5) ? (world.nameOf('key').replaceAll(' ', '') as IdempotencyKey) : undefined
    const template = (to: PhoneNumber, name: string): Promise<void> =>
      send(scene, tenant, { message: { _tag: 'Template', to, name, language: 'en' }, sender: sender.known, key: key() })
    const text = (): Promise<void> =>
      send(scene, tenant, {
        message: { _tag: 'Text', to: choices.chance(0.8) ? dialled : person.knownBy, text: 'Hello' }, sender: sender.known, key: key(),
      })
    let hasStopped = false
    await pay(scene, tenant)
    person.knownBy = choices.one([dialled, first, first])
    for (let times = choices.whole(1, 3); times > 0; times -= 1) {
      person.isReportedLate = true
      await template(dialled, TEMPLATE)
      await world.sleep(choices.whole(10 * SECOND_MS, 20 * MINUTE_MS))
      // Earlier reports arrive when the customer has another number. No number passes to another person and back within hours.
      person.isReportedLate = false
      person.knownBy = choices.one([first, first, second, dialled])
      world.note('platform', () => `knows ${dialled} by ${person.knownBy}`)
      // The gateways may have an open window for the previous number, and the platform has none.
      if (choices.chance(0.5)) await text()
      await template(dialled, TEMPLATE)
      await world.sleep(choices.time(SECOND_MS, 20 * MINUTE_MS))
      platform.inbound(sender, { phoneNumber: person.knownBy })
      await world.sleep(choices.time(SECOND_MS, HOUR_MS))
      await text()
      if (person.knownBy !== dialled && choices.chance(0.5)) {
        hasStopped = !hasStopped
        platform.choose(sender, person.knownBy, hasStopped)
        await world.sleep(choices.time(SECOND_MS, HOUR_MS))
        await template(choices.chance(0.8) ? dialled : person.knownBy, OFFER)
      }
      if (choices.chance(0.15)) await eraseOne(scene, person, (customer) => erase(scene, tenant, customer))
      for (let texts = choices.whole(1, 3); texts > 0; texts -= 1) {
        await world.sleep(choices.whole(MINUTE_MS, 5 * HOUR_MS))
        await text()
      }
      await world.sleep(choices.whole(2 * HOUR_MS, DAY_MS))
    }
  },
  // A batch without its own use case yet: real sends whose messages take their parts of a shared hold, through gateways that crash.
  'await a delivery': async (scene) => {
    const { world } = scene
    const choices = world.choices()
    const tenant = choices.one(scene.tenants)
    const look = () => insist(scene, 'note what is overdue', async ({ upkeep }) => upkeep.noteOverdue?.() ?? E.right(undefined))
    const awaited = Array.from({ length: choices.whole(1, 4) }, () => ({
      message: { _tag: 'Template', to: choices.one(tenant.customers), name: TEMPLATE, language: 'en' } as const,
      sender: undefined, key: world.nameOf('key').replaceAll(' ', '') as IdempotencyKey, confirmWithinMs: choices.whole(10, 90) * SECOND_MS,
    }))
    const sends = awaited.map((one) => send(scene, tenant, one))
    for (const wait of [choices.whole(10, 90), choices.whole(1, 60), choices.whole(1, 600)]) {
      await world.sleep(wait * SECOND_MS)
      // Several gateways may look at the same time.
      await Promise.all([look(), look()])
    }
    await Promise.all(sends)
  },
  'share a hold': async (scene) => {
    const { world, gateways } = scene
    const choices = world.choices()
    const tenant = choices.one(scene.tenants)
    const [hold, workspace] = [newIdOf(choices, 'bat', world.now()) as BatchId, tenant.id]
    await pay(scene, tenant)
    const count = choices.whole(1, 8)
    const amount = { micros: BigInt(choices.whole(Math.max(count - 2, 0), count + 1)) * 40_000n, currency: 'USD' as Currency }
    const isHeld = await insist(scene, `share ${amount.micros}`, async (_postern, { sharedHolds, windowClock }) =>
      sharedHolds?.hold({ workspace, hold, amount, at: windowClock.now() }, (alert) =>
        [{ id: newIdOf(choices, 'evt', alert.at) as EventId, at: alert.at, ...walletAlerted(alert) }]) ?? E.right(undefined))
    if (!isHeld) return
    const over = takingFrom(hold, choices.one([0n, 5_000n]))
    const sends = Array.from({ length: count }, async () => {
      await world.sleep(choices.time(10, choices.chance(0.5) ? MINUTE_MS : HOUR_MS))
      const key = world.nameOf('key').replaceAll(' ', '') as IdempotencyKey
      const to = choices.one(tenant.customers)
      await send(scene, tenant, { message: { _tag: 'Template', to, name: TEMPLATE, language: 'en' }, key, over })
    })
    if (choices.chance(0.5)) {
      const gateway = choices.one(gateways)
      await world.sleep(choices.time(10, MINUTE_MS))
      gateway.crash()
      await world.sleep(choices.time(SECOND_MS, MINUTE_MS))
      if (!scene.restoring.isUnderWay) gateway.start()
    }
    if (choices.chance(0.7)) await Promise.all(sends)
    else await world.sleep(choices.time(SECOND_MS, HOUR_MS))
    await releaseShare(scene, insist, { workspace, hold })
    await Promise.all(sends)
  },
  'hear of another program': async ({ world, tenants, platform }) => {
    const choices = world.choices()
    const tenant = choices.one(tenants)
    for (let times = choices.whole(1, 4); times > 0; times -= 1) {
      const state = choices.weighted<ReportedState>({ sent: 1, delivered: 1, read: 1, failed: 1 })
      platform.foreign(choices.one(tenant.senders), choices.one(tenant.customers), state)
      await world.sleep(choices.time(SECOND_MS, 6 * HOUR_MS))
    }
  },
})

/** Releases a shared hold, perhaps through several gateways, until one of them answers. */
export const releaseShare = async (
  scene: Scene, insist: OtherActs['insist'], { workspace, hold }: { readonly workspace: WorkspaceId; readonly hold: BatchId },
): Promise<void> => {
  const times = scene.world.choices().chance(0.3) ? 2 : 1
  await Promise.all(Array.from({ length: times }, () =>
    insist(scene, `release ${hold}`, async (_postern, { sharedHolds, windowClock }) =>
      sharedHolds?.release({ workspace, hold, at: windowClock.now() }) ?? E.right(undefined))))
}

/** A message's timestamp may be this much earlier than its opening, and clocks differ. */
const OPEN_WITHIN_MS = 30 * SECOND_MS

/** Erases a customer by one number. If it was always certain which number the dialled one leads to, every message to either of them is forgotten. */
const eraseOne = async (
  { world, promises, operator }: Scene, of: Renumbered, erase: (customer: PhoneNumber) => Promise<boolean>,
): Promise<void> => {
  const { numbers } = promises.rules
  const [number, seen, begunAt] = [numbers.leadsTo(of), numbers.seenOf(of), world.now()]
  if (!(await erase(world.choices().one([of.dialled, number ?? of.knownBy]))) || number === undefined) return
  const listed = await operator.ask((_postern, { messageLog }) => messageLog.list(of.workspace, { limit: 10_000 }))
  if (listed === 'lost' || E.isLeft(listed) || numbers.seenOf(of) !== seen) return
  world.reach('a customer of another number is erased')
  const left = listed.right.items.find(({ to, createdAt }) => (to === of.dialled || to === number) && createdAt < begunAt - OPEN_WITHIN_MS)
  if (left !== undefined) world.violate('an erased customer is forgotten under every number', `${left.id} to ${left.to} in ${of.workspace}`)
}
