import * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { type Clock, type Instant, iso, isoOrNull, SECOND_MS } from '../kernel/time.js'
import type { QueueHold, QueueHolds } from '../messages/queue-holds.js'
import type { MessageId, MessageRecord } from '../messages/message.js'
import {
  type Backlog, inDueOrder, type MessageQueue, type PlacedMessage, type QueuedCount, type QueuedSender, type QueueTimes, type Waiting,
} from '../messages/queue.js'
import type { SenderBudget, SenderLimit, SenderRates } from '../senders/sender-budget.js'
import { senderIdOf } from '../senders/sender.js'

/** The queue: its holds in force, and what waits by sender, in no particular order. */
export type QueueView = { readonly holds: ReadonlyArray<QueueHold>; readonly senders: ReadonlyArray<WaitingSender> }

/** What waits of a sender. */
export type WaitingSender = Waiting & {
  /** How many messages a second it may send now; `undefined` if it has no limit. */
  readonly rate: number | undefined
  /** When the waiting messages will have been sent at that rate, at the earliest; `undefined` without a limit. */
  readonly emptyAt: Instant | undefined
}

/** What reading the queue needs. Without a queue nothing waits, and without holds nothing is held. */
export type ReadQueueDeps = {
  readonly messageQueue?: Pick<MessageQueue, 'waiting'>
  readonly queueHolds?: Pick<QueueHolds, 'list'>
  readonly senderRates?: SenderRates
  readonly senderLimit?: Pick<SenderLimit, 'perSecond'>
  /** Where it is read how far the platform has slowed a sender down. */
  readonly senderBudget?: Pick<SenderBudget, 'presentRates'>
}

/** Reads what waits and what is held: of a workspace, or of every workspace. */
export const readQueue = async (
  { messageQueue, queueHolds, ...deps }: ReadQueueDeps, workspace: WorkspaceId | undefined, at: Instant,
): Promise<E.Either<PortFailure, QueueView>> => {
  const [waiting, holds] = await Promise.all([
    messageQueue?.waiting({ at, ...(workspace !== undefined && { workspace }) }), queueHolds?.list(),
  ])
  if (waiting !== undefined && E.isLeft(waiting)) return waiting
  if (holds !== undefined && E.isLeft(holds)) return holds
  const rated = await withRates(deps, waiting?.right ?? [])
  if (E.isLeft(rated)) return rated
  const senders = rated.right.map((one): WaitingSender =>
    ({ ...one, emptyAt: one.rate === undefined ? undefined : at + Math.ceil(one.waiting * SECOND_MS / one.rate) }))
  return E.right({ holds: (holds?.right ?? []).filter(concerns(workspace)), senders })
}

/** Reads the present rates of senders. */
const withRates = async <Sender extends QueuedSender>(
  { senderRates, senderLimit, senderBudget }: Omit<ReadQueueDeps, 'messageQueue' | 'queueHolds'>, senders: ReadonlyArray<Sender>,
): Promise<E.Either<PortFailure, ReadonlyArray<Sender & Pick<WaitingSender, 'rate'>>>> => {
  if (senderLimit === undefined) return E.right(senders.map((one) => ({ ...one, rate: undefined })))
  const whole = await Promise.all(senders.map(async ({ workspace, sender: name }) => {
    const sender = senderIdOf(name)
    return { workspace, sender, perSecond: await senderRates?.({ workspace, sender }) ?? senderLimit.perSecond }
  }))
  const present = await senderBudget?.presentRates(whole)
  if (present !== undefined && E.isLeft(present)) return present
  return E.right(senders.map((one, index) => ({ ...one, rate: present?.right[index] ?? whole[index]?.perSecond })))
}

/**
 * Counts what is queued, for monitoring: in total, and of the senders whose first message is due the earliest, with their rates. Only so many messages are counted
 * that it stays fast with a million messages.
 */
