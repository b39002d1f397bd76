import * as E from 'fp-ts/lib/Either.js'
import type { CustomerId, PhoneNumber } from '../../core/customers/customer.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { IdempotencyKey, Message } from '../../core/messages/message.js'
import type { Ports } from '../../core/ports.js'
import type { Postern } from '../../core/postern.js'
import type { Choices } from './choices.js'
import { OFFER, TEMPLATE } from './platform.js'
import type { PlannedAct, Scene, Send, Tenant } from './scene.js'
import { formOf, idNow, type SimulatedSender, userIdOf } from './senders.js'

/** The share of histories in which the senders of a workspace change, and in which a report arrives at the address of another app. */
const MOVES = {
  'move a number': 0.35, 'remove a sender': 0.25, 'change the default sender': 0.25, 'report at another app': 0.2,
} as const satisfies Readonly<Record<string, number>>

type MoveKind = keyof typeof MOVES

/** When they happen. They use separate names for their choices, so a plan without them plays unchanged. */
export const movesOf = (choices: Choices, plan: ReadonlyArray<PlannedAct>): ReadonlyArray<PlannedAct> =>
  (Object.keys(MOVES) as ReadonlyArray<MoveKind>).flatMap((kind): ReadonlyArray<PlannedAct> => {
    const near = choices.chance(MOVES[kind]) ? plan[choices.whole(0, Math.floor(plan.length / 2))] : undefined
    return near === undefined ? [] : [{ at: near.at + choices.time(10, MINUTE_MS), kind, name: kind }]
  })

type Work<Answer> = (postern: Postern, ports: Ports) => Promise<E.Either<{ readonly _tag: string }, Answer>>

/** The dependencies of these acts. */
export type MoveActs = {
  readonly send: (scene: Scene, tenant: Tenant, send: Pick<Send, 'message' | 'sender' | 'key'>) => Promise<void>
  readonly pay: (scene: Scene, tenant: Tenant) => Promise<void>
  readonly persistently: <Answer>(scene: Scene, what: string, work: Work<Answer>) => Promise<Answer | undefined>
}

const by = SYSTEM

