import { AsyncLocalStorage } from 'node:async_hooks'
import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { Draft } from '../../core/messages/message-log.js'
import type { Message, MessageId, QueuePlace } from '../../core/messages/message.js'
import type { MessageQueue, Postponed } from '../../core/messages/queue.js'
import type { Sender, SenderId, SenderOf } from '../../core/senders/sender.js'
import type { Outbound } from '../../core/sending/dispatch.js'
import { type BackUp, refill } from './backup.js'
import type { Batched } from './batched.js'
import type { Pass } from './pass.js'
import type { Gateway, StorageCall } from './gateway.js'
import { makeHeld } from './held.js'
import { areHours, hoursIn } from './hours.js'
import { makePortfolioPromises, type PortfolioParts } from './portfolios.js'
import type { Known } from './states.js'
import type { World } from './world.js'

/** A queued message as the simulation knows it, apart from the storage. */
type Queued = {
  readonly workspace: WorkspaceId
  readonly id: MessageId
  readonly sender: SenderId | undefined
  readonly message: Message
  readonly dueAt: Instant
  readonly endsAt: Instant
  readonly key: string | undefined
  /** When it was queued: the lower number came first. */
  readonly tick: number
  readonly claim?: { readonly gateway: string; readonly life: number; readonly at: Instant; readonly tick: number }
  readonly isCanceled?: true
  /** It waits for its batch, too, and gives way to other messages. */
  readonly isBatch: boolean
  /** The sender for which it was queued, if it has moved since. */
  readonly movedFrom?: SenderId | undefined
}

/** The low limits of a history that has them. */
export type Limits = {
  /** Absent if pairs have no limit. */
  readonly pair?: { readonly intervalMs: number; readonly burst: number }
  /** Absent if senders have no limit. */
  readonly sender?: { readonly perSecond: number; readonly maxWaitMs: number }
  /** How many customers a business account may reach outside of windows in 24 hours; absent if it has no limit. */
  readonly customers?: number
}

/** The promises about queued messages, and about the limits of pairs and of senders; they share no rule with the core. */
export type QueuedPromises = {
  /** Performs a pass. */
  readonly during: <Answer>(pass: Pass, work: () => Promise<Answer>) => Promise<Answer>
  readonly onOpened: (draft: Draft) => void
  /** A call has had its effect. */
  readonly onDone: (call: StorageCall, answer: unknown) => Promise<void>
  /** A gateway starts to send a message. */
  readonly onLeaving: (outbound: Outbound, gateway: Gateway) => void
  /** An application has received the answer to a request that queues a message. */
  readonly onAnswer: (
    workspace: WorkspaceId, key: string | undefined,
    answer: E.Either<{ readonly _tag: string }, { readonly id: MessageId; readonly _tag?: string }>,
  ) => void
  /** An application has received the answer to a cancellation. `hasLeft`: an operator cancels it after a restore, because it had left before. */
  readonly onCanceled: (id: MessageId, answer: E.Either<{ readonly _tag: string }, unknown>, hasLeft?: boolean) => void
  /** The sender for which a message was queued, if it has moved since: its free message was counted for that one. */
  readonly movedFrom: (id: MessageId) => SenderId | undefined
  /** Whether messages wait. */
  readonly areWaiting: () => boolean
  /** Whether a person or a sleep holds the queue. */
  readonly isHeld: () => boolean
  /** What waits although it has left: the storage was restored since. */
  readonly leftBefore: () => ReadonlyArray<{ readonly workspace: WorkspaceId; readonly id: MessageId }>
  /** Whether an operator has canceled a message after a restore, because it had left before. */
  readonly isWithdrawn: (id: MessageId) => boolean
  readonly atTheEnd: () => Promise<void>
  readonly backUp: BackUp
}