export type MeasureQueue = () => Promise<E.Either<PortFailure, QueueMeasures>>

/** The holds in force, and the numbers of messages. */
export type QueueMeasures = QueuedCount & {
  readonly holds: ReadonlyArray<QueueHold>
  readonly senders: ReadonlyArray<Backlog['senders'][number] & Pick<WaitingSender, 'rate'>>
}

/** How many senders are measured, and up to how many messages are counted. */
export const MEASURED = { senders: 10, mostOfSender: 10_000, mostOfAll: 100_000 } as const

/** What measuring the queue needs. */
export type MeasureQueueDeps = Omit<ReadQueueDeps, 'messageQueue'> & {
  readonly messageQueue: Pick<MessageQueue, 'backlog'>
  readonly now: Clock
}

export const makeMeasureQueue = ({ messageQueue, queueHolds, now, ...deps }: MeasureQueueDeps): MeasureQueue => async () => {
  const [backlog, holds] = await Promise.all([messageQueue.backlog({ at: now(), ...MEASURED }), queueHolds?.list()])
  if (E.isLeft(backlog)) return backlog
  if (holds !== undefined && E.isLeft(holds)) return holds
  return E.map((senders: QueueMeasures['senders']): QueueMeasures => ({ ...backlog.right, senders, holds: holds?.right ?? [] }))(
    await withRates(deps, backlog.right.senders),
  )
}

/** Shows what is queued for a workspace. */
export type ShowWorkspaceQueue = (workspace: WorkspaceId) => Promise<E.Either<PortFailure, WorkspaceQueueView>>

/** The queue of a workspace as JSON. */
export type WorkspaceQueueView = {
  readonly waiting: number
  readonly scheduled: number
  readonly oldest_at: string | null
  readonly held: HeldView | null
  readonly senders: ReadonlyArray<SenderQueueView>
}

/** Since when the queue is held, and why, as JSON. */
export type HeldView = { readonly since: string; readonly why: string }

/** The queue of a sender as JSON. `rate` and `empty_at` are null if the sender has no limit. */
export type SenderQueueView = {
  readonly phone_number_id: string
  readonly waiting: number
  readonly rate: number | null
  readonly empty_at: string | null
}

/** What showing the queue of a workspace needs. */
export type ShowWorkspaceQueueDeps = ReadQueueDeps & { readonly windowClock: { readonly now: Clock } }

export const makeShowWorkspaceQueue = (deps: ShowWorkspaceQueueDeps): ShowWorkspaceQueue => async (workspace) =>
  E.map(workspaceView)(await readQueue(deps, workspace, deps.windowClock.now()))

const workspaceView = ({ holds: [hold], senders }: QueueView): WorkspaceQueueView => {
  const sum = (count: (of: Waiting) => number): number => senders.reduce((total, of) => total + count(of), 0)
  const oldest = senders.flatMap(({ oldestDueAt }) => oldestDueAt ?? [])
  return {
    waiting: sum(({ waiting }) => waiting), scheduled: sum(({ scheduled }) => scheduled),
    oldest_at: isoOrNull(oldest.length === 0 ? undefined : Math.min(...oldest)),
    held: hold === undefined ? null : { since: iso(hold.since), why: hold.why },
    senders: senders.map(({ sender, waiting, rate, emptyAt }) =>
      ({ phone_number_id: sender, waiting, rate: rate === undefined ? null : Math.floor(rate), empty_at: isoOrNull(emptyAt) }))
      .sort((a, b) => (a.phone_number_id < b.phone_number_id ? -1 : 1)),
  }
}

/**
 * When a queued message leaves: at `dueAt`. If that has passed, it waits until the hold of its queue is removed, or for the limits of its sender and its
 * customer. From `endsAt` on it is not sent any more.
 */
export type Departure = QueueTimes & { readonly waitsFor: 'time' | 'hold' | 'limit' }

/** A queued message, and when it leaves. */
export type NextMessage = Departure & { readonly record: MessageRecord }

