import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { entriesAlways, entriesFor } from '../kernel/outbox.js'
import { DAY_MS, type Instant } from '../kernel/time.js'
import type { Workspaces } from '../kernel/workspace.js'
import { type Claimed, type Draft, type MessageLog, messageMoved, type MessageRef } from '../messages/message-log.js'
import {
  type IdempotencyKeyReused, type Message, type MessageId, type MessageRecord, type MessageState,
  type NoSuchMessage, openRecord,
} from '../messages/message.js'
import type { MessageQueue } from '../messages/queue.js'
import { enqueue } from './accept.js'
import { recordChange } from './dispatch.js'
import { prepare, type RefusalOf } from './prepare.js'
import { acceptCommand, type DeliverDeps, type SendCommand } from './send.js'

/** Queues a message that is to be sent at a later time. Its price is reserved when it is due. */
export type ScheduleMessage = <Of extends Message>(command: ScheduleCommand<Of>) => Promise<E.Either<ScheduleError<Of>, Scheduled>>

/** A message, and the time before which it is not sent. */
export type ScheduleCommand<Of extends Message = Message> = Omit<SendCommand<Of>, 'outboxEntries'> & {
  /** At most `MAX_SCHEDULE_MS` ahead. A time that has passed means as soon as possible. */
  readonly sendAt: Instant
  /** The time from which it is not sent any more, later than `sendAt`; `SENDABLE_FOR_MS` after it by default. */
  readonly until?: Instant | undefined
}

/** The maximum time for which a message is scheduled ahead. */
export const MAX_SCHEDULE_MS = 366 * DAY_MS

/** For how long a message can be sent after it is due, if the caller does not say otherwise. */
export const SENDABLE_FOR_MS = DAY_MS

/** A queued message. `state` is `queued`, or its present state if an earlier request queued it, which `replayed` says. */
export type Scheduled = {
  readonly id: MessageId
  readonly state: MessageState
  readonly record: MessageRecord
  readonly replayed: boolean
}

/** Why a message cannot be queued. A closed window is no reason: it is checked when the message is due. */
export type ScheduleError<Of extends Message = Message> =
  | Exclude<RefusalOf<Of>, { readonly _tag: 'WindowClosed' }> | IdempotencyKeyReused | QueueUnavailable | PortFailure

/** The storage of the app has no queue. */
export type QueueUnavailable = { readonly _tag: 'QueueUnavailable' }

/** What scheduling needs. */
export type QueueDeps = DeliverDeps & {
  readonly messageLog: Pick<MessageLog, 'find'>
  readonly messageQueue?: MessageQueue
  /** Where it is looked up whether a workspace was archived; if absent, none was. */
  readonly workspaces?: Pick<Workspaces, 'find'>
}

export const makeScheduleMessage =
  (deps: QueueDeps): ScheduleMessage =>
  async <Of extends Message>(
    { sendAt, until = sendAt + SENDABLE_FOR_MS, ...command }: ScheduleCommand<Of>,
  ): Promise<E.Either<ScheduleError<Of>, Scheduled>> => {
    if (deps.messageQueue === undefined) return E.left({ _tag: 'QueueUnavailable' })
    const accepting = withTime(acceptCommand(command, deps.windowClock.now()), `${sendAt} ${until}`)
    const queued = await queue(deps, accepting, { dueAt: sendAt, endsAt: until }, command)
    if (E.isRight(queued)) return queued
    // As for a send: changes after the first answer must not change that answer.
    const { workspace, claim } = accepting
    if (claim === undefined || queued.left._tag === 'PortFailure' || queued.left._tag === 'IdempotencyKeyReused') return queued
    const claimed = await deps.messageLog.claimed(workspace, claim, deps.windowClock.now())
    if (E.isLeft(claimed)) return claimed
    return O.isNone(claimed.right) ? queued : replayed(claimed.right.value)
  }

type Accepting<Of extends Message> = ReturnType<typeof acceptCommand<Of>>

/** A request for another time is another request. */
const withTime = <Of extends Message>(accepting: Accepting<Of>, time: string): Accepting<Of> => ({
  ...accepting, claim: accepting.claim && { ...accepting.claim, request: `${accepting.claim.request} ${time}` },
})

