import * as E from 'fp-ts/lib/Either.js'
import { recordKeyOf } from '../customers/customer.js'
import type { PortFailure } from '../kernel/failure.js'
import { HOUR_MS, type Instant, SECOND_MS } from '../kernel/time.js'
import type { MessageId } from '../messages/message.js'
import type { MessageQueue, Postponed, QueuedMessage, QueuedSender, QueuePosition } from '../messages/queue.js'

/** The turn of a sender: for as long as it lasts, this process sends what the sender has queued. */
export type Turn = {
  /** Whether the turn should end. No further message is begun then; those that were begun are finished. */
  readonly hasEnded: () => boolean
  /** Whether this process still has the sender's lease, by a clock that never stands still. It is asked immediately before each write to the platform. */
  readonly isHeld: () => boolean
}

/**
 * How many messages a turn sent, how many it refused, how many the limits of their customers postponed, how many it left for a later turn because something failed, and whether more may
 * be due now.
 */
export type Drained = {
  readonly sent: number
  readonly refused: number
  readonly postponed: number
  readonly left: number
  readonly isMoreDue: boolean
}

/**
 * What was done with a message. `left`: something failed. `gone`: it was canceled, claimed elsewhere, or moved to another sender. `waits`: the turn ended before the sender had a slot. `Limited`: the limit of
 * its customer is reached until `retryAt`, and then lets one message pass in each interval. `Closed`: its hours begin at `opensAt`; other messages to the customer need not wait for that.
 */
export type Step = 'sent' | 'refused' | 'gone' | 'left' | 'waits' | Limited | Closed

export type Closed = { readonly opensAt: Instant }

export type Limited = { readonly retryAt: Instant; readonly intervalMs: number }

/** Sends one message. */
export type SendQueued = (queued: QueuedMessage, turn: Turn) => Promise<Step>

/** What turns need. */
export type TurnDeps = {
  readonly messageQueue: Pick<MessageQueue, 'due' | 'postpone'>
  readonly now: () => Instant
  readonly send: SendQueued
  /** How many messages of the sender may be under way at the same time. */
  readonly widthOf: (of: QueuedSender) => Promise<number>
}

/** Sends what a sender has queued until nothing is due or its turn ends. Left: the queue could not be read. */
export type DrainSender = (of: QueuedSender, turn: Turn) => Promise<E.Either<PortFailure, Drained>>

/** How many messages are read in one piece, and how many of one customer are begun in advance. */
const PAGE = 100
const PER_CUSTOMER = 10

/**
 * How long a turn reads on from where the last one stopped until it looks from the beginning again, in milliseconds. A look takes the longer, the more messages have just left the queue, so
 * looks take at most one part in `LOOK_SHARE` of the time.
 */
const LOOK_EVERY_MS = 2 * SECOND_MS
const LOOK_SHARE = 20

/** The maximum number of senders that are remembered, and of the postponed messages of each. */
const MAX_SENDERS = 1_024
const MAX_POSTPONED = 100_000

/** Where a page begins: the position after which each of the two lists is read. */
type Cursor = { readonly own?: QueuePosition | undefined; readonly batch?: QueuePosition | undefined }

/** A customer at the limit: the messages that were postponed, the time of the last of them, and the interval. */
type Waiting = {
  readonly ids: Set<MessageId>; last: Instant; readonly intervalMs: number
  /** The first position that one of them had, if another gateway has postponed them. Messages before it do not follow them. */
  readonly first?: QueuePosition
}

/** The last look from the beginning: how long its pages took to read, and whether it has not reached the end yet. */
type Look = { readonly beganAt: Instant; readonly ms: number; readonly isDeep: boolean }

/**
 * What is remembered of a sender between its turns. It saves work and keeps the order of postponed messages. A gateway that takes the sender over finds the postponed messages of the next hour again.
 */
type Memory = { cursor: Cursor; look: Look; readonly waiting: Map<string, Waiting>; postponed: number; isNew: boolean }

/** How far ahead a gateway that takes a sender over looks for postponed messages, and how many messages it reads at most. */
const RECOVERED_MS = HOUR_MS
const MAX_RECOVERED = 1_000

