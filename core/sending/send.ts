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
import type { EntriesOf } from '../kernel/outbox.js'
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

/** Why a repeated request has no answer, or none yet. */
export type ReplayError = IdempotencyInProgress | IdempotencyKeyReused | WithMessageId<OutcomeUnknown>

/** What repeating an earlier answer needs. */
export type ReplayDeps = {
  readonly messageLog: Pick<MessageLog, 'claimed'>
  readonly windowClock: Pick<WindowClock, 'now'>
  /** How old a pending message must be, in milliseconds, to count as one whose process died. */
  readonly unconfirmedAfterMs: number
}

/** The request that may be a repetition: its workspace and, where it has an idempotency key, its claim on that key. */
export type ReplayCommand = { readonly workspace: WorkspaceId; readonly claim: Claim | undefined }

/** A send under way: accepted, or its idempotency key guards another message. */
export type Sending<Failure> = Promise<E.Either<Failure, Sent | Claimed>>

/**
 * Runs a send so that a request that repeats an answered one gets the first answer again.
 *
 * The send finds most repetitions by itself, when it claims the key. One that it refuses before that, since the window has
 * closed or the sender is gone since, is looked up: what has changed after the first answer must not change it.
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

/** The answer of the message that an idempotency key guards at a moment; `undefined` where it guards none. */
export const replayOf = async (
  { messageLog, unconfirmedAfterMs }: ReplayDeps, { workspace, claim }: ReplayCommand & { readonly claim: Claim }, now: Instant,
): Promise<E.Either<ReplayError | PortFailure, Sent> | undefined> => {
  const claimed = await messageLog.claimed(workspace, claim, now)
  if (E.isLeft(claimed)) return claimed
  return O.isNone(claimed.right) ? undefined : replay(claimed.right.value, now, unconfirmedAfterMs)
}

/**
 * The answer to a request whose idempotency key guards a message already: the first answer again, or what is known by now.
 *
 * A message that has been pending for longer than any send can take belongs to a process that died, so its outcome is
 * unknown, like that of a lost answer.
 */
const replay = ({ by, sameRequest }: Claimed, now: Instant, unconfirmedAfterMs: number): E.Either<ReplayError, Sent> => {
  if (!sameRequest) return E.left({ _tag: 'IdempotencyKeyReused' })
  if (by.platformId !== undefined) return E.right({ id: by.id, platformId: by.platformId, replayed: true })
  if (by.state === 'pending' && now < by.createdAt + unconfirmedAfterMs) return E.left({ _tag: 'IdempotencyInProgress' })
  return E.left({ _tag: 'OutcomeUnknown', cause: 'the platform has not confirmed it', messageId: by.id, replayed: true })
}

const isClaimed = (outcome: Sent | Claimed): outcome is Claimed => '_tag' in outcome

/** Whether a send was refused before its message was opened, so that its key was not looked at yet. */
const isRefusedUnopened = (failure: { readonly _tag: string }): boolean => !('messageId' in failure) && failure._tag !== 'PortFailure'

/** A message to be paid for and sent. */
export type DeliverCommand<Of extends Message = Message> = {
  readonly workspace: WorkspaceId
  readonly message: Of
  /** The claim on the caller's idempotency key, where there is one. */
  readonly claim: Claim | undefined
  /** The id of the API key that it is sent with, where there is one. */
  readonly keyId: string | undefined
  /** The limit of that key, where it has one. */
  readonly spending: Spending | undefined
  /** What becomes durable together with the acceptance, besides its events. */
  readonly entriesOf: EntriesOf<MovedMessage> | undefined
  /** When the request was taken up. */
  readonly begunAt: Instant
}

/** How long after it was taken up a send may begin its call to the platform. One total for the queue and for storage, whatever each of them takes. */
const BEGINS_WITHIN_MS = 20 * SECOND_MS

/** How a delivery can fail; a failure that came after the message was opened names it. `PlatformUnreachable` alone: it was not admitted. */
export type DeliverError = PrepareError | PlatformUnreachable | WithMessageId<InsufficientBalance | SpendingLimitReached | PlatformError>