/** When the queued ones of some messages of a workspace leave. Nothing is read if none is queued. */
export type DeparturesOf = (
  workspace: WorkspaceId, messages: ReadonlyArray<MessageRecord>,
) => Promise<E.Either<PortFailure, ReadonlyMap<MessageId, Departure>>>

/** What showing the departures of messages needs. */
export type DepartureDeps = {
  readonly messageQueue: Pick<MessageQueue, 'next' | 'timesOf'>
  readonly queueHolds: Pick<QueueHolds, 'list'>
  readonly now: Clock
}

/** What a message with given times waits for. */
const departureBy = (isHeld: boolean, now: Instant) => ({ dueAt, endsAt }: QueueTimes): Departure =>
  ({ dueAt, endsAt, waitsFor: dueAt > now ? 'time' : isHeld ? 'hold' : 'limit' })

const concerns = (workspace: WorkspaceId | undefined) => (hold: QueueHold): boolean =>
  workspace === undefined || hold.workspace === undefined || hold.workspace === workspace

export const makeDeparturesOf =
  ({ messageQueue, queueHolds, now }: DepartureDeps): DeparturesOf =>
  async (workspace, messages) => {
    const queued = messages.filter(({ state }) => state === 'queued').map(({ id }) => id)
    if (queued.length === 0) return E.right(new Map())
    const [times, holds] = await Promise.all([messageQueue.timesOf(workspace, queued), queueHolds.list()])
    if (E.isLeft(times)) return times
    if (E.isLeft(holds)) return holds
    const departureOf = departureBy(holds.right.some(concerns(workspace)), now())
    return E.right(new Map(Array.from(times.right, ([id, of]) => [id, departureOf(of)])))
  }

/** Reads the first queued messages of a workspace, at most `limit`, in the order in which they are due. */
export const readNext = async (
  { messageQueue, now }: Pick<DepartureDeps, 'messageQueue' | 'now'>, { holds, senders }: QueueView, limit: number,
): Promise<E.Either<PortFailure, ReadonlyArray<NextMessage>>> => {
  const read = await Promise.all(senders.map(({ workspace, sender }) => messageQueue.next({ workspace, sender, limit })))
  const departureOf = departureBy(holds.length > 0, now())
  return E.map((found: ReadonlyArray<ReadonlyArray<PlacedMessage>>) =>
    found.flat().sort(inDueOrder).slice(0, limit).map((one): NextMessage => ({ record: one.record, ...departureOf(one) })),
  )(E.sequenceArray(read))
}

/** How many queued messages the holds keep, and since when. */
export type HeldMessages = { readonly messages: number; readonly since: Instant }

/** Counts the messages that are held, of a workspace or of every workspace; `undefined` if none is. Without a hold, the queue is not counted. */
export type CountHeld = (workspace: WorkspaceId | undefined) => Promise<E.Either<PortFailure, HeldMessages | undefined>>

export const makeCountHeld =
  (deps: Pick<ReadQueueDeps, 'messageQueue'> & Pick<DepartureDeps, 'queueHolds' | 'now'>): CountHeld =>
  async (workspace) => {
    const listed = await deps.queueHolds.list()
    if (E.isLeft(listed)) return listed
    const holds = listed.right.filter(concerns(workspace))
    if (holds.length === 0) return E.right(undefined)
    return E.map(({ senders }: QueueView): HeldMessages | undefined => {
      const held = senders.flatMap((one) => {
        const [hold] = holds.filter(concerns(one.workspace))
        return hold === undefined ? [] : [{ messages: one.waiting + one.scheduled, since: hold.since }]
      })
      const messages = held.reduce((sum, one) => sum + one.messages, 0)
      return messages === 0 ? undefined : { messages, since: Math.min(...held.map(({ since }) => since)) }
    })(await readQueue(deps, workspace, deps.now()))
  }
