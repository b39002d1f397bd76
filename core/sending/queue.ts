import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { recordKeyOf } from '../customers/customer.js'
import { type PortFailure, portFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import { entriesAlways, entriesFor } from '../kernel/outbox.js'
import { DAY_MS, type Instant } from '../kernel/time.js'
import type { Workspace, Workspaces } from '../kernel/workspace.js'
import { type Claimed, type Draft, type MessageLog, messageMoved, type MessageRef } from '../messages/message-log.js'
import {
  type IdempotencyKeyReused, type Message, type MessageId, type MessageRecord, type MessageState,
  type NoSuchMessage, openRecord,
} from '../messages/message.js'
import { ownError, type OwnErrorSentence } from '../messages/own-errors.js'
import type { MessageQueue, QueuedMessage } from '../messages/queue.js'
import { holdOfDraft } from '../money/ledger.js'
import { type SenderLimitReached, waitFor } from '../senders/sender-budget.js'
import { BEGINS_WITHIN_MS, enqueue, entriesOfAlert, pairTaking, slotTaking, WHY_NOT_PAID } from './accept.js'
import { dispatch, moveMoney, recordChange, withPermit } from './dispatch.js'
import { prepare, type Prepared, type RefusalOf } from './prepare.js'
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

/** One pass over the messages that are due. Right: what was done. Left: what is due could not be read. */
export type DrainQueue = (hasEnded?: () => boolean) => Promise<E.Either<PortFailure, Drained>>

/**
 * How many messages a pass dispatched, how many it refused, how many the limits of their customers and senders postponed, how many it left for a later pass because
 * something failed, and whether more may be due now.
 */
export type Drained = {
  readonly sent: number
  readonly refused: number
  readonly postponed: number
  readonly left: number
  readonly isMoreDue: boolean
}

/** The maximum number of messages of a pass. */
const BATCH = 100

/**
 * What a pass did with a message: a number is the time until which a limit postpones it, and `gone` is a message that was canceled, or that another pass claimed, in the
 * meantime.
 */
type Step = 'sent' | 'refused' | 'gone' | 'left' | Instant

/**
 * Makes the passes that send the messages that are due.
 *
 * A pass checks each message again, reserves its price, claims it, and sends it only after the claim has committed. So a crash after the claim leaves a message of unknown
 * outcome, as the crash of a send does, and never a second send. Simultaneous passes of several gateways are safe, because one claim succeeds.
 * The messages to one customer through one sender are sent in their order, and none overtakes one that was left.
 */
export const makeDrainQueue = (deps: QueueDeps & { readonly messageQueue: MessageQueue }): DrainQueue => async (hasEnded = () => false) => {
  const due = await deps.messageQueue.due({ at: deps.windowClock.now(), limit: BATCH })
  if (E.isLeft(due)) return due
  const chains = new Map<string, Array<QueuedMessage>>()
  for (const queued of due.right) {
    const { workspace, sender } = queued.record
    const key = `${workspace} ${sender ?? ''} ${recordKeyOf(queued.message.to)}`
    chains.set(key, [...chains.get(key) ?? [], queued])
  }
  const steps = (await Promise.all(Array.from(chains.values(), (chain) => drainChain(deps, chain, hasEnded)))).flat()
  const count = (step: Step): number => steps.filter((one) => one === step).length
  const postponed = steps.filter((step) => typeof step === 'number').length
  const left = due.right.length - postponed - count('sent') - count('refused') - count('gone')
  return E.right({ sent: count('sent'), refused: count('refused'), postponed, left, isMoreDue: due.right.length === BATCH && left < BATCH })
}

const drainChain = async (
  deps: QueueDeps & { readonly messageQueue: MessageQueue }, chain: ReadonlyArray<QueuedMessage>, hasEnded: () => boolean,
): Promise<ReadonlyArray<Step>> => {
  const steps: Array<Step> = []
  for (const queued of chain) {
    if (hasEnded()) break
    const step = await sendDue(deps, queued)
    if (typeof step === 'number') {
      // The later messages to the customer wait too, so that none overtakes this one.
      const rest = chain.slice(steps.length)
      const refs = rest.map(({ record: { workspace, id: message } }) => ({ workspace, message }))
      const postponed = await deps.messageQueue.postpone(refs, step)
      return [...steps, ...rest.map((): Step => (E.isLeft(postponed) ? 'left' : step))]
    }
    steps.push(step)
    if (step === 'left') break
  }
  return steps
}

const TOO_LATE = 'Its time to be sent had passed'

const sendDue = async (deps: QueueDeps & { readonly messageQueue: MessageQueue }, queued: QueuedMessage): Promise<Step> => {
  const { record, message, place } = queued
  const { workspace, sender } = record
  if (deps.windowClock.now() >= place.endsAt) return refuse(deps, record, TOO_LATE)
  const archived = await isArchived(deps, workspace)
  if (E.isLeft(archived)) return 'left'
  if (archived.right) return refuse(deps, record, 'It could not be sent when it was due')
  const prepared = await prepare(deps, { workspace, sender, message })
  if (E.isLeft(prepared)) {
    if (prepared.left._tag === 'PortFailure') return 'left'
    return refuse(deps, record, prepared.left._tag === 'WindowClosed'
      ? 'The customer service window was closed when it was due' : 'It could not be sent when it was due')
  }
  const sent = await withPermit(deps, { workspace, claim: undefined })(async (): Promise<E.Either<PortFailure, Step>> => {
    const at = deps.windowClock.now()
    const draft = draftOf(queued, at)
    const pair = pairTaking(deps, draft, prepared.right)
    const taken = pair && await deps.pairLimits?.take(pair)
    if (taken !== undefined && E.isLeft(taken)) return taken.left._tag === 'PortFailure' ? E.left(taken.left) : E.right(taken.left.retryAt)
    const slot = await takeSlot(deps, draft, prepared.right)
    if (E.isLeft(slot)) return slot.left._tag === 'PortFailure' ? E.left(slot.left) : E.right(at + slot.left.retryAfterMs)
    const held = await deps.wallet.hold(holdOfDraft(draft, place.spending), entriesOfAlert(deps))
    if (E.isLeft(held)) {
      return held.left._tag === 'PortFailure' ? E.left(held.left) : E.right(await refuse(deps, record, WHY_NOT_PAID[held.left._tag]))
    }
    const claimed = await deps.messageQueue.claim({ workspace, message: record.id }, at)
    if (E.isLeft(claimed)) return claimed
    if (!claimed.right) return releaseUnclaimed(deps, record)
    // This process may have slept since, and then another one may have decided that the outcome is unknown. Nothing is sent so late.
    const isTooLate = deps.windowClock.now() >= Math.min(at + BEGINS_WITHIN_MS, place.endsAt)
    if (isTooLate) return E.right(await refuse(deps, record, TOO_LATE, 'claimed'))
    await dispatch(deps, { _tag: 'Accepted', draft, prepared: prepared.right }, undefined)
    return E.right('sent')
  })
  return E.isLeft(sent) || typeof sent.right === 'object' ? 'left' : sent.right
}

/** An archived workspace sends nothing, so what it had queued is not sent either. */
const isArchived = async ({ workspaces }: QueueDeps, id: WorkspaceId): Promise<E.Either<PortFailure, boolean>> =>
  workspaces === undefined
    ? E.right(false)
    : E.map(O.exists(({ archivedAt }: Workspace) => archivedAt !== undefined))(await workspaces.find(id))

/** Takes the next slot of the sender, and waits for it. */
const takeSlot = async (
  deps: QueueDeps, draft: Draft, { sender }: Pick<Prepared, 'sender'>,
): Promise<E.Either<SenderLimitReached | PortFailure, void>> => {
  const taking = await slotTaking(deps, draft, { sender })
  const taken = taking && await deps.senderBudget?.take(taking)
  if (taken === undefined) return E.right(undefined)
  if (E.isLeft(taken)) return taken
  const ms = waitFor(taken.right)
  if (ms > 0) await deps.senderLimit?.wait(ms)
  return E.right(undefined)
}

/** The draft of a queued message, whose price was fixed when it was queued. Its hold counts from now. */
const draftOf = ({ record, message }: QueuedMessage, at: Instant): Draft => {
  const { id, workspace, price, sender, cost, market, trace, keyId } = record
  return {
    id, workspace, message, price, at, ...(sender !== undefined && { sender }), ...(cost !== undefined && { cost }),
    ...(market !== undefined && { market }), ...(trace && { trace }), ...(keyId !== undefined && { keyId }),
  }
}

/** Refuses a message that is queued, or that this pass has claimed and not sent. */
const refuse = async (
  deps: QueueDeps, { workspace, id }: MessageRecord, why: OwnErrorSentence, from: 'queued' | 'claimed' = 'queued',
): Promise<Step> => {
  const { now } = deps.windowClock
  const refused = await recordChange(deps, now)(workspace, id, {
    state: 'refused', at: now(), error: ownError(why), ...(from === 'queued' && { onlyFrom: from }),
  })
  return E.isLeft(refused) ? 'left' : 'refused'
}

/** A message that could not be claimed was canceled, refused, or claimed by another pass. Its money follows its state, so that none stays reserved for nothing. */
const releaseUnclaimed = async (deps: QueueDeps, { workspace, id }: MessageRecord): Promise<E.Either<PortFailure, Step>> => {
  const found = await deps.messageLog.find(workspace, { id })
  if (E.isLeft(found)) return found
  if (O.isNone(found.right)) return E.left(portFailure('MessageLog')('the message is gone'))
  const moved = await moveMoney(deps, found.right.value.state, { workspace, message: id, at: deps.windowClock.now() })
  return E.isLeft(moved) ? moved : E.right('gone')
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

/** Makes the passes over the queue, if the storage has one. */
export const drainingOf = ({ messageQueue, ...deps }: QueueDeps): { readonly drainQueue?: DrainQueue } =>
  (messageQueue === undefined ? {} : { drainQueue: makeDrainQueue({ ...deps, messageQueue }) })