/**
 * Makes the turns of senders.
 *
 * The messages of a sender are begun in their order, up to a number at the same time. Those to one customer are sent one after the other, and none overtakes one that was left or
 * postponed. A customer with many messages does not hold up the others: only some of them are begun in advance, and the rest is read again.
 */
export const makeDrainSender = (deps: TurnDeps): DrainSender => {
  const memories = new Map<string, Memory>()
  const memoryOf = ({ workspace, sender }: QueuedSender): Memory => {
    const key = `${workspace} ${sender}`
    const memory = memories.get(key) ?? {
      cursor: {}, look: { beganAt: -Infinity, ms: 0, isDeep: false }, waiting: new Map<string, Waiting>(), postponed: 0, isNew: true,
    }
    memories.delete(key)
    const [oldest] = memories.keys()
    if (memories.size >= MAX_SENDERS && oldest !== undefined) memories.delete(oldest)
    memories.set(key, memory)
    return memory
  }
  return async (of, turn) => drain({ ...deps, of, turn, memory: memoryOf(of), width: await deps.widthOf(of) })
}

type RunDeps = TurnDeps & { readonly of: QueuedSender; readonly turn: Turn; readonly memory: Memory; readonly width: number }

const drain = async (deps: RunDeps): Promise<E.Either<PortFailure, Drained>> => {
  const { memory, now } = deps
  if (memory.isNew) {
    const recovered = await recover(deps)
    if (E.isLeft(recovered)) return recovered
    memory.isNew = false
  }
  const run = makeRun(deps)
  for (;;) {
    if (isLookDue(memory.look, now())) {
      memory.cursor = {}
      memory.look = { beganAt: now(), ms: 0, isDeep: true }
    }
    const readAt = now()
    const page = await readPage(deps)
    if (E.isLeft(page)) {
      await run.end()
      return page
    }
    const { messages, isLast, next } = page.right
    if (memory.look.isDeep) memory.look = { ...memory.look, ms: memory.look.ms + now() - readAt, isDeep: !isLast }
    const begun = await run.begin(messages)
    if (deps.turn.hasEnded()) break
    memory.cursor = next
    // The messages that were passed over are read again. What comes after them is read only in a look.
    const isDone = isLast || (begun === 0 && run.hasPassed() && !memory.look.isDeep)
    if (isDone && !await run.readAgain()) break
  }
  return run.end()
}

/**
 * Finds the messages that another gateway has postponed because the limits of their customers were reached, so that no later message to these customers passes them. Messages with hours may have been postponed
 * for their hours, for which other messages need not wait.
 */
const recover = async ({ messageQueue, now, memory, of }: RunDeps): Promise<E.Either<PortFailure, void>> => {
  const at = now()
  for (const isBatch of [false, true]) {
    let after: QueuePosition | undefined = { dueAt: at, id: '' as MessageId }
    for (let read = 0; read < MAX_RECOVERED && after !== undefined; read += PAGE) {
      const page = await messageQueue.due({ ...of, at: at + RECOVERED_MS, limit: PAGE, isBatch, after })
      if (E.isLeft(page)) return page
      for (const queued of page.right) {
        const { dueAt, firstDueAt = dueAt, hours } = queued.place
        if (firstDueAt >= dueAt || hours !== undefined) continue
        const [key, own] = [recordKeyOf(queued.message.to), firstPositionOf(queued)]
        const { ids = new Set<MessageId>(), last = dueAt, first = own } = memory.waiting.get(key) ?? {}
        ids.add(queued.record.id)
        memory.waiting.set(key, { ids, last: Math.max(last, dueAt), intervalMs: 0, first: isBefore(own, first) ? own : first })
        memory.postponed += 1
      }
      after = page.right.length < PAGE ? undefined : positionOf(page.right.at(-1))
    }
  }
  return E.right(undefined)
}

const isLookDue = ({ beganAt, ms }: Look, now: Instant): boolean =>
  now >= beganAt + Math.max(LOOK_EVERY_MS, LOOK_SHARE * ms) || now < beganAt

