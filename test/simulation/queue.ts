import * as E from 'fp-ts/lib/Either.js'
import type { CustomerId, PhoneNumber } from '../../core/customers/customer.js'
import { SYSTEM } from '../../core/kernel/actor.js'
import { parseHours } from '../../core/customers/hours.js'
import { DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { IdempotencyKey, Message, MessageId } from '../../core/messages/message.js'
import type { QueuedSender } from '../../core/messages/queue.js'
import type { Ports } from '../../core/ports.js'
import type { Postern } from '../../core/postern.js'
import type { Choices } from './choices.js'
import type { Gateway } from './gateway.js'
import { beginOfHours, hoursNear, type SimulatedHours, withHours } from './hours.js'
import { TEMPLATE } from './platform.js'
import type { PlannedAct, Scene, Tenant } from './scene.js'

/**
 * The share of histories in which messages are queued, in which they are queued while the limits of pairs and of senders are on, and in which they go to more customers than a business
 * account may reach.
 */
const QUEUES = {
  'queue messages': 0.3, 'queue under limits': 0.15, 'reach many customers': 0.15, 'queue for hours': 0.3,
} as const satisfies Readonly<Record<string, number>>

type QueueKind = keyof typeof QUEUES | 'queue before a restore'

/** When they happen. They use separate names for their choices, so a plan without them plays unchanged. */
export const queuesOf = (choices: Choices, plan: ReadonlyArray<PlannedAct>): ReadonlyArray<PlannedAct> =>
  (Object.keys(QUEUES) as ReadonlyArray<keyof typeof QUEUES>).flatMap((kind): ReadonlyArray<PlannedAct> => {
    const near = choices.chance(QUEUES[kind]) ? plan[choices.whole(0, Math.floor(plan.length / 2))] : undefined
    return near === undefined ? [] : [{ at: near.at + choices.time(10, MINUTE_MS), kind, name: kind }]
  })

/** The share of histories with a restore in which messages are queued before the backup. In these, a queue that has slept is held. */
const QUEUED_BEFORE = 0.6

/** When messages are queued before a backup that is restored. */
export const queueBefore = (choices: Choices, [backup]: ReadonlyArray<PlannedAct>): ReadonlyArray<PlannedAct> =>
  (backup === undefined || !choices.chance(QUEUED_BEFORE) ? [] : [{
    at: backup.at - choices.time(SECOND_MS, 5 * MINUTE_MS), kind: 'queue before a restore', name: 'queue before a restore',
  }])

/** The limits of pairs and of senders while they are on. They are low, so that few messages reach them. */
export const LOW_LIMITS = { pair: { intervalMs: MINUTE_MS, burst: 2 }, sender: { perSecond: 1, maxWaitMs: 2 * SECOND_MS } } as const

/** How many customers a business account may reach outside of windows while it has a limit. */
export const FEW_CUSTOMERS = 3

/** Customers who write to any workspace, and to whom none has written before. */
const MANY_CUSTOMERS = ['491511234600', '491511234610', '491511234620', '491511234630', '491511234640', '491511234650'] as
  [string, ...Array<string>] as [PhoneNumber, ...Array<PhoneNumber>]

type Time = { readonly sendAt: Instant | undefined; readonly until: Instant | undefined; readonly hours?: SimulatedHours | undefined }

/** The dependencies of these acts. */
export type QueueActs = {
  readonly pay: (scene: Scene, tenant: Tenant) => Promise<void>
  /** Asks a gateway, and records the request and the response. */
  readonly ask: <Answer>(
    scene: Scene, what: string, work: (postern: Postern, ports: Ports, gateway: Gateway) => Promise<Answer>, gateway?: Gateway,
  ) => Promise<Answer | 'lost'>
}

/** The acts. */
export const queueActs = ({ pay, ask }: QueueActs): Readonly<Record<QueueKind, (scene: Scene) => Promise<void>>> => {
  /** Queues a message, and repeats the request if it gets no answer. Returns its id, if an answer names it. */
  const queue = async (
    scene: Scene, tenant: Tenant, { message, sender, key, sendAt, until, hours }: {
      readonly message: Message; readonly sender: Tenant['senders'][number]['known'] | undefined; readonly key: IdempotencyKey | undefined
      readonly sendAt: Instant | undefined; readonly until: Instant | undefined; readonly hours?: SimulatedHours | undefined
    },
  ): Promise<MessageId | undefined> => {
    const { world, promises } = scene
    const choices = world.choices()
    const between = hours && parseHours(hours)
    const parsed = between !== undefined && E.isRight(between) ? { deliverBetween: between.right } : {}
    const presented = choices.one(tenant.keys as [Tenant['keys'][number], ...Tenant['keys']])
    for (let tries = 0; tries < 3; tries += 1) {
      const what = `queue a ${message._tag} to ${message.to} ${sendAt === undefined ? '' : `for ${new Date(sendAt).toISOString().slice(5, 19)}`}`
      const answer = await ask(scene, what, async ({ sending }, { keyStore, windowClock }) => {
        const principal = await keyStore.principalOf(presented.key, windowClock.now())
        if (E.isLeft(principal)) return principal
        const { workspace, key: id, spendingLimit } = principal.right
        return sending.sendOrQueue({
          workspace, message, key: { id, ...(spendingLimit !== undefined && { spendingLimit }) },
          ...(sender !== undefined && { sender }), ...(key !== undefined && { idempotencyKey: key }), ...(until !== undefined && { until }),
          ...(sendAt !== undefined && { sendAt }), ...parsed,
        })
      })
      if (answer !== 'lost') promises.queued.onAnswer(tenant.id, key, answer)
      if (answer !== 'lost' && E.isRight(answer)) return answer.right.id
      if (key === undefined || (answer !== 'lost' && answer.left._tag !== 'PortFailure')) return undefined
      await world.sleep(choices.time(500, MINUTE_MS))
    }
    return undefined
  }

  const cancel = async (scene: Scene, tenant: Tenant, id: MessageId): Promise<void> => {
    for (let tries = 0; tries < 3; tries += 1) {
      const answer = await ask(scene, `cancel ${id}`, ({ sending }) =>
        sending.cancel({ by: SYSTEM, workspace: tenant.id, message: { id } }))
      if (answer !== 'lost') scene.promises.queued.onCanceled(id, answer)
      if (answer !== 'lost' && (E.isRight(answer) || answer.left._tag !== 'PortFailure')) return
      await scene.world.sleep(scene.world.choices().time(500, MINUTE_MS))
    }
  }

  const pass = (scene: Scene, gateway: Gateway): Promise<void> => passOverQueue(scene, gateway, ask)

  /** Two gateways pass over the queue at the same time, a few times from a given time on. */
  const passesFrom = async (scene: Scene, at: Instant): Promise<void> => {
    const { world, gateways } = scene
    const choices = world.choices()
    await world.sleep(at - world.now())
    for (let times = choices.whole(1, 3); times > 0; times -= 1) {
      await world.sleep(choices.time(10, 20 * SECOND_MS))
      await Promise.all([pass(scene, choices.one(gateways)), pass(scene, choices.one(gateways))])
    }
  }

  /** A gateway crashes or falls asleep as soon as it has claimed a message, or before that, when it has reserved its price. */
  const disturb = async (scene: Scene): Promise<void> => {
    const { world, gateways, restoring } = scene
    const choices = world.choices()
    for (const gateway of gateways) {
      if (!choices.chance(0.6)) continue
      const after = choices.one(['messageQueue.claim', 'messageQueue.claim', 'wallet.hold', 'messageQueue.due'])
      gateway.disturbAfter(after, choices.chance(0.5) ? 'crash' : choices.whole(5 * SECOND_MS, 4 * MINUTE_MS))
    }
    await world.sleep(5 * HOUR_MS)
    if (!restoring.isUnderWay) for (const gateway of gateways) if (!gateway.isUp()) gateway.start()
  }

  const timeOf = ({ world }: Scene): Time => {
    const choices = world.choices()
    const sendAt = world.now() + {
      past: -choices.whole(0, HOUR_MS), soon: choices.time(SECOND_MS, 5 * MINUTE_MS), later: choices.whole(HOUR_MS, 30 * HOUR_MS),
    }[choices.weighted({ past: 1, soon: 4, later: 2 })]
    return { sendAt, until: choices.chance(0.3) ? Math.max(sendAt, world.now()) + choices.time(SECOND_MS, 10 * MINUTE_MS) : undefined }
  }

  const messageTo = (choices: Choices, to: CustomerId): Message => (choices.chance(0.6)
    ? { _tag: 'Template', to, name: TEMPLATE, language: 'en' } : { _tag: 'Text', to, text: `Later ${choices.whole(1, 9)}` })

  const play = async (scene: Scene, { count, customers, times }: {
    readonly count: number; readonly customers: number
    readonly times: () => Time
  }): Promise<void> => {
    const { world, platform } = scene
    const choices = world.choices()
    const tenant = choices.one(scene.tenants)
    const [sender, ...others] = [choices.one(tenant.senders), choices.one(tenant.senders)] as const
    const to = tenant.customers.slice(0, customers)
    for (const phoneNumber of to) if (choices.chance(0.7)) platform.inbound(sender, { phoneNumber })
    if (choices.chance(0.8)) await pay(scene, tenant)
    await world.sleep(choices.time(SECOND_MS, MINUTE_MS))
    if (choices.chance(0.5)) world.begin(world.nameOf('disturb'), () => disturb(scene))
    const dueAt: Array<Instant> = []
    const queued = Array.from({ length: count }, async () => {
      const [time, key] = [times(), choices.chance(0.7) ? (world.nameOf('key').replaceAll(' ', '') as IdempotencyKey) : undefined]
      const from = Math.max(time.sendAt ?? world.now(), world.now())
      const due = time.hours === undefined ? time.sendAt ?? world.now() : beginOfHours(time.hours, from)
      dueAt.push(due)
      const plain = messageTo(choices, choices.one(to as [CustomerId, ...Array<CustomerId>]))
      const message = time.hours === undefined ? plain : withHours(plain, time.hours)
      const through = choices.chance(0.5) ? choices.one([sender, ...others]).known : undefined
      const isCanceled = choices.chance(0.3)
      const cancelAt = due + choices.whole(-SECOND_MS, 4 * SECOND_MS)
      const canBeAt = choices.time(10, 20 * SECOND_MS)
      await world.sleep(canBeAt)
      const id = await queue(scene, tenant, { message, sender: through, key, ...time })
      if (id === undefined || !isCanceled) return
      await world.sleep(cancelAt - world.now())
      await cancel(scene, tenant, id)
    })
    for (const at of dueAt.toSorted((a, b) => a - b)) await passesFrom(scene, at)
    await Promise.all(queued)
    for (let times = choices.whole(1, 4); times > 0; times -= 1) {
      await passesFrom(scene, world.now() + choices.time(SECOND_MS, 5 * MINUTE_MS))
    }
  }

  return {
    'queue messages': (scene) => {
      const choices = scene.world.choices()
      return play(scene, { count: choices.whole(2, 7), customers: choices.whole(1, 3), times: () => timeOf(scene) })
    },
    'queue before a restore': async (scene) => {
      const { world } = scene
      const choices = world.choices()
      // A gateway looks at the queue from its start on, so a backup that has messages in the queue also has the time of a look.
      await scene.operator.ask(({ sending }) => sending.draining?.sendersDue(1) ?? Promise.resolve(E.right([])))
      world.begin(world.nameOf('operator'), async () => {
        for (let visits = choices.whole(20, 60); visits > 0; visits -= 1) {
          await world.sleep(choices.time(10 * MINUTE_MS, 12 * HOUR_MS))
          await lookAfterQueue(scene, choices.one(scene.gateways), ask)
        }
      })
      for (let rounds = choices.whole(1, 3); rounds > 0; rounds -= 1) {
        await play(scene, {
          count: choices.whole(3, 8), customers: choices.whole(1, 3),
          times: () => ({ sendAt: world.now() + choices.time(20 * SECOND_MS, 6 * HOUR_MS), until: undefined }),
        })
        await world.sleep(choices.time(MINUTE_MS, DAY_MS))
      }
    },
    'reach many customers': async (scene) => {
      const { world, platform, tenants } = scene
      const choices = world.choices()
      for (const tenant of tenants) await pay(scene, tenant)
      if (choices.chance(0.5)) world.begin(world.nameOf('disturb'), () => disturb(scene))
      for (let rounds = choices.whole(2, 4); rounds > 0; rounds -= 1) {
        if (choices.chance(0.3)) platform.inbound(choices.one(choices.one(tenants).senders), { phoneNumber: choices.one(MANY_CUSTOMERS) })
        const sends = Array.from({ length: choices.whole(3, 8) }, async () => {
          const tenant = choices.one(tenants)
          const message: Message = { _tag: 'Template', to: choices.one(MANY_CUSTOMERS), name: TEMPLATE, language: 'en' }
          const key = choices.chance(0.7) ? (world.nameOf('key').replaceAll(' ', '') as IdempotencyKey) : undefined
          const sender = choices.chance(0.5) ? choices.one(tenant.senders).known : undefined
          const [after, lasts] = [choices.time(10, MINUTE_MS), choices.chance(0.6) ? choices.whole(HOUR_MS, 60 * HOUR_MS) : undefined]
          await world.sleep(after)
          await queue(scene, tenant, { message, sender, key, sendAt: undefined, until: lasts && world.now() + lasts })
        })
        await passesFrom(scene, world.now() + choices.time(SECOND_MS, 5 * MINUTE_MS))
        await Promise.all(sends)
        await passesFrom(scene, world.now() + choices.whole(HOUR_MS, 30 * HOUR_MS))
      }
    },
    'queue for hours': (scene) => {
      const { world } = scene
      const choices = world.choices()
      return play(scene, {
        count: choices.whole(2, 6), customers: choices.whole(1, 3),
        times: () => {
          const sendAt = choices.chance(0.4) ? world.now() + choices.whole(-HOUR_MS, 5 * HOUR_MS) : undefined
          const hours = choices.chance(0.85) ? hoursNear(choices, Math.max(sendAt ?? 0, world.now())) : undefined
          return { sendAt: hours === undefined ? sendAt ?? world.now() : sendAt, until: undefined, hours }
        },
      })
    },
    'queue under limits': (scene) => {
      const { world } = scene
      const choices = world.choices()
      const sendAt = world.now() + choices.time(10 * SECOND_MS, 5 * MINUTE_MS)
      return play(scene, {
        count: choices.whole(5, 9), customers: choices.whole(1, 3),
        // Some may go at once, and wait for the limit until a time.
        times: () => (choices.chance(0.4)
          ? { sendAt: undefined, until: Math.max(sendAt, world.now() + 20 * SECOND_MS) + choices.time(SECOND_MS, HOUR_MS) }
          : { sendAt: sendAt + choices.one([0, 0, 1, choices.whole(0, MINUTE_MS)]), until: undefined }),
      })
    },
  }
}

/** A gateway passes over the queue. If it is held then, an operator cancels what the platform has, and resumes it, and the gateway passes over it again. */
export const lookAfterQueue = async (scene: Scene, gateway: Gateway, ask: QueueActs['ask']): Promise<void> => {
  await passOverQueue(scene, gateway, ask)
  if (!scene.promises.queued.isHeld() || scene.restoring.isUnderWay) return
  await resumeQueue(scene)
  await passOverQueue(scene, gateway, ask)
}

const resumeQueue = async ({ world, operator, promises: { queued } }: Scene): Promise<void> => {
  for (const { workspace, id } of queued.leftBefore()) {
    world.reach('queue: canceled after a restore, because it has left')
    const answer = await operator.ask(({ sending }) => sending.cancel({ by: SYSTEM, workspace, message: { id } }))
    world.note('operator', () => `cancels ${id}`)
    if (answer !== 'lost') queued.onCanceled(id, answer, true)
  }
  world.note('operator', () => 'resumes the queue')
  await operator.ask(async ({ queue }) => queue?.resumeQueue({ by: SYSTEM, workspace: undefined }))
}

/** How long a turn of a sender is held, and how often it is renewed, in milliseconds. */
const TURN_MS = 15 * SECOND_MS
const RENEWED_EACH_MS = 5 * SECOND_MS

/** Takes the turn of a sender, if no gateway has it. */
const takeTurn = (
  scene: Scene, { workspace, sender }: QueuedSender, gateway: Gateway,
): { readonly isHeld: () => boolean; readonly end: () => void } | undefined => {
  const { world, turns } = scene
  const [key, life] = [`${workspace} ${sender}`, gateway.life()]
  const hold = (): void => { turns.set(key, { gateway, life, until: world.now() + TURN_MS }) }
  const isHeld = (): boolean => {
    const turn = turns.get(key)
    return turn?.gateway === gateway && turn.life === life && turn.until > world.now()
  }
  if ((turns.get(key)?.until ?? 0) > world.now()) return undefined
  hold()
  world.begin(world.nameOf('renew'), async () => {
    for (;;) {
      await world.sleep(RENEWED_EACH_MS)
      await gateway.awake()
      if (!isHeld() || gateway.life() !== life) return
      hold()
    }
  })
  return { isHeld, end: () => { if (isHeld()) turns.delete(key) } }
}

/** One pass of a gateway over the queue: in turns of the senders, as the gateways' own loop does it, or over all of them, as an app without leases does. */
export const passOverQueue = async (scene: Scene, gateway: Gateway, ask: QueueActs['ask']): Promise<void> => {
  const { world, promises: { queued } } = scene
  const begun = () => ({ gateway, tick: world.tick(), at: gateway.now(), life: gateway.life() })
  if (world.choices().chance(0.4)) {
    await ask(
      scene, 'send what is due', ({ sending }) => queued.during(begun(), async () => sending.drainQueue?.() ?? E.right(undefined)), gateway,
    )
    return
  }
  await ask(scene, 'send what is due in turns', async ({ sending: { draining } }) => {
    const due = await draining?.sendersDue(100)
    if (draining === undefined || due === undefined || E.isLeft(due)) return due ?? E.right(undefined)
    await Promise.all(due.right.map(async (of) => {
      const turn = takeTurn(scene, of, gateway)
      if (turn === undefined) return
      await queued.during({ ...begun(), isHeld: turn.isHeld }, () =>
        draining.drainSender(of, { isHeld: turn.isHeld, hasEnded: () => !turn.isHeld() }))
      turn.end()
    }))
    return E.right(undefined)
  }, gateway)
}