/** The parts that the checker observes. */
export type QueuedParts = {
  readonly world: World
  /** The queue as the gateways have it. */
  readonly queue: () => Pick<MessageQueue, 'due'>
  readonly known: ReadonlyMap<MessageId, Known>
  readonly limits: Limits | undefined
  readonly taken: PortfolioParts['taken']
  readonly batched: Pick<Batched, 'onLeaving'>
  /** A message has moved to another sender after it was queued for a former id. */
  readonly onMoved: (message: MessageId, to: SenderId) => void
  readonly isAtOnce: boolean
  /** The time at which a workspace was archived, if it was: the lower number came first. */
  readonly archivedAt: (workspace: WorkspaceId) => number | undefined
  /** When a customer last wrote to a sender, under any id. */
  readonly lastWritten: (sender: SenderId, to: string) => Instant | undefined
  readonly check: (isKept: boolean, promise: string, seen: () => string) => void
}

/** Written again here: how long after its claim a message may leave, the customer service window, and by how much clocks differ. */
const LEAVES_WITHIN_MS = 20 * SECOND_MS
const WINDOW_MS = 24 * HOUR_MS
const CLOCKS_DIFFER_BY_MS = 4 * SECOND_MS

/** Makes the checker. */
export const makeQueued = (
  { world, queue, known, limits, taken, batched, onMoved, isAtOnce, archivedAt, lastWritten, check }: QueuedParts,
): QueuedPromises => {
  const portfolios = makePortfolioPromises({ world, limit: limits?.customers, taken, isAtOnce, lastWritten, check })
  const passes = new AsyncLocalStorage<Pass>()
  const [queued, left, answers] = [new Map<MessageId, Queued>(), new Map<MessageId, Instant>(), new Map<string, MessageId>()]
  /** By sender, the slots that were given, and how many messages have left; by pair, when its messages left. */
  const [slots, leaves] = [new Map<string, ReadonlyArray<number>>(), new Map<string, number>()]
  const pairs = new Map<string, ReadonlyArray<Instant>>()

  const [postponed, held] = [new Set<MessageId>(), makeHeld(world)]

  const isWaiting = ({ id }: Queued): boolean => known.get(id)?.state === 'queued'

  /** The queue has a place and content for exactly the messages that are queued. */
  const checkContents = async ({ workspace, sender }: Pick<Queued, 'workspace' | 'sender'>): Promise<void> => {
    const all = { workspace, sender: sender ?? '', at: Number.MAX_SAFE_INTEGER, limit: 100_000 }
    const found = E.sequenceArray([await queue().due(all), await queue().due({ ...all, isBatch: true })])
    if (E.isLeft(found)) return
    const contents = found.right.flat()
    const ids = new Set(contents.map(({ record: { id } }) => id))
    for (const one of queued.values()) {
      if (one.workspace !== workspace || one.sender !== sender) continue
      check(isWaiting(one) || !ids.has(one.id), 'no content is left of what is no longer queued', () => `${one.id} is ${known.get(one.id)?.state}`)
      check(!isWaiting(one) || ids.has(one.id), 'what is queued has its content', () => one.id)
    }
    for (const { record: { id }, message } of contents) {
      const one = queued.get(id)
      if (one === undefined) continue
      check(JSON.stringify(message) === JSON.stringify(one.message), 'what is queued keeps its content', () => id)
    }
  }

  /** Messages are queued to numbers only, so all of them move with their sender. */
  const move = ({ workspace, sender }: SenderOf, to: SenderId): void => {
    for (const one of queued.values()) {
      if (one.workspace !== workspace || one.sender !== sender || !isWaiting(one)) continue
      world.reach('queue: a message moves with its sender')
      queued.set(one.id, { ...one, sender: to, movedFrom: one.movedFrom ?? sender })
    }
  }

  const successors = new Map<string, SenderId>()

  /** What was queued for a former id after its number had moved has its present id now, if the call had its effect. */
  const moveLate = async ({ workspace, sender }: SenderOf): Promise<void> => {
    const to = successors.get(`${workspace} ${sender}`)
    if (to === undefined) return
    const all = { workspace, sender: to, at: Number.MAX_SAFE_INTEGER, limit: 100_000 }
    const found = E.sequenceArray([await queue().due(all), await queue().due({ ...all, isBatch: true })])
    for (const { record: { id } } of E.isRight(found) ? found.right.flat() : []) {
      const one = queued.get(id)
      if (one === undefined || one.sender !== sender) continue
      world.reach('queue: a message moves late with its sender')
      queued.set(id, { ...one, sender: to, movedFrom: one.movedFrom ?? sender })
      onMoved(id, to)
    }
  }

  const onClaimed = (call: StorageCall, id: MessageId, at: Instant): void => {
    const one = queued.get(id)
    if (one === undefined || one.claim !== undefined || isWaiting(one)) return
    queued.set(id, { ...one, claim: { gateway: call.gateway, life: call.life, at, tick: world.tick() } })
  }

  const onSlot = (sender: string, slot: number): void => {
    if (limits?.sender === undefined) return
    const before = slots.get(sender) ?? []
    const least = 1_000_000 / limits.sender.perSecond
    const near = before.find((other) => Math.abs(other - slot) < least)
    check(near === undefined, 'the slots of a sender are disjoint', () => `${sender} has the slots ${near} and ${slot}`)
    slots.set(sender, [...before, slot])
  }

  const checkLimits = ({ id, sender: { phoneNumberId: sender }, message: { to } }: Outbound): void => {
    if (limits === undefined) return
    const count = (leaves.get(sender) ?? 0) + 1
    leaves.set(sender, count)
    const begun = (slots.get(sender) ?? []).filter((slot) => slot <= world.now() * 1_000).length
    check(
      limits.sender === undefined || count <= begun, 'no more messages leave than the sender has slots',
      () => `${id} is number ${count} of ${sender}, which has had ${begun} slots`,
    )
    const { pair: limit } = limits
    if (limit === undefined) return
    const pair = `${sender} ${to}`
    const times = [...pairs.get(pair) ?? [], world.now()]
    pairs.set(pair, times)
    for (const [index, from] of times.entries()) {
      const period = world.now() - from + LEAVES_WITHIN_MS + CLOCKS_DIFFER_BY_MS
      const most = limit.burst + Math.floor(period / limit.intervalMs)
      check(times.length - index <= most, 'a pair keeps its limit', () => `${id} is number ${times.length - index} of ${pair} in ${world.now() - from} ms`)
    }
  }

  /**
   * Whether a message to the same customer through the same sender comes before another one. A gateway that takes over a sender does not know the order of the messages
   * that the limit of a customer postponed.
   */
  const isBefore = (a: Queued, b: Queued): boolean =>
    !postponed.has(a.id) && !a.isBatch && !b.isBatch
    && a.workspace === b.workspace && a.sender === b.sender && a.message.to === b.message.to
    && (a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.id < b.id))

  /** What is queued for the hours of its customer is due when they begin. A limit may queue it for another time. */
  const checkHours = (message: Message, { dueAt, endsAt }: QueuePlace, at: Instant): void => {
    const hours = hoursIn(message)
    if (hours === undefined || limits !== undefined || dueAt === endsAt) return
    world.reach('hours: a message waits for them')
    check(areHours(hours, dueAt), 'a message is due in its hours', () => `${new Date(dueAt).toISOString()} is not in ${JSON.stringify(hours)}`)
    check(
      dueAt <= at || dueAt % MINUTE_MS !== 0 || !areHours(hours, dueAt - 1), 'a message is due as soon as its hours begin',
      () => JSON.stringify(hours),
    )
  }

  /** The hours are checked before the message waits for its slot, and it leaves soon after that. */
  const checkInHours = ({ id, message }: Outbound, gateway: Gateway): void => {
    const hours = hoursIn(message)
    if (hours === undefined) return
    world.reach(queued.has(id) ? 'hours: a message leaves in them after it was queued' : 'hours: a message leaves in them immediately')
    const checkedAt = passes.getStore()?.at ?? gateway.now() - LEAVES_WITHIN_MS
    check(
      areHours(hours, gateway.now()) || areHours(hours, checkedAt), 'a message leaves in the hours of its customer',
      () => `${id} leaves at ${new Date(gateway.now()).toISOString()}, and its hours are ${JSON.stringify(hours)}`,
    )
  }

  const onLeaving: QueuedPromises['onLeaving'] = (outbound, gateway) => {
    const { id } = outbound
    checkLimits(outbound)
    checkInHours(outbound, gateway)
    portfolios.onLeaving(outbound)
    const one = queued.get(id)
    if (one === undefined) return
    const [pass, { claim }] = [passes.getStore(), one]
    batched.onLeaving(outbound, gateway, pass, claim?.tick)
    check(claim !== undefined, 'a queued message leaves only after its claim', () => `${id} is ${known.get(id)?.state}`)
    const heldSince = held.since()
    check(
      heldSince === undefined || (claim?.tick ?? 0) <= heldSince, 'a queue that is held sends nothing',
      () => `${id} leaves although the queue is held since ${heldSince}`,
    )
    check(one.isCanceled !== true, 'a canceled message never leaves', () => id)
    check(!left.has(id), 'a queued message leaves once', () => id)
    check(gateway.now() >= one.dueAt, 'no queued message leaves before its time', () => `${id} leaves ${one.dueAt - gateway.now()} ms early`)
    check(gateway.now() < one.endsAt, 'an expired message never leaves', () => `${id} leaves ${gateway.now() - one.endsAt} ms late`)
    left.set(id, world.now())
    if (one.movedFrom !== undefined) world.reach('queue: a message leaves through the new sender')
    if (claim === undefined) return
    check(
      claim.gateway === gateway.name && claim.life === gateway.life(), 'a queued message leaves through the gateway that claimed it',
      () => `${id} was claimed by ${claim.gateway}, and leaves through ${gateway.name}`,
    )
    check(
      world.now() - claim.at < LEAVES_WITHIN_MS, 'a queued message leaves soon after its claim',
      () => `${id} leaves after ${world.now() - claim.at} ms`,
    )
    if (pass === undefined) return
    check(pass.isHeld?.() !== false, 'a queued message leaves only in a turn of its sender', () => `${id} leaves through ${gateway.name}`)
    const archived = archivedAt(one.workspace)
    check(archived === undefined || archived > pass.tick, 'an archived workspace sends nothing of its queue', () => one.workspace)
    const earlier = [...queued.values()].find((other) => isBefore(other, one) && isWaiting(other) && other.tick < pass.tick)
    check(earlier === undefined, 'the messages to a customer leave in their order', () => `${id} leaves before ${earlier?.id}`)
    if (one.message._tag === 'Template') return
    const last = lastWritten(outbound.sender.phoneNumberId, one.message.to)
    check(last !== undefined && last + WINDOW_MS > pass.at, 'a queued text leaves only in an open window', () => `${id}: ${one.message.to} wrote at ${last}`)
  }

  return {
    during: (pass, work) => passes.run(pass, work),
    onOpened: ({ id, workspace, sender, message, queue: place, claim, at }) => {
      if (place === undefined || queued.has(id)) return
      world.reach('queue: a message is queued')
      checkHours(message, place, at)
      queued.set(id, {
        workspace, id, sender, message, dueAt: place.dueAt, endsAt: place.endsAt, key: claim?.key, tick: world.tick(),
        isBatch: place.isBatch === true,
      })
    },
    onDone: async (call, answer) => {
      const { port, method, args: [first, second] } = call
      portfolios.onDone(call, answer)
      held.onDone(call, answer, [...queued.values()].some(isWaiting))
      if (port === 'senders' && method === 'replace' && E.isRight(answer as E.Either<unknown, void>)) {
        const [{ workspace, sender }, { phoneNumberId: to }] = [first as SenderOf, second as Sender]
        move({ workspace, sender }, to)
        for (const [key, one] of successors) if (one === sender && key.startsWith(`${workspace} `)) successors.set(key, to)
        successors.set(`${workspace} ${sender}`, to)
      }
      if (port === 'senders' && method === 'moveLate') await moveLate(first as SenderOf)
      const slot = slotOf(call, answer)
      if (slot !== undefined) onSlot(slot.sender, slot.slot)
      if (port === 'messageQueue' && method === 'postpone') {
        world.reach('queue: a limit postpones messages')
        for (const { message } of first as ReadonlyArray<Postponed>) {
          postponed.add(message)
          const one = queued.get(message)
          if (one !== undefined && hoursIn(one.message) !== undefined) world.reach('hours: they are over, and a message waits again')
        }
      }
      const id = port === 'messageQueue' && method === 'claim' ? (first as { readonly message: MessageId }).message
        : port === 'messageLog' && method === 'apply' ? (second as MessageId) : undefined
      const one = id && queued.get(id)
      if (id === undefined || one === undefined) return
      if (method === 'claim') {
        if (E.isRight(answer as E.Either<unknown, boolean>) && (answer as E.Right<boolean>).right) onClaimed(call, id, world.now())
        else world.reach('queue: a claim comes too late')
      }
      await checkContents(one)
    },
    onLeaving,
    onAnswer: (workspace, key, answer) => {
      world.reach(`queue: ${E.isRight(answer) ? 'answered' : answer.left._tag}`)
      if (E.isLeft(answer)) return
      const { id } = answer.right
      if (answer.right._tag !== 'Queued') return
      const one = queued.get(id)
      check(one !== undefined && one.workspace === workspace, 'what is answered as queued is durable', () => id)
      if (key === undefined) return
      const before = answers.get(`${workspace} ${key}`)
      check(before === undefined || before === id, 'a key queues one message', () => `${key} queued ${before} and ${id}`)
      answers.set(`${workspace} ${key}`, id)
    },
    onCanceled: (id, answer, hasLeft = false) => {
      world.reach(`queue: cancel: ${E.isRight(answer) ? 'canceled' : answer.left._tag}`)
      const one = queued.get(id)
      if (one === undefined) return
      if (E.isRight(answer)) {
        check(hasLeft || !left.has(id), 'what is answered as canceled was not sent', () => id)
        queued.set(id, { ...one, isCanceled: true })
      } else if (answer.left._tag === 'AlreadySent') check(!isWaiting(one), 'what waits can be canceled', () => id)
    },
    movedFrom: (id) => queued.get(id)?.movedFrom,
    areWaiting: () => [...queued.values()].some(isWaiting),
    isHeld: () => held.since() !== undefined,
    isWithdrawn: (id) => queued.get(id)?.isCanceled === true && left.has(id),
    leftBefore: () => [...queued.values()].filter((one) => isWaiting(one) && left.has(one.id)),
    atTheEnd: async () => {
      for (const one of queued.values()) {
        await checkContents(one)
        check(
          !isWaiting(one) || one.dueAt > world.now(), 'a queued message is sent or ended in the end',
          () => `${one.id} waits since ${one.dueAt}`,
        )
        world.reach(`queue: ends ${known.get(one.id)?.state}${left.has(one.id) ? '' : ', never sent'}`)
      }
    },
    backUp: () => {
      const [copy, answersCopy, putHeldBack] = [new Map(queued), new Map(answers), held.backUp()]
      return () => {
        refill(queued, copy)
        refill(answers, answersCopy)
        putHeldBack()
        for (const map of [slots, leaves, pairs]) map.clear()
      }
    },
  }
}

/** The slot of a sender that a call has given, if the call shows it. */
const slotOf = ({ port, method, args }: StorageCall, answer: unknown): { readonly sender: string; readonly slot: number } | undefined => {
  const given = (answer as E.Either<unknown, { readonly slot?: number | { readonly slot: number } } | undefined>)
  const isTaking = ['senderBudget.take', 'messageMoney.reserve'].includes(`${port}.${method}`)
  if (!isTaking || E.isLeft(given) || given.right?.slot === undefined) return undefined
  const { slot } = given.right
  return typeof slot === 'number'
    ? { sender: (args[0] as { readonly sender: string }).sender, slot }
    : { sender: String((args[0] as Draft).sender), slot: slot.slot }
}