/** The next messages of a sender, those of batches last, and where to read on. */
const readPage = async ({ messageQueue, now, memory: { cursor }, of }: RunDeps): Promise<E.Either<PortFailure, Page>> => {
  const at = now()
  const own = await messageQueue.due({ ...of, at, limit: PAGE, after: cursor.own })
  if (E.isLeft(own)) return own
  const limit = PAGE - own.right.length
  const batch = limit === 0 ? E.right([]) : await messageQueue.due({ ...of, at, limit, isBatch: true, after: cursor.batch })
  if (E.isLeft(batch)) return batch
  const messages = [...own.right, ...batch.right]
  return E.right({
    messages, isLast: messages.length < PAGE,
    next: { own: positionOf(own.right.at(-1)) ?? cursor.own, batch: positionOf(batch.right.at(-1)) ?? cursor.batch },
  })
}

type Page = { readonly messages: ReadonlyArray<QueuedMessage>; readonly isLast: boolean; readonly next: Cursor }

const positionOf = (queued: QueuedMessage | undefined): QueuePosition | undefined =>
  queued && { dueAt: queued.place.dueAt, id: queued.record.id }

/** The earlier one of two cursors, in each list. */
const earlier = (a: Cursor | undefined, b: Cursor): Cursor =>
  (a === undefined ? b : { own: earlierOf(a.own, b.own), batch: earlierOf(a.batch, b.batch) })

const earlierOf = (a: QueuePosition | undefined, b: QueuePosition | undefined): QueuePosition | undefined => {
  if (a === undefined || b === undefined) return undefined
  return isBefore(a, b) ? a : b
}

const isBefore = (a: QueuePosition, b: QueuePosition): boolean => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.id < b.id)

/** The position of a message before it was postponed. */
const firstPositionOf = ({ record: { id }, place: { dueAt, firstDueAt = dueAt } }: QueuedMessage): QueuePosition =>
  ({ dueAt: firstDueAt, id })

type Chain = { last: Promise<void>; waiting: number }

