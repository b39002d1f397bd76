import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type ActDeps, type Described, perform } from '../access/acting.js'
import type { CustomerId } from '../customers/customer.js'
import type { TimezoneUnknown } from '../customers/time-zones.js'
import type { Actor } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { BatchId, WorkspaceId } from '../kernel/ids.js'
import { entriesAlways, entriesFor, type MakeOutboxEntries } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import type { Workspaces } from '../kernel/workspace.js'
import { type Claimed, type MessageLog, messageMoved, type MessageRef, type MovedMessage } from '../messages/message-log.js'
import {
  type Message, type MessageId, type MessageRecord, type MessageState, type NoSuchMessage, openRecord, type QueuePlace, type Sent,
} from '../messages/message.js'
import type { QueueHolds } from '../messages/queue-holds.js'
import type { MessageQueue } from '../messages/queue.js'
import type { SenderBudget } from '../senders/sender-budget.js'
import type { SendingSenders } from '../senders/sender.js'
import { enqueue, type EnqueuedMessage, type EnqueueError, enqueueHeld, isLimitReached } from './accept.js'
import { moveMoney, recordChange } from './dispatch.js'
import { prepare } from './prepare.js'
import {
  acceptCommand, type DeliverDeps, deliverPrepared, isRefusedUnopened, makeSendMessage, replay, type ReplayError, type SendCommand,
  type SendError,
} from './send.js'
import { makeShowWorkspaceQueue, type ShowWorkspaceQueue } from './show-queue.js'
import { beginOf, endOf, faultOf, type InvalidTiming, isTimed, type Timing, timingText } from './timing.js'

/**
 * Sends a message now, or queues it, as its timing says. Without a timing it is a send.
 *
 * A message with `sendAt` is always queued, and its price is reserved when it is due. A closed window is no reason to refuse it: that is checked when it is due. Any other
 * message is checked like a send. It is queued outside its hours, or, with `until`, if the limit of its sender, its customer or its portfolio is reached; then its price is reserved now.
 */
export type SendOrQueue = <Of extends Message>(command: TimedCommand<Of>) => Promise<E.Either<TimedError<Of>, Sent | Queued>>

/** A message, and when it may be sent. */
export type TimedCommand<Of extends Message = Message> = SendCommand<Of> & Timing

/** A queued message, or one that an earlier request queued and that was canceled since. */
export type Queued = {
  readonly _tag: 'Queued'
  readonly id: MessageId
  readonly state: 'queued' | 'canceled'
  readonly record: MessageRecord
  /** The time before which it is not sent; `undefined` if it waits for a limit. */
  readonly sendAt: Instant | undefined
  readonly replayed: boolean
}

/** Why a message is neither sent nor queued. */
export type TimedError<Of extends Message = Message> = SendError<Of> | InvalidTiming | TimezoneUnknown | QueueUnavailable

/** The storage of the app has no queue. */
export type QueueUnavailable = { readonly _tag: 'QueueUnavailable' }

/** What scheduling needs. */
export type QueueDeps = DeliverDeps & {
  readonly messageLog: Pick<MessageLog, 'find'>
  readonly messageQueue?: MessageQueue
  readonly senders: Pick<SendingSenders, 'moveLate'>
  /** Where the present rates of senders are read, which are shown with the queue. */
  readonly senderBudget?: Pick<SenderBudget, 'presentRates'>
  /** The holds of the queue, which are shown with it. */
  readonly queueHolds?: Pick<QueueHolds, 'list'>
  /** Where it is looked up whether a workspace was archived; if absent, none was. */
  readonly workspaces?: Pick<Workspaces, 'find'>
  /** Whether the messages of a batch must wait; if absent, none must. */
  readonly isBatchClosed?: (of: { readonly workspace: WorkspaceId; readonly batch: BatchId }) => Promise<boolean>
}

export const makeSendOrQueue = (deps: QueueDeps): SendOrQueue => {
  const send = makeSendMessage(deps)
  return async <Of extends Message>({ until, sendAt, deliverBetween, ...command }: TimedCommand<Of>) => {
    const timing: Timing = { until, sendAt, deliverBetween }
    if (!isTimed(timing)) return send(command)
    const now = deps.windowClock.now()
    const accepting = withTiming(acceptCommand(command, now), timing)
    const timed: Timed<Of> = { command, accepting, timing, now }
    const outcome = await sendTimed(deps, timed)
    if (E.isRight(outcome)) return isClaimed(outcome.right) ? answerOf(deps, outcome.right, timed) : E.right(outcome.right)
    // As for a send: changes after the first answer must not change that answer.
    const { workspace, claim } = accepting
    if (claim === undefined || !isRefusedUnopened(outcome.left)) return outcome
    const claimed = await deps.messageLog.claimed(workspace, claim, now)
    if (E.isLeft(claimed)) return claimed
    return O.isNone(claimed.right) ? outcome : answerOf(deps, claimed.right.value, timed)
  }
}