/** What admitting a send needs. */
export type PermitDeps = TracingDeps & Pick<ReplayDeps, 'messageLog' | 'windowClock'> & {
  /** Limits how many sends are under way at once; where absent, every send starts at once. */
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
 * The message is made durable and its price held before the network call, and settled after it, because no transaction can stay open across that call.
 * What `prepare` refuses is refused before money is held.
 */
const deliver = async <Of extends Message>(
  deps: DeliverDeps, command: DeliverCommand<Of>, prefetched: Prefetched | undefined,
): Sending<DeliverError | RefusalOf<Of>> => {
  const prepared = await prepare(deps, command.workspace, command.message, prefetched)
  return E.isLeft(prepared) ? prepared : withPermit(deps, command)(() => payAndSend(deps, command, prepared.right))
}

/**
 * Runs a send when it is admitted. One that is not admitted is refused before anything is written.
 *
 * A request that repeats an earlier one needs no permit, so where a permit is not to be had at once, its key is looked up first.
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
  return reserved.right._tag === 'Claimed' ? E.right(reserved.right) : transmit(deps, reserved.right.draft, prepared, command.entriesOf)
}

const HOLD_SPAN = { name: 'hold', kind: 'internal' } as const

/** For whom a message is sent, and what every send may be given besides its message. */
export type SendOptions = {
  readonly workspace: WorkspaceId
  /** A request with the same key gets the answer of this one. */
  readonly idempotencyKey?: IdempotencyKey
  /** The API key that it is sent with, where there is one; its limit of a day is kept. */
  readonly key?: SendingKey
  /** What becomes durable together with the acceptance by the platform. */
  readonly entriesOf?: EntriesOf<MovedMessage>
  /** Its reads, where they were begun before; they are not older than the request. */
  readonly prefetched?: Prefetched
}

/** The command of a send: its message, the claim on its idempotency key, and the limit of its API key. */
const deliverCommand = <Of extends Message>(
  { windowClock }: Pick<DeliverDeps, 'windowClock'>, { workspace, message, idempotencyKey, key, entriesOf }: SendCommand<Of>,
): DeliverCommand<Of> => ({
  workspace, message, claim: idempotencyKey && { key: idempotencyKey, request: requestOf(message) }, keyId: key?.id, spending: spendingOf(key), entriesOf,
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

/** A message to be sent for a workspace. Its content keeps the limits of its type; the caller has checked that. */
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

/** Sends an approved template, which the platform takes at any time. */
export type SendTemplate = (command: SendTemplateCommand) => Promise<E.Either<SendTemplateError, Sent>>

/** A template to be sent for a workspace. */
export type SendTemplateCommand = NewTemplateMessage & SendOptions

/** How sending a template can fail; the customer service window does not matter. */
export type SendTemplateError = SendError<TemplateMessage>

export const makeSendTemplate = (deps: DeliverDeps): SendTemplate => {
  const send = makeSendMessage(deps)
  return (template) => send({ ...template, message: templateMessage(template) })
}

/** A send of a person, which leaves an entry in the audit log; those with an API key leave none. */
export type SendAsPerson = <Of extends Message>(command: AsPerson<Of>) => Promise<E.Either<SendError<Of> | Forbidden | PortFailure, Sent>>

/** A message to be sent, and who sends. */
export type AsPerson<Of extends Message> = Omit<SendCommand<Of>, 'entriesOf' | 'key'> & { readonly by: Actor }

/** What the sends of people need. */
export type SendAsPersonDeps = { readonly send: SendMessage; readonly audit: Auditing; readonly workspaces: Pick<Workspaces, 'find'> }

/**
 * Makes the sends of people.
 *
 * The entry of a message is stored together with its acceptance, and has the message's id and never its text. A refusal is noted after it. A repeated
 * request sends nothing, so it leaves no entry. What the platform has accepted is never an error, whether it could be noted or not.
 */
export const makeSendAsPerson = ({ send, ...deps }: SendAsPersonDeps): SendAsPerson => ({ by, ...command }) => {
  const { kind, templateName } = contentOf(command.message)
  return noted(deps, by, command.workspace, { kind, ...(templateName !== undefined && { template: templateName }) }, (entriesOf) => send({ ...command, entriesOf }))
}

/** Notes in the audit log what came of a send of a person, who must be allowed to do it; `details` say what was to be sent. */
export const noted = async <Failure extends { readonly _tag: string }>(
  { audit: { auditLog, newAuditId, now }, workspaces }: Omit<SendAsPersonDeps, 'send'>, by: Actor, workspace: WorkspaceId, details: JsonObject,
  send: (entriesOf: EntriesOf<MovedMessage>) => Promise<E.Either<Failure, Sent>>,
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
  // What follows cannot change the answer: the sender has to know it, even if it could not be noted.
  if (E.isLeft(sent)) {
    if (sent.left._tag !== 'PortFailure') await refuse(sent.left)
  } else if (taken.length === 0 && !sent.right.replayed) {
    // A report overtook the acceptance, so that the acceptance moved nothing and took nothing along.
    await auditLog.append([entry('done', { subject: sent.right.id, details })])
  }
  return sent
}