/** The acts. */
export const moveActs = ({ send, pay, persistently }: MoveActs): Readonly<Record<MoveKind, (scene: Scene) => Promise<void>>> => {
  /** Changes the senders of a workspace, and tries again as long as messages are under way. Returns whether their ids then are as wanted. */
  const change = async (
    scene: Scene, what: string, { workspace }: SimulatedSender, work: Work<unknown>, isDone: (ids: ReadonlyArray<string>) => boolean,
  ): Promise<boolean> => {
    for (let tries = 0; tries < 8; tries += 1) {
      await persistently(scene, what, (postern, ports) => work(postern, ports).then(E.map(() => true)))
      const listed = await persistently(scene, `list the senders of ${workspace}`, (_postern, { senders }) => senders.sendersOf(workspace))
      if (listed !== undefined && isDone(listed.map(({ phoneNumberId }) => phoneNumberId))) return true
      await scene.world.sleep(scene.world.choices().time(10 * SECOND_MS, HOUR_MS))
    }
    return false
  }

  /** Sends to a customer through a sender, with and without its name. */
  const sendThrough = (scene: Scene, tenant: Tenant, { known: sender }: SimulatedSender) => (message: Message): Promise<void> => {
    const key = scene.world.choices().chance(0.5) ? (scene.world.nameOf('key').replaceAll(' ', '') as IdempotencyKey) : undefined
    return send(scene, tenant, { message, sender, key })
  }
  const textTo = (to: CustomerId): Message => ({ _tag: 'Text', to, text: 'Hello' })

  return {
    /** One customer is known by a number and a user id, another one only by a user id. */
    'move a number': async (scene) => {
      const { world, platform } = scene
      const choices = world.choices()
      const tenant = choices.one(scene.tenants)
      const sender = choices.one(tenant.senders)
      const number = `49301234567${tenant.senders.indexOf(sender)}` as PhoneNumber
      const write = (later = 0): void => {
        platform.inbound(sender, { phoneNumber: number, userId: userIdOf(sender, 1) }, { hidesNumber: choices.chance(0.3), later })
        platform.inbound(sender, { userId: userIdOf(sender, 2) }, { later })
      }
      const text = async (...to: ReadonlyArray<CustomerId>): Promise<void> => {
        await Promise.all(to.map((one) => sendThrough(scene, tenant, sender)(textTo(one))))
      }
      if (sender.isChanging) return
      sender.isChanging = true
      await pay(scene, tenant)
      platform.inbound(sender, { phoneNumber: number, userId: userIdOf(sender, 1) })
      for (let times = choices.whole(1, 2); times > 0; times -= 1) {
        const [one, two] = [userIdOf(sender, 1), userIdOf(sender, 2)]
        write()
        await world.sleep(choices.time(SECOND_MS, HOUR_MS))
        await text(number, one, two)
        // These reports are for the former id when they arrive.
        write(choices.whole(HOUR_MS, 12 * HOUR_MS))
        const last = text(number)
        await world.sleep(choices.time(SECOND_MS, MINUTE_MS))
        platform.move(sender)
        await world.sleep(choices.time(SECOND_MS, HOUR_MS))
        const replaced = { workspace: sender.workspace, sender: sender.known }
        const isReplaced = await change(
          scene, `replace ${sender.known} by ${idNow(sender)}`, sender,
          ({ workspaces }) => workspaces.replaceSender({ by, ...replaced, replacement: formOf(idNow(sender), sender.app) }),
          (ids) => ids.includes(idNow(sender)),
        )
        await last
        if (!isReplaced) return
        sender.known = idNow(sender)
        await text(number, one, two)
        await world.sleep(choices.time(MINUTE_MS, 12 * HOUR_MS))
        await text(number, one, two)
        if (choices.chance(0.7)) write()
        await world.sleep(choices.time(MINUTE_MS, 6 * HOUR_MS))
        await text(number, userIdOf(sender, 1), userIdOf(sender, 2), two)
        await world.sleep(choices.whole(HOUR_MS, DAY_MS))
      }
    },
    'remove a sender': async (scene) => {
      const { world, platform } = scene
      const choices = world.choices()
      const tenant = choices.one(scene.tenants)
      const [sender, to] = [choices.one(tenant.senders), choices.one(tenant.customers)]
      const { workspace, known } = sender
      if (sender.isChanging) return
      sender.isChanging = true
      platform.inbound(sender, { phoneNumber: to })
      await pay(scene, tenant)
      const sends = sendThrough(scene, tenant, sender)(textTo(to))
      await world.sleep(choices.time(100, MINUTE_MS))
      const isRemoved = await change(
        scene, `remove ${known}`, sender, ({ workspaces }) => workspaces.removeSender({ by, workspace, sender: known }),
        (ids) => !ids.includes(known),
      )
      if (!isRemoved) return
      await sendThrough(scene, tenant, sender)(textTo(to))
      await send(scene, tenant, { message: { _tag: 'Template', to, name: TEMPLATE, language: 'en' }, key: undefined })
      platform.inbound(sender, { phoneNumber: to })
      await world.sleep(choices.time(SECOND_MS, DAY_MS))
      await sends
      const isAdded = await change(
        scene, `add ${known}`, sender, ({ workspaces }) => workspaces.assignSender({ by, workspace, ...formOf(known, sender.app) }),
        (ids) => ids.includes(known),
      )
      sender.isChanging = !isAdded
      await sendThrough(scene, tenant, sender)(textTo(to))
    },
    'change the default sender': async (scene) => {
      const choices = scene.world.choices()
      const tenant = choices.one(scene.tenants)
      for (let times = choices.whole(1, 3); times > 0; times -= 1) {
        const sends = Array.from({ length: 3 }, async () => {
          await scene.world.sleep(choices.time(10, MINUTE_MS))
          const [to, name] = [choices.one(tenant.customers), choices.one([TEMPLATE, OFFER])]
          await send(scene, tenant, { message: { _tag: 'Template', to, name, language: 'en' }, key: undefined })
        })
        const { workspace, known: sender } = choices.one(tenant.senders)
        await persistently(scene, `make ${sender} the default`, ({ workspaces }) => workspaces.setDefaultSender({ by, workspace, sender }))
        await Promise.all(sends)
      }
    },
    'report at another app': async (scene) => {
      const { world, platform } = scene
      const choices = world.choices()
      const tenant = choices.one(scene.tenants)
      const sender = choices.one(tenant.senders)
      const stranger = `4930765432${tenant.senders.indexOf(sender)}` as PhoneNumber
      for (let times = choices.whole(1, 4); times > 0; times -= 1) {
        platform.misroute(sender, stranger)
        await world.sleep(choices.time(SECOND_MS, HOUR_MS))
        await sendThrough(scene, tenant, sender)(textTo(stranger))
      }
    },
  }
}