type Accepting<Of extends Message> = ReturnType<typeof acceptCommand<Of>>

/** A request for another time is another request. */
const withTiming = <Of extends Message>(accepting: Accepting<Of>, timing: Timing): Accepting<Of> => ({
  ...accepting, claim: accepting.claim && { ...accepting.claim, request: `${accepting.claim.request} ${timingText(timing)}` },
})

const isClaimed = (outcome: Sent | Queued | Claimed): outcome is Claimed => '_tag' in outcome && outcome._tag === 'Claimed'

/** A message with a timing that was given at a time. */
type Timed<Of extends Message> = {
  readonly command: SendCommand<Of>; readonly accepting: Accepting<Of>; readonly timing: Timing; readonly now: Instant
}

type Outcome<Of extends Message> = Promise<E.Either<TimedError<Of>, Sent | Queued | Claimed>>

const sendTimed = async <Of extends Message>(deps: QueueDeps, timed: Timed<Of>): Outcome<Of> => {
  const { command, accepting, timing, now } = timed
  if (deps.messageQueue === undefined) return E.left({ _tag: 'QueueUnavailable' })
  const fault = faultOf(timing, now)
  if (fault !== undefined) return E.left(fault)
  const isLater = timing.sendAt !== undefined
  const prepared = await prepare(deps, { ...accepting, isLater }, command.prefetched)
  if (E.isLeft(prepared)) return prepared
  const begin = beginOf(timing, prepared.right.to, now)
  if (E.isLeft(begin)) return begin
  const target = { to: prepared.right.to, begin: begin.right }
  if (isLater) return queue(deps, timed, target, (place) => enqueue(deps, accepting, prepared.right, place))
  const wait = () => queue(deps, timed, target, (place) => enqueueHeld(deps, accepting, prepared.right, place))
  if (begin.right > now) return wait()
  const sent = await deliverPrepared(deps, accepting, prepared.right, command.outboxEntries)
  return E.isLeft(sent) && isLimitReached(sent.left) && timing.until !== undefined ? wait() : sent
}

/** A message whose hours begin after its end waits until its end, because a hold or a limit could postpone it in the same way. */
const queue = async <Of extends Message>(
  deps: QueueDeps, { timing, now }: Timed<Of>, { to, begin }: { readonly to: CustomerId; readonly begin: Instant },
  store: (place: QueuePlace) => Promise<E.Either<EnqueueError, EnqueuedMessage | Claimed>>,
): Promise<E.Either<EnqueueError, Queued | Claimed>> => {
  const { deliverBetween: hours } = timing
  const endsAt = endOf(timing, now)
  const queued = await store({ dueAt: Math.min(begin, endsAt), endsAt, ...(hours && { hours }) })
  if (E.isLeft(queued)) return queued
  if (queued.right._tag === 'Claimed') return E.right(queued.right)
  const record = openRecord(queued.right.draft)
  await noteQueued(deps, record)
  return E.right(queuedOf(record, to, timing))
}

/** If the event cannot be stored now, that is retried, because the message is queued in any case. */
const noteQueued = async ({ events, retryLater }: DeliverDeps, record: MessageRecord): Promise<void> => {
  if (events === undefined || await entriesFor(events, record.workspace, messageMoved) === undefined) return
  const stored = entriesAlways(events, messageMoved)({ from: 'queued', message: record })
  const append = () => events.outbox.append(record.workspace, stored)
  if (E.isLeft(await append())) retryLater(append)
}

/** The answer to a request whose key guards a message: it is queued still, or it is the answer of a send. */
const answerOf = <Of extends Message>(
  { unconfirmedAfterMs }: QueueDeps, claimed: Claimed, { command: { message: { to } }, timing, now }: Timed<Of>,
): E.Either<ReplayError, Sent | Queued> => {
  const { by, sameRequest } = claimed
  return sameRequest && (by.state === 'queued' || by.state === 'canceled')
    ? E.right({ ...queuedOf(by, to, timing), state: by.state, replayed: true })
    : replay(claimed, now, unconfirmedAfterMs)
}

const queuedOf = (record: MessageRecord, to: CustomerId, timing: Timing): Queued => {
  const { id, createdAt } = record
  const begin = beginOf(timing, to, createdAt)
  const sendAt = E.isRight(begin) && (timing.sendAt !== undefined || begin.right > createdAt) ? begin.right : undefined
  return { _tag: 'Queued', id, state: 'queued', record, sendAt, replayed: false }
}

