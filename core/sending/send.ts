import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type Auditing, checkAct } from '../access/acting.js'
import type { WindowClock } from '../customers/window.js'
import { type Actor, auditActorOf, type AuditEntry } from '../kernel/actor.js'
import type { OutcomeUnknown, PlatformError, PlatformUnreachable, PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import type { Admission } from '../kernel/limits.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import { type Instant, SECOND_MS } from '../kernel/time.js'
import { contextToKeep, inSpan, type TracingDeps } from '../kernel/tracing.js'
import type { Workspaces } from '../kernel/workspace.js'
import type { Claim, Claimed, Draft, MessageLog, MovedMessage } from '../messages/message-log.js'
import {
  contentOf, type IdempotencyInProgress, type IdempotencyKey, type IdempotencyKeyReused, type Message, type MessageId, type NewTemplateMessage, requestOf, type Sent,
  type TemplateMessage, templateMessage, type TextMessage, type WithMessageId,
} from '../messages/message.js'
import { type InsufficientBalance, type SendingKey, type Spending, type SpendingLimitReached, spendingOf } from '../money/wallet.js'
import { freeOffer, reserve, type ReserveDeps } from './books.js'
import { prepare, type Prefetched, type Prepared, type PrepareDeps, type PrepareError, type RefusalOf } from './prepare.js'
import { transmit, type TransmitDeps } from './transmit.js'

/** Why a repeated request gets no answer, or not yet. */
export type ReplayError = IdempotencyInProgress | IdempotencyKeyReused | WithMessageId<OutcomeUnknown>

/** The dependencies of repeating an earlier answer. */
export type ReplayDeps = {
  readonly messageLog: Pick<MessageLog, 'claimed'>
  readonly windowClock: Pick<WindowClock, 'now'>
  /** The age of a pending message, in milliseconds, from which its process counts as crashed. */
  readonly unconfirmedAfterMs: number
}

/** A request that may be a repetition: its workspace and, if it has an idempotency key, its claim on that key. */
export type ReplayCommand = { readonly workspace: WorkspaceId; readonly claim: Claim | undefined }

/** A running send: accepted, or its idempotency key guards another message. */
export type Sending<Failure> = Promise<E.Either<Failure, Sent | Claimed>>

/**
 * Runs a send so that a repetition of an answered request gets the first answer again.
 *
 * The send finds most repetitions itself when it claims the key. If it refuses a request before that, for example because the window has since
 * closed or the sender was removed, the key is looked up here: changes after the first answer must not change that answer.
 */
const withReplay =
  (deps: ReplayDeps, { workspace, claim }: ReplayCommand) =>
  async <Failure extends { readonly _tag: string }>(send: () => Sending<Failure>): Promise<E.Either<Failure | ReplayError | PortFailure, Sent>> => {
    const now = deps.windowClock.now()
    const outcome = await send()
    if (E.isRight(outcome)) return isClaimed(outcome.right) ? replay(outcome.right, now, deps.unconfirmedAfterMs) : E.right(outcome.right)
    if (claim === undefined || !isRefusedUnopened(outcome.left)) return outcome
    return await replayOf(deps, { workspace, claim }, now) ?? outcome
  }

/** The answer of the message that an idempotency key guards at a given time; `undefined` if it guards none. */
export const replayOf = async (
  { messageLog, unconfirmedAfterMs }: ReplayDeps, { workspace, claim }: ReplayCommand & { readonly claim: Claim }, now: Instant,
): Promise<E.Either<ReplayError | PortFailure, Sent> | undefined> => {
  const claimed = await messageLog.claimed(workspace, claim, now)
  if (E.isLeft(claimed)) return claimed
  return O.isNone(claimed.right) ? undefined : replay(claimed.right.value, now, unconfirmedAfterMs)
}

/**
 * The answer to a request whose idempotency key already guards a message: the first answer again, or the current knowledge.
 *
 * A message that has been pending for longer than any send can take belongs to a crashed process. So its outcome is
 * unknown, as after a lost answer.
 */
const replay = ({ by, sameRequest }: Claimed, now: Instant, unconfirmedAfterMs: number): E.Either<ReplayError, Sent> => {
  if (!sameRequest) return E.left({ _tag: 'IdempotencyKeyReused' })
  if (by.platformId !== undefined) return E.right({ id: by.id, platformId: by.platformId, replayed: true })
  if (by.state === 'pending' && now < by.createdAt + unconfirmedAfterMs) return E.left({ _tag: 'IdempotencyInProgress' })
  return E.left({ _tag: 'OutcomeUnknown', cause: 'the platform has not confirmed it', messageId: by.id, replayed: true })
}

const isClaimed = (outcome: Sent | Claimed): outcome is Claimed => '_tag' in outcome

/** Whether a send was refused before its message was opened, that is before its key was checked. */
const isRefusedUnopened = (failure: { readonly _tag: string }): boolean => !('messageId' in failure) && failure._tag !== 'PortFailure'

/** A message to be paid for and sent. */
export type DeliverCommand<Of extends Message = Message> = {
  readonly workspace: WorkspaceId
  readonly message: Of
  /** The claim on the caller's idempotency key, if there is one. */
  readonly claim: Claim | undefined
  /** The id of the API key that sends it, if there is one. */
  readonly keyId: string | undefined
  /** The limit of that key, if it has one. */
  readonly spending: Spending | undefined
  /** The entries that are stored together with the acceptance, in addition to its events. */
  readonly outboxEntries: MakeOutboxEntries<MovedMessage> | undefined
  /** When processing of the request started. */
  readonly begunAt: Instant
}

/** How long after its processing started a send may start its call to the platform. One limit for the queue and storage together, however the time is split. */
const BEGINS_WITHIN_MS = 20 * SECOND_MS

/** How a delivery can fail. A failure after the message was opened contains its id. A plain `PlatformUnreachable` means that it was not admitted. */
export type DeliverError = PrepareError | PlatformUnreachable | WithMessageId<InsufficientBalance | SpendingLimitReached | PlatformError>

/** The dependencies of admitting a send. */
export type PermitDeps = TracingDeps & Pick<ReplayDeps, 'messageLog' | 'windowClock'> & {
  /** Limits how many sends run simultaneously; if absent, every send starts immediately. */
  readonly admission?: Admission
}

/** What both sends need. */
export type DeliverDeps = PrepareDeps & ReplayDeps & PermitDeps & ReserveDeps & TransmitDeps & {
  readonly windowClock: WindowClock
  /** A new message id; ids sort by time. */
  readonly newMessageId: () => MessageId
}

/**
 * Checks a message, waits until it is admitted, pays for it, and sends it.
 *
 * The message is stored and its price held before the network call, and settled after it, because no transaction can stay open across that call.
 * If `prepare` refuses the message, no money is held.
 */
const deliver = async <Of extends Message>(
  deps: DeliverDeps, command: DeliverCommand<Of>, prefetched: Prefetched | undefined,
): Sending<DeliverError | RefusalOf<Of>> => {
  const prepared = await prepare(deps, command.workspace, command.message, prefetched)
  return E.isLeft(prepared) ? prepared : withPermit(deps, command)(() => payAndSend(deps, command, prepared.right))
}

/**
 * Runs a send when it is admitted. A send that is not admitted is refused before anything is written.
 *
 * A request that repeats an earlier one needs no permit. So if a permit is not available immediately, its key is looked up first.
 */
const withPermit =
  ({ admission, messageLog, tracer, windowClock }: PermitDeps, { workspace, claim }: ReplayCommand) =>
  async <Failure>(send: () => Sending<Failure>): Sending<Failure | PlatformUnreachable | PortFailure> => {
    if (admission === undefined) return send()
    if (claim !== undefined && !admission.hasRoom()) {
      const claimed = await messageLog.claimed(workspace, claim, windowClock.now())
      if (E.isLeft(claimed)) return claimed
      if (O.isSome(claimed.right)) return E.right(claimed.right.value)
    }
    const permit = await inSpan(tracer, QUEUE_SPAN, () => admission.admit(workspace))
    if (E.isLeft(permit)) return permit
    try {
      return await send()
    } finally {
      permit.right.release()
    }
  }

const QUEUE_SPAN = { name: 'queue', kind: 'internal' } as const

const payAndSend = async (deps: DeliverDeps, command: DeliverCommand, prepared: Prepared): Sending<DeliverError> => {
  const draft = draftOf(deps, command, prepared)
  const sentBefore = command.begunAt + BEGINS_WITHIN_MS
  if (draft.at >= sentBefore) return E.left({ _tag: 'PlatformUnreachable', cause: 'the send could not begin in time' })
  const reserved = await inSpan(deps.tracer, HOLD_SPAN, () => reserve(deps)(draft, { sentBefore, spending: command.spending, free: freeOffer(deps, prepared, draft.at) }))
  if (E.isLeft(reserved)) return reserved
  return reserved.right._tag === 'Claimed' ? E.right(reserved.right) : transmit(deps, reserved.right.draft, prepared, command.outboxEntries)
}

const HOLD_SPAN = { name: 'hold', kind: 'internal' } as const

/** The workspace for which a message is sent, and the options of every send. */
export type SendOptions = {
  readonly workspace: WorkspaceId
  /** A request with the same key gets the answer of this request. */
  readonly idempotencyKey?: IdempotencyKey
  /** The API key that sends it, if there is one; its daily limit applies. */
  readonly key?: SendingKey
  /** The entries that are stored together with the platform's acceptance. */
  readonly outboxEntries?: MakeOutboxEntries<MovedMessage>
  /** Its reads, if they were started before; they are not older than the request. */
  readonly prefetched?: Prefetched
}

/** The command of a send: its message, the claim on its idempotency key, and the limit of its API key. */
const deliverCommand = <Of extends Message>(
  { windowClock }: Pick<DeliverDeps, 'windowClock'>, { workspace, message, idempotencyKey, key, outboxEntries }: SendCommand<Of>,
): DeliverCommand<Of> => ({
  workspace, message, claim: idempotencyKey && { key: idempotencyKey, request: requestOf(message) }, keyId: key?.id, spending: spendingOf(key), outboxEntries,
  begunAt: windowClock.now(),
})

const draftOf = (
  { newMessageId, tracer, windowClock }: DeliverDeps, { workspace, message, claim, keyId }: DeliverCommand, { price: { micros, currency, category } }: Prepared,
): Draft => {
  const trace = contextToKeep(tracer)
  return {
    id: newMessageId(), workspace, message, price: { micros, currency, category }, at: windowClock.now(), ...(claim && { claim }), ...(trace && { trace }),
    ...(keyId !== undefined && { keyId }),
  }
}

/** Sends a message of any kind. */
export type SendMessage = <Of extends Message>(command: SendCommand<Of>) => Promise<E.Either<SendError<Of>, Sent>>

/** A message to be sent for a workspace. The caller has checked that its content is within the limits of its type. */
export type SendCommand<Of extends Message = Message> = SendOptions & { readonly message: Of }

/** How sending a message can fail. */
export type SendError<Of extends Message = Message> = RefusalOf<Of> | DeliverError | ReplayError

export const makeSendMessage =
  (deps: DeliverDeps): SendMessage =>
  (command) => {
    const delivery = deliverCommand(deps, command)
    return withReplay(deps, delivery)(() => deliver(deps, delivery, command.prefetched))
  }

/** Sends free text, which the platform delivers only while the customer service window is open. */
export type SendText = (command: SendTextCommand) => Promise<E.Either<SendTextError, Sent>>

/** `text` is 1 to `MAX_TEXT_LENGTH` UTF-16 units; the caller has checked that. */
export type SendTextCommand = SendOptions & Omit<TextMessage, '_tag'>

/** How sending a text can fail. */
export type SendTextError = SendError<TextMessage>

export const makeSendText = (deps: DeliverDeps): SendText => {
  const send = makeSendMessage(deps)
  return ({ to, text, context, metadata, ...options }) => send({ ...options, message: { _tag: 'Text', to, text, ...(context && { context }), ...(metadata && { metadata }) } })
}

/** Sends an approved template, which the platform accepts at any time. */
export type SendTemplate = (command: SendTemplateCommand) => Promise<E.Either<SendTemplateError, Sent>>

/** A template to be sent for a workspace. */
export type SendTemplateCommand = NewTemplateMessage & SendOptions

/** How sending a template can fail; the customer service window does not matter. */
export type SendTemplateError = SendError<TemplateMessage>

export const makeSendTemplate = (deps: DeliverDeps): SendTemplate => {
  const send = makeSendMessage(deps)
  return (template) => send({ ...template, message: templateMessage(template) })
}

/** A send by a person, which adds an entry to the audit log; sends with an API key add none. */
export type SendAsPerson = <Of extends Message>(command: AsPerson<Of>) => Promise<E.Either<SendError<Of> | Forbidden | PortFailure, Sent>>

/** A message to be sent, and the person who sends it. */
export type AsPerson<Of extends Message> = Omit<SendCommand<Of>, 'outboxEntries' | 'key'> & { readonly by: Actor }

/** What the sends of people need. */
export type SendAsPersonDeps = { readonly send: SendMessage; readonly audit: Auditing; readonly workspaces: Pick<Workspaces, 'find'> }

/**
 * Makes the sends by people.
 *
 * The entry of a message is stored together with its acceptance. It contains the message's id, never its text. A refusal is recorded after it. A repeated
 * request sends nothing, so it adds no entry. A message that the platform accepted is never reported as an error, whether it could be recorded or not.
 */
export const makeSendAsPerson = ({ send, ...deps }: SendAsPersonDeps): SendAsPerson => ({ by, ...command }) => {
  const { kind, templateName } = contentOf(command.message)
  return noted(deps, by, command.workspace, { kind, ...(templateName !== undefined && { template: templateName }) }, (outboxEntries) => send({ ...command, outboxEntries }))
}

/** Records the result of a person's send in the audit log; the person must be allowed to send. `details` describe the message. */
export const noted = async <Failure extends { readonly _tag: string }>(
  { audit: { auditLog, newAuditId, now }, workspaces }: Omit<SendAsPersonDeps, 'send'>, by: Actor, workspace: WorkspaceId, details: JsonObject,
  send: (outboxEntries: MakeOutboxEntries<MovedMessage>) => Promise<E.Either<Failure, Sent>>,
): Promise<E.Either<Failure | Forbidden | PortFailure, Sent>> => {
  const entry = (outcome: AuditEntry['outcome'], more: Pick<AuditEntry, 'details'> & Partial<Pick<AuditEntry, 'subject'>>): AuditEntry => ({
    id: newAuditId(), at: now(), by: auditActorOf(by), act: 'message.send', outcome, workspace, ...(by.address !== undefined && { address: by.address }), ...more,
  })
  const refuse = (failure: { readonly _tag: string }) => auditLog.append([entry('refused', { details: { ...details, reason: failure._tag } })])
  const allowed = await checkAct({ workspaces }, { by, act: 'message.send', workspace })
  if (E.isLeft(allowed)) {
    if (allowed.left._tag === 'PortFailure') return E.left(allowed.left)
    const appended = await refuse(allowed.left)
    return E.isLeft(appended) ? appended : E.left(allowed.left)
  }
  const taken: Array<MessageId> = []
  const sent = await send(({ message }) => {
    taken.push(message.id)
    return [entry('done', { subject: message.id, details })]
  })
  // The following code cannot change the answer: the person must get it, even if it could not be recorded.
  if (E.isLeft(sent)) {
    if (sent.left._tag !== 'PortFailure') await refuse(sent.left)
  } else if (taken.length === 0 && !sent.right.replayed) {
    // A report arrived before the acceptance was stored, so the acceptance moved nothing and stored no entry.
    await auditLog.append([entry('done', { subject: sent.right.id, details })])
  }
  return sent
}