/** One turn of one sender. */
const makeRun = ({ messageQueue, now, send, turn, memory, width }: RunDeps) => {
  const counts = { sent: 0, refused: 0, postponed: 0, left: 0, gone: 0, waits: 0 }
  /** The messages that were begun and have not ended, by their customers, and those that were left, which a look from the beginning finds again. */
  const [chains, begun, left] = [new Map<string, Chain>(), new Set<MessageId>(), new Set<MessageId>()]
  /** The customers whose later messages wait: one was left, or too many were begun. */
  const [blocked, passed] = [new Set<string>(), new Set<string>()]
  /** Where the messages that were passed over, and those that were left, are found again. */
  let [passedAt, leftAt]: [Cursor | undefined, Cursor | undefined] = [undefined, undefined]
  let wake = (): void => undefined
  const oneEnds = (): Promise<void> => new Promise((resolve) => { wake = resolve })

  const postpone = async (postponed: ReadonlyArray<Postponed>): Promise<void> => {
    if (postponed.length === 0) return
    counts[E.isLeft(await messageQueue.postpone(postponed)) ? 'left' : 'postponed'] += postponed.length
  }

  /** The time of a message to a customer at the limit: after the times of those that wait already. */
  const later = (
    key: string, { record: { workspace, id }, place: { endsAt } }: QueuedMessage, { retryAt, intervalMs }: Limited,
  ): Postponed => {
    if (memory.postponed >= MAX_POSTPONED) {
      memory.waiting.clear()
      memory.postponed = 0
    }
    const waiting = memory.waiting.get(key) ?? { ids: new Set<MessageId>(), last: -Infinity, intervalMs }
    const dueAt = waiting.ids.has(id) ? retryAt : Math.max(retryAt, waiting.last + intervalMs)
    if (!waiting.ids.has(id)) memory.postponed += 1
    waiting.ids.add(id)
    waiting.last = Math.max(waiting.last, dueAt)
    memory.waiting.set(key, waiting)
    // A message whose time ends earlier is due at its end, and is refused then.
    return { workspace, message: id, dueAt: Math.min(dueAt, Math.max(endsAt, now() + 1)) }
  }

  /** The limit that a message has to wait for, because earlier messages to the customer have been postponed; `undefined` if it need not. */
  const followsPostponed = (key: string, queued: QueuedMessage): Limited | undefined => {
    const [{ record: { id } }, waiting] = [queued, memory.waiting.get(key)]
    if (waiting?.first !== undefined && isBefore(firstPositionOf(queued), waiting.first)) return undefined
    if (waiting === undefined || waiting.ids.has(id) || waiting.last + waiting.intervalMs <= now()) return undefined
    return { retryAt: now(), intervalMs: waiting.intervalMs }
  }

  const untilOpen = ({ record: { workspace, id }, place: { endsAt } }: QueuedMessage, { opensAt }: Closed): Postponed =>
    ({ workspace, message: id, dueAt: Math.min(opensAt, Math.max(endsAt, now() + 1)) })

  const noLongerWaits = (key: string, id: MessageId): void => {
    const waiting = memory.waiting.get(key)
    if (waiting?.ids.delete(id) === true) memory.postponed -= 1
    if (waiting?.ids.size === 0) memory.waiting.delete(key)
  }

  const stepOf = async (key: string, queued: QueuedMessage, at: Cursor): Promise<void> => {
    const limited = followsPostponed(key, queued)
    const step = blocked.has(key) ? 'left' : turn.hasEnded() ? 'waits' : limited ?? await send(queued, turn)
    if (typeof step === 'object' && 'opensAt' in step) {
      noLongerWaits(key, queued.record.id)
      return postpone([untilOpen(queued, step)])
    }
    if (typeof step === 'object') return postpone([later(key, queued, step)])
    counts[step] += 1
    if (step !== 'left' && step !== 'waits') return noLongerWaits(key, queued.record.id)
    blocked.add(key)
    left.add(queued.record.id)
    leftAt = earlier(leftAt, at)
  }

  const beginOne = (key: string, queued: QueuedMessage, at: Cursor): void => {
    const { id } = queued.record
    const chain = chains.get(key) ?? { last: Promise.resolve(), waiting: 0 }
    chain.waiting += 1
    begun.add(id)
    chain.last = chain.last.then(() => stepOf(key, queued, at)).finally(() => {
      chain.waiting -= 1
      if (chain.waiting === 0) chains.delete(key)
      begun.delete(id)
      wake()
    })
    chains.set(key, chain)
  }

  return {
    /** Begins the messages of a page at the cursor of the sender, and returns how many were begun or postponed. */
    begin: async (messages: ReadonlyArray<QueuedMessage>): Promise<number> => {
      const at = memory.cursor
      const postponed: Array<Postponed> = []
      let count = 0
      for (const queued of messages) {
        const { id } = queued.record
        if (begun.has(id) || left.has(id)) continue
        const key = recordKeyOf(queued.message.to)
        while (chains.size >= width && !chains.has(key) && !turn.hasEnded()) await oneEnds()
        if (turn.hasEnded()) {
          leftAt = earlier(leftAt, at)
          break
        }
        if (blocked.has(key)) {
          leftAt = earlier(leftAt, at)
          continue
        }
        const limited = followsPostponed(key, queued)
        // Of a customer at the limit, those that were begun come first.
        if (passed.has(key) || (chains.get(key)?.waiting ?? 0) >= PER_CUSTOMER || (limited !== undefined && chains.has(key))) {
          passed.add(key)
          passedAt = earlier(passedAt, at)
          continue
        }
        count += 1
        if (limited === undefined) beginOne(key, queued, at)
        else postponed.push(later(key, queued, limited))
      }
      await postpone(postponed)
      return count
    },
    hasPassed: (): boolean => passedAt !== undefined,
    /** Waits until a message ends, and goes back to those that were passed over; `false` if there are none. */
    readAgain: async (): Promise<boolean> => {
      if (passedAt === undefined) return false
      if (chains.size > 0) await oneEnds()
      memory.cursor = passedAt
      passedAt = undefined
      passed.clear()
      return true
    },
    /** Waits for the messages that were begun. The next turn begins at those that were left. */
    end: async (): Promise<E.Either<never, Drained>> => {
      while (chains.size > 0) await Promise.all(Array.from(chains.values(), ({ last }) => last))
      if (passedAt !== undefined) leftAt = earlier(leftAt, passedAt)
      if (leftAt !== undefined) memory.cursor = leftAt
      const { sent, refused, postponed, left: failed } = counts
      return E.right({ sent, refused, postponed, left: failed, isMoreDue: turn.hasEnded() })
    },
  }
}