/** Cancels a queued message, which adds an entry to the audit log. Right: the message, canceled now or before. */
export type CancelMessage = (command: CancelCommand) => Promise<E.Either<CancelError, MessageRecord>>

/** The message to cancel, by our id or by the platform's, and who cancels it. */
export type CancelCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly message: MessageRef }

/** `AlreadySent`: it has left the queue, or was never queued; `state` is its present state. */
export type CancelError = CancelFailure | Forbidden

/** Why a message is not canceled, apart from access. */
export type CancelFailure = NoSuchMessage | AlreadySent | PortFailure

/** The message is not queued, so it cannot be canceled. */
export type AlreadySent = { readonly _tag: 'AlreadySent'; readonly id: MessageId; readonly state: MessageState }

/** What canceling needs. */
export type CancelDeps =
  & ActDeps
  & Pick<DeliverDeps, 'windowClock' | 'wallet' | 'freeMessages'>
  & Partial<Pick<DeliverDeps, 'retryLater'>>
  & {
  readonly messageLog: Pick<MessageLog, 'find' | 'apply'>
}

export const makeCancelMessage =
  (deps: CancelDeps): CancelMessage =>
  ({ by, workspace, message }) => {
    // The platform's id would tell the number of the customer, so entries have our id alone.
    const describe = ({ id }: Pick<MessageRecord, 'id'>): Described => ({ subject: id })
    return perform(
      deps, { by, act: 'message.cancel', workspace, ...('id' in message && { subject: message.id }) },
      { describe: (moved: MovedMessage) => describe(moved.message), describeAnswer: describe },
      (outboxEntries: MakeOutboxEntries<MovedMessage>) => cancelQueued(deps, workspace, message, outboxEntries),
    )
  }

const cancelQueued = async (
  deps: CancelDeps, workspace: WorkspaceId, message: MessageRef, outboxEntries: MakeOutboxEntries<MovedMessage>,
): Promise<E.Either<CancelFailure, MessageRecord>> => {
  const { messageLog, windowClock } = deps
  const found = await messageLog.find(workspace, message)
  if (E.isLeft(found)) return found
  if (O.isNone(found.right)) return E.left({ _tag: 'NoSuchMessage', id: nameOf(message) })
  const before = found.right.value
  const settle = () => settleCanceled(deps, workspace, before.id)
  if (before.state === 'queued') {
    const change = { state: 'canceled', at: windowClock.now(), onlyFrom: 'queued' } as const
    const canceled = await recordChange(deps, windowClock.now)(workspace, before.id, change, outboxEntries)
    if (E.isLeft(canceled)) {
      deps.retryLater?.(settle)
      return canceled
    }
  } else if (before.state === 'canceled') {
    // An earlier request may have canceled it, and failed before its money was released.
    const settled = await settle()
    if (E.isLeft(settled)) return settled
  }
  const after = await messageLog.find(workspace, { id: before.id })
  if (E.isLeft(after)) return after
  if (O.isNone(after.right)) return E.left({ _tag: 'NoSuchMessage', id: nameOf(message) })
  const { state } = after.right.value
  return state === 'canceled' ? E.right(after.right.value) : E.left({ _tag: 'AlreadySent', id: before.id, state })
}

const nameOf = (message: MessageRef): string => ('id' in message ? message.id : message.platformId)

/** Releases the money and the free message of a message if it is canceled. A request to cancel it that failed is not carried out here. */
const settleCanceled = async (deps: CancelDeps, workspace: WorkspaceId, message: MessageId): Promise<E.Either<PortFailure, unknown>> => {
  const found = await deps.messageLog.find(workspace, { id: message })
  if (E.isLeft(found) || O.isNone(found.right) || found.right.value.state !== 'canceled') return found
  return moveMoney(deps, 'canceled', { workspace, message, at: deps.windowClock.now() })
}

/** The use cases of applications on the queue. */
export type Queue = {
  /** Sends a message now, or queues it, as its timing says. */
  readonly sendOrQueue: SendOrQueue
  /** Cancels a queued message. */
  readonly cancel: CancelMessage
  /** Shows what is queued; absent if the storage has no queue. */
  readonly showQueue?: ShowWorkspaceQueue
}

/** Makes the use cases of applications on the queue. */
export const makeQueue = (deps: QueueDeps): Queue =>
  ({ sendOrQueue: makeSendOrQueue(deps), cancel: makeCancelMessage(deps), ...showingOf(deps) })

const showingOf = ({ messageQueue, ...deps }: QueueDeps): Pick<Queue, 'showQueue'> =>
  (messageQueue === undefined ? {} : { showQueue: makeShowWorkspaceQueue({ ...deps, messageQueue }) })
