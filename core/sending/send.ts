import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../access/access.js'
import { type Auditing, checkAct } from '../access/acting.js'
import type { Consent } from '../consent/consent.js'
import { type Actor, auditActorOf, type AuditEntry } from '../kernel/actor.js'
import type { OutcomeUnknown, PlatformError, PlatformUnreachable, PortFailure } from '../kernel/failure.js'
import type { WorkspaceId } from '../kernel/ids.js'
import type { JsonObject } from '../kernel/json.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import type { Workspaces } from '../kernel/workspace.js'
import type { Claim, Claimed, MovedMessage } from '../messages/message-log.js'
import {
  contentOf, type IdempotencyInProgress, type IdempotencyKey, type IdempotencyKeyReused, type Message, type MessageId,
  type NewTemplateMessage, pendingSince, requestOf, type Sent, type TemplateMessage, templateMessage, type TextMessage, type WithMessageId,
} from '../messages/message.js'
import { type SendingKey, spendingOf } from '../money/wallet.js'
import type { SenderId } from '../senders/sender.js'
import { accept, type AcceptCommand, type AcceptDeps, type ReserveError } from './accept.js'
import { dispatch, type DispatchDeps, type PermitDeps, type Repeatable, withPermit } from './dispatch.js'
import { prepare, type Prepared, type Prefetched, type PrepareDeps, type PrepareError, type RefusalOf } from './prepare.js'

/** Why a repeated request gets no answer, or not yet. */
export type ReplayError = IdempotencyInProgress | IdempotencyKeyReused | WithMessageId<OutcomeUnknown>

/** The dependencies of repeating an earlier answer. */
export type ReplayDeps = Pick<PermitDeps, 'messageLog' | 'windowClock'> & {
  /** The age of a pending message, in milliseconds, from which its process counts as crashed. */
  readonly unconfirmedAfterMs: number
}

/** A running send: sent, or its idempotency key guards another message. */
type Sending<Failure> = Promise<E.Either<Failure, Sent | Claimed>>

/**
 * Runs a send so that a repetition of an answered request gets the first answer again.
 *
 * The send finds most repetitions itself when it claims the key. If it refuses a request before that, for example because the window has since
 * closed or the sender was removed, the key is looked up here: changes after the first answer must not change that answer.
 */
const withReplay =
  (deps: ReplayDeps, { workspace, claim }: Repeatable) =>
  async <Failure extends { readonly _tag: string }>(
    send: () => Sending<Failure>,
  ): Promise<E.Either<Failure | ReplayError | PortFailure, Sent>> => {
    const now = deps.windowClock.now()
    const outcome = await send()
    if (E.isRight(outcome)) return '_tag' in outcome.right ? replay(outcome.right, now, deps.unconfirmedAfterMs) : E.right(outcome.right)
    if (claim === undefined || !isRefusedUnopened(outcome.left)) return outcome
    return await replayOf(deps, { workspace, claim }, now) ?? outcome
  }

