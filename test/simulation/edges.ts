import type { CustomerId } from '../../core/customers/customer.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { IdempotencyKey, Message } from '../../core/messages/message.js'
import type { Choices } from './choices.js'
import type { PlannedAct, Scene, Send, Tenant } from './scene.js'
import { OFFER, TEMPLATE } from './platform.js'

/** Acts that bring a history to an edge of a sending rule, and how often each. A history has one of them. */
const EDGES = {
  'answer when the window ends': 3, 'spend around midnight': 2, 'stop marketing': 2, 'slow the storage down': 2,
  'refuse the credentials': 2,
} as const satisfies Readonly<Record<string, number>>

/** When a history reaches an edge. The acts use separate names for their choices, so a plan without them plays unchanged. */
export const edgesOf = (choices: Choices, plan: ReadonlyArray<PlannedAct>): ReadonlyArray<PlannedAct> => {
  const near = plan[choices.whole(0, Math.floor(plan.length / 2))]
  return near === undefined ? [] : [{ at: near.at + choices.time(10, MINUTE_MS), kind: choices.weighted(EDGES), name: 'edge' }]
}

/** Sends, and retries up to `tries` times without a response. */
type SendAndRepeat = (scene: Scene, send: Send, tries: number) => Promise<void>

/** The acts at the edges. */
export const edgeActs = (sendAndRepeat: SendAndRepeat): Readonly<Record<keyof typeof EDGES, (scene: Scene) => Promise<void>>> => ({
  'answer when the window ends': async (scene) => {
    const { world, platform } = scene
    const choices = world.choices()
    const { tenant, to } = someone(scene)
    const sender = choices.one(tenant.senders)
    platform.inbound(sender, { phoneNumber: to })
    const closesAt = Math.max(...platform.writtenAt(sender, to)) + DAY_MS
    await Promise.all(Array.from({ length: 4 }, async (_, number) => {
      const through = choices.one(scene.gateways)
      // By the clock of the gateway: just before the end, around it, or in the minute after it, while the call is in transit.
      const [earliest, latest] = [[-40, 0], [-300, 0], [-2 * SECOND_MS, 2 * SECOND_MS], [0, MINUTE_MS]][number] as [number, number]
      const at = closesAt + choices.whole(earliest, latest) - (through.now() - world.now())
      await world.sleep(at - world.now())
      await sendAndRepeat(
        scene,
        {
          tenant, message: { _tag: 'Text', to, text: 'Are you still there?' }, sender: sender.known, key: undefined,
          presented: tenant.keys[0], through,
        }, 1,
      )
    }))
  },
  'spend around midnight': async (scene) => {
    const { world } = scene
    const choices = world.choices()
    const { tenant, to } = someone(scene)
    await sendAll(10, async () => {
      const midnight = (Math.floor(world.now() / DAY_MS) + 1) * DAY_MS
      await world.sleep(
        midnight - world.now() + (choices.chance(0.5) ? choices.whole(-5 * SECOND_MS, 5 * SECOND_MS) : choices.whole(-HOUR_MS, HOUR_MS)),
      )
      await sendAndRepeat(
        scene, { tenant, message: template(to, choices.chance(0.7) ? TEMPLATE : OFFER), key: someKey(scene), presented: tenant.keys[1] }, 2,
      )
    })
  },
  'stop marketing': async (scene) => {
    const { world, platform } = scene
    const choices = world.choices()
    const { tenant, to } = someone(scene)
    let stopped = true
    for (let times = choices.whole(1, 4); times > 0; times -= 1) {
      const offers = sendAll(choices.whole(1, 3), async () => {
        await world.sleep(choices.time(10, 10 * SECOND_MS))
        const sender = choices.chance(0.7) ? choices.one(tenant.senders).known : undefined
        await sendAndRepeat(scene, { tenant, message: template(to, OFFER), sender, key: someKey(scene), presented: tenant.keys[0] }, 2)
      })
      await world.sleep(choices.time(10, 5 * SECOND_MS))
      platform.choose(choices.one(tenant.senders), to, stopped)
      stopped = !stopped
      await offers
      await world.sleep(choices.time(500, HOUR_MS))
    }
    const sender = choices.one(tenant.senders).known
    await sendAndRepeat(scene, { tenant, message: template(to, OFFER), sender, key: someKey(scene), presented: tenant.keys[0] }, 2)
  },
  'slow the storage down': async (scene) => {
    const { world } = scene
    const choices = world.choices()
    const { tenant, to } = someone(scene)
    const through = choices.one(scene.gateways)
    through.slowDown(choices.whole(SECOND_MS, 4 * SECOND_MS))
    await sendAll(3, async () => {
      await world.sleep(choices.time(10, 10 * SECOND_MS))
      await sendAndRepeat(scene, { tenant, message: template(to, TEMPLATE), key: someKey(scene), presented: tenant.keys[0], through }, 2)
    })
    await world.sleep(MINUTE_MS)
    through.slowDown(0)
  },
  'refuse the credentials': async (scene) => {
    const { world, platform } = scene
    const choices = world.choices()
    const { tenant, to } = someone(scene)
    const sender = choices.one(tenant.senders)
    for (const isRefused of [true, false]) {
      platform.refuseCredentials(sender, isRefused)
      await sendAll(3, async () => {
        await world.sleep(choices.time(10, MINUTE_MS))
        await sendAndRepeat(
          scene, { tenant, message: template(to, TEMPLATE), sender: sender.known, key: someKey(scene), presented: tenant.keys[0] }, 2,
        )
      })
      await world.sleep(choices.time(SECOND_MS, HOUR_MS))
    }
  },
})

const someone = ({ world, tenants }: Scene): { readonly tenant: Tenant; readonly to: Tenant['customers'][number] & CustomerId } => {
  const tenant = world.choices().one(tenants)
  return { tenant, to: world.choices().one(tenant.customers) }
}

const template = (to: CustomerId, name: string): Message => ({ _tag: 'Template', to, name, language: 'en' })

const someKey = ({ world }: Scene): IdempotencyKey | undefined =>
  world.choices().chance(0.5) ? (world.nameOf('key').replaceAll(' ', '') as IdempotencyKey) : undefined

const sendAll = async (count: number, send: () => Promise<void>): Promise<void> => {
  await Promise.all(Array.from({ length: count }, send))
}