const queue = async <Of extends Message>(
  deps: QueueDeps, accepting: Accepting<Of>, place: NonNullable<Draft['queue']>, { prefetched }: Pick<SendCommand<Of>, 'prefetched'>,
): Promise<E.Either<ScheduleError<Of>, Scheduled>> => {
  const prepared = await prepare(deps, { ...accepting, isLater: true }, prefetched)
  // The window is not checked for a later time, so this is never `WindowClosed`.
  if (E.isLeft(prepared)) return prepared as E.Either<Exclude<RefusalOf<Of>, { readonly _tag: 'WindowClosed' }>, never>
  const queued = await enqueue(deps, accepting, prepared.right, place)
  if (E.isLeft(queued)) return queued
  if (queued.right._tag === 'Claimed') return replayed(queued.right)
  const record = openRecord(queued.right.draft)
  await noteQueued(deps, record)
  return E.right({ id: record.id, state: record.state, record, replayed: false })
}

/** If the event cannot be stored now, that is retried, because the message is queued in any case. */
const noteQueued = async ({ events, retryLater }: DeliverDeps, record: MessageRecord): Promise<void> => {
  if (events === undefined || await entriesFor(events, record.workspace, messageMoved) === undefined) return
  const stored = entriesAlways(events, messageMoved)({ from: 'queued', message: record })
  const append = () => events.outbox.append(record.workspace, stored)
  if (E.isLeft(await append())) retryLater(append)
}

const replayed = ({ by, sameRequest }: Claimed): E.Either<IdempotencyKeyReused, Scheduled> =>
  sameRequest ? E.right({ id: by.id, state: by.state, record: by, replayed: true }) : E.left({ _tag: 'IdempotencyKeyReused' })

/** Cancels a queued message. Right: the message, canceled now or before. */
export type CancelMessage = (command: CancelCommand) => Promise<E.Either<CancelError, MessageRecord>>

/** The message to cancel, by our id or by the platform's. */
export type CancelCommand = { readonly workspace: WorkspaceId; readonly by: MessageRef; readonly id: string }

/** `AlreadySent`: it has left the queue, or was never queued; `state` is its present state. */
export type CancelError = NoSuchMessage | AlreadySent | PortFailure

/** The message is not queued, so it cannot be canceled. */
export type AlreadySent = { readonly _tag: 'AlreadySent'; readonly id: MessageId; readonly state: MessageState }

/** What canceling needs. */
export type CancelDeps = Pick<DeliverDeps, 'events' | 'windowClock' | 'wallet' | 'freeMessages'> & {
  readonly messageLog: Pick<MessageLog, 'find' | 'apply'>
}

export const makeCancelMessage =
  (deps: CancelDeps): CancelMessage =>
  async ({ workspace, by, id }) => {
    const { messageLog, windowClock } = deps
    const found = await messageLog.find(workspace, by)
    if (E.isLeft(found)) return found
    if (O.isNone(found.right)) return E.left({ _tag: 'NoSuchMessage', id })
    const before = found.right.value
    if (before.state === 'queued') {
      const change = { state: 'canceled', at: windowClock.now(), onlyFrom: 'queued' } as const
      const canceled = await recordChange(deps, windowClock.now)(workspace, before.id, change)
      if (E.isLeft(canceled)) return canceled
    }
    const after = await messageLog.find(workspace, { id: before.id })
    if (E.isLeft(after)) return after
    if (O.isNone(after.right)) return E.left({ _tag: 'NoSuchMessage', id })
    const { state } = after.right.value
    return state === 'canceled' ? E.right(after.right.value) : E.left({ _tag: 'AlreadySent', id: before.id, state })
  }

/** The use cases of applications on the queue. */
export type Queue = {
  /** Queues a message that is to be sent at a later time. */
  readonly schedule: ScheduleMessage
  /** Cancels a queued message. */
  readonly cancel: CancelMessage
}

/** Makes the use cases of applications on the queue. */
export const makeQueue = (deps: QueueDeps): Queue => ({ schedule: makeScheduleMessage(deps), cancel: makeCancelMessage(deps) })