/** The answer of the message that an idempotency key guards at a given time; `undefined` if it guards none. */
export const replayOf = async (
  { messageLog, unconfirmedAfterMs }: ReplayDeps, { workspace, claim }: Repeatable & { readonly claim: Claim }, now: Instant,
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
export const replay = ({ by, sameRequest }: Claimed, now: Instant, unconfirmedAfterMs: number): E.Either<ReplayError, Sent> => {
  if (!sameRequest) return E.left({ _tag: 'IdempotencyKeyReused' })
  if (by.platformId !== undefined) return E.right({ id: by.id, platformId: by.platformId, replayed: true })
  const since = pendingSince(by) ?? by.createdAt
  if (by.state === 'pending' && now < since + unconfirmedAfterMs) return E.left({ _tag: 'IdempotencyInProgress' })
  return E.left({ _tag: 'OutcomeUnknown', cause: 'the platform has not confirmed it', messageId: by.id, replayed: true })
}

/** Whether a send was refused before its message was opened, that is before its key was checked. */
export const isRefusedUnopened = (failure: { readonly _tag: string }): boolean =>
  !('messageId' in failure) && failure._tag !== 'PortFailure'

/** How a delivery can fail. A failure after the message was opened has its id. A plain `PlatformUnreachable`: it was not admitted. */
export type DeliverError = PrepareError | PlatformUnreachable | ReserveError | WithMessageId<PlatformError>

/** What both sends need. */
export type DeliverDeps = PrepareDeps & ReplayDeps & PermitDeps & AcceptDeps & DispatchDeps

/**
 * Prepares and accepts a message, and dispatches it immediately. It waits for its permit before it is accepted, so that nothing is written
 * for a send that is not admitted.
 *
 * The message is stored and its price held before the network call, and settled after it, because no transaction can stay open that long.
 */
const deliver = async <Of extends Message>(
  deps: DeliverDeps, accepting: AcceptCommand<Of>, { prefetched, outboxEntries }: SendOptions,
): Sending<DeliverError | RefusalOf<Of>> => {
  const prepared = await prepare(deps, accepting, prefetched)
  return E.isLeft(prepared) ? prepared : deliverPrepared(deps, accepting, prepared.right, outboxEntries)
}

/** Accepts a prepared message, and dispatches it immediately. */
export const deliverPrepared = (
  deps: DeliverDeps, accepting: AcceptCommand, prepared: Prepared, outboxEntries: SendOptions['outboxEntries'],
): Sending<DeliverError> =>
  withPermit(deps, accepting)(async (): Sending<DeliverError> => {
    const accepted = await accept(deps, accepting, prepared)
    if (E.isLeft(accepted)) return accepted
    return accepted.right._tag === 'Claimed' ? E.right(accepted.right) : dispatch(deps, accepted.right, outboxEntries)
  })

/** The workspace for which a message is sent, and the options of every send. */
export type SendOptions = {
  readonly workspace: WorkspaceId
  /** The sender through which it goes; if absent, the default sender. */
  readonly sender?: SenderId | undefined
  /** Whether the request is the same as one that names no sender: `sender` is the default sender, and the caller named it only because it had to. */
  readonly isDefaultSender?: boolean | undefined
  /** A request with the same key gets the answer of this request. */
  readonly idempotencyKey?: IdempotencyKey
  /** The API key that sends it, if there is one; its daily limit applies. */
  readonly key?: SendingKey
  /**
   * Makes the event `message.overdue` if the message is not delivered within this time, in milliseconds. The caller has checked it with `canConfirmWithin`. It has
   * no effect in a storage without `deliveryDeadlines`.
   */
  readonly confirmWithinMs?: number | undefined
  /** The entries that are stored together with the platform's acceptance. */
  readonly outboxEntries?: MakeOutboxEntries<MovedMessage>
  /** Its reads, if they were started before; they are not older than the request. */
  readonly prefetched?: Prefetched
}

/** What is accepted for a send: its message, the claim on its idempotency key, and the limit of its API key. */
export const acceptCommand = <Of extends Message>(
  { workspace, sender, isDefaultSender, message, idempotencyKey, key, confirmWithinMs }: SendCommand<Of>, begunAt: Instant,
): AcceptCommand<Of> => ({
  workspace, sender, message,
  claim: idempotencyKey && { key: idempotencyKey, request: requestOf(message, isDefaultSender ? undefined : sender, confirmWithinMs) },
  keyId: key?.id, spending: spendingOf(key), confirmWithinMs, begunAt,
})

/** Sends a message of any kind. */
export type SendMessage = <Of extends Message>(command: SendCommand<Of>) => Promise<E.Either<SendError<Of>, Sent>>

/** A message to be sent for a workspace. The caller has checked that its content is within the limits of its type. */
export type SendCommand<Of extends Message = Message> = SendOptions & { readonly message: Of }

/** How sending a message can fail. */
export type SendError<Of extends Message = Message> = RefusalOf<Of> | DeliverError | ReplayError

export const makeSendMessage =
  (deps: DeliverDeps): SendMessage =>
  (command) => {
    const accepting = acceptCommand(command, deps.windowClock.now())
    return withReplay(deps, accepting)(() => deliver(deps, accepting, command))
  }

/** Sends the answer to a stop, which the stop itself does not forbid. */
export const makeSendAnswer =
  (deps: DeliverDeps) =>
  (command: SendCommand<TextMessage>, answers: Consent): Promise<E.Either<SendError<TextMessage>, Sent>> => {
    const accepting = { ...acceptCommand(command, deps.windowClock.now()), answers }
    return withReplay(deps, accepting)(() => deliver(deps, accepting, command))
  }

/** Sends free text, which the platform delivers only while the customer service window is open. */
export type SendText = (command: SendTextCommand) => Promise<E.Either<SendTextError, Sent>>

/** `text` is 1 to `MAX_TEXT_LENGTH` UTF-16 units; the caller has checked that. */
export type SendTextCommand = SendOptions & Omit<TextMessage, '_tag'>

/** How sending a text can fail. */
export type SendTextError = SendError<TextMessage>

export const makeSendText = (deps: DeliverDeps): SendText => {
  const send = makeSendMessage(deps)
  return ({ to, text, context, metadata, ...options }) =>
    send({ ...options, message: { _tag: 'Text', to, text, ...(context && { context }), ...(metadata && { metadata }) } })
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
  return noted(
    deps, by, command.workspace, { kind, ...(templateName !== undefined && { template: templateName }) },
    (outboxEntries) => send({ ...command, outboxEntries }),
  )
}

/** Records the result of a person's send in the audit log; the person must be allowed to send. `details` describe the message. */
export const noted = async <Failure extends { readonly _tag: string }>(
  { audit: { auditLog, newAuditId, now }, workspaces }: Omit<SendAsPersonDeps, 'send'>, by: Actor, workspace: WorkspaceId,
  details: JsonObject, send: (outboxEntries: MakeOutboxEntries<MovedMessage>) => Promise<E.Either<Failure, Sent>>,
): Promise<E.Either<Failure | Forbidden | PortFailure, Sent>> => {
  const entry = (outcome: AuditEntry['outcome'], more: Pick<AuditEntry, 'details'> & Partial<Pick<AuditEntry, 'subject'>>): AuditEntry => ({
    id: newAuditId(), at: now(), by: auditActorOf(by), act: 'message.send', outcome, workspace,
    ...(by.address !== undefined && { address: by.address }), ...more,
  })
  const refuse = (failure: { readonly _tag: string }) =>
    auditLog.append([entry('refused', { details: { ...details, reason: failure._tag } })])
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
