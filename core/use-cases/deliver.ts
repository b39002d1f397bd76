import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { InsufficientBalance, PlatformError, PlatformUnreachable, SpendingLimitReached, WithMessageId } from '../errors.js'
import type { Along } from '../event.js'
import type { IdempotencyKey } from '../idempotency.js'
import { requestOf, type Accepted, type Message, type MessageId, type Sent } from '../message.js'
import type { StateChange } from '../message-state.js'
import type { Customers } from '../ports/customers.js'
import type { Claim, Draft, MovedMessage } from '../ports/message-log.js'
import type { Platform } from '../ports/platform.js'
import type { WindowClock } from '../ports/window-clock.js'
import { spendingOf, type SendingKey, type Spending } from '../spending-limit.js'
import { SECOND_MS, type Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { giveBackFreeMessage, takeFreeMessage, type FreeMessageDeps } from './free-message.js'
import { learnCustomer } from './learn-customer.js'
import type { PrepareDeps, Prepared, PrepareError } from './prepare.js'
import type { ReplayDeps, Sending } from './replay.js'
import { reserve, type ReserveDeps } from './reserve.js'
import { noteSenderHealth, type SenderHealthDeps } from './sender-health.js'
import { settle, type SettleDeps } from './settle.js'
import { withPermit, type PermitDeps } from './with-permit.js'

/** A message to be paid for and sent. */
export type DeliverCommand = {
  readonly workspace: WorkspaceId
  readonly message: Message
  /** The claim on the caller's idempotency key, where there is one. */
  readonly claim: Claim | undefined
  /** The limit of the API key that it is sent with, where there is one. */
  readonly spending: Spending | undefined
  /** What becomes durable together with the acceptance, besides its events. */
  readonly along: Along<MovedMessage> | undefined
  /** When the request was taken up. */
  readonly begunAt: Instant
}

/** How long after it was taken up a send may begin its call to the platform. One total for the queue and for storage, whatever each of them takes. */
const BEGINS_WITHIN_MS = 20 * SECOND_MS

/** How a delivery can fail; a failure that came after the message was opened names it. `PlatformUnreachable` alone: it was not admitted. */
export type DeliverError = PrepareError | PlatformUnreachable | WithMessageId<InsufficientBalance | SpendingLimitReached | PlatformError>

/** What both sends need. */
export type DeliverDeps = PrepareDeps & ReserveDeps & SettleDeps & ReplayDeps & PermitDeps & FreeMessageDeps & SenderHealthDeps & {
  readonly platform: Platform
  readonly windowClock: WindowClock
  /** What is known of customers; where absent, a customer is known by the given id alone. */
  readonly customers?: Pick<Customers, 'find' | 'learn'>
  /** A new message id; ids sort by time. */
  readonly newMessageId: () => MessageId
}

/**
 * Pays for a message, then sends it.
 *
 * The message is made durable and its price held before the network call, and settled after it, because no transaction
 * can stay open across that call. Once the platform has answered, its answer is the answer: trouble while settling is
 * retried, is left to reconciliation in the end, and never turns a sent message into an error. What `prepare` refuses is
 * refused before money is held.
 */
export const deliver =
  <Refusal>(deps: DeliverDeps, prepare: TE.TaskEither<Refusal, Prepared>) =>
  (command: DeliverCommand): Sending<DeliverError | Refusal> =>
  async () => {
    const prepared = await prepare()
    return E.isLeft(prepared) ? prepared : withPermit(deps, command)(payAndSend(deps, command, prepared.right))()
  }

const payAndSend =
  (deps: DeliverDeps, command: DeliverCommand, prepared: Prepared): Sending<DeliverError> =>
  async () => {
    const draft = draftOf(deps, command, prepared)
    const sentBefore = command.begunAt + BEGINS_WITHIN_MS
    if (draft.at >= sentBefore) return E.left({ _tag: 'PlatformUnreachable', cause: 'the send could not begin in time' })
    const charged = await takeFreeMessage(deps, prepared, draft)()
    if (E.isLeft(charged)) return charged
    const opening = await reserve(deps)(charged.right, { sentBefore, spending: command.spending })()
    if (E.isLeft(opening)) return opening
    if (opening.right._tag === 'Opened') return transmit(deps, draft, prepared, command.along)
    await giveBackFreeMessage(deps, charged.right)
    return E.right(opening.right)
  }

/** For whom a message is sent, which request it must not repeat, and the API key that it is sent with. */
export type SendTerms = {
  readonly workspace: WorkspaceId
  readonly idempotencyKey: IdempotencyKey | undefined
  readonly key: SendingKey | undefined
  readonly along: Along<MovedMessage> | undefined
}

/** The command of a send: its message, the claim on its idempotency key, and the limit of its API key. */
export const deliverCommand = (
  { windowClock }: Pick<DeliverDeps, 'windowClock'>, { workspace, idempotencyKey, key, along }: SendTerms, message: Message,
): DeliverCommand => ({
  workspace, message, claim: idempotencyKey && { key: idempotencyKey, request: requestOf(message) }, spending: spendingOf(key), along, begunAt: windowClock.now(),
})

const draftOf = (
  { newMessageId, windowClock }: DeliverDeps, { workspace, message, claim }: DeliverCommand, { price: { micros, currency, category } }: Prepared,
): Draft => ({
  id: newMessageId(), workspace, message, price: { micros, currency, category }, at: windowClock.now(), ...(claim && { claim }),
})

const transmit = async (
  deps: DeliverDeps, { id, workspace, message }: Draft, { sender, to }: Prepared, along: Along<MovedMessage> | undefined,
): Promise<E.Either<WithMessageId<PlatformError>, Sent>> => {
  const answer = await deps.platform.send({ id, sender, message: { ...message, to } })()
  const at = deps.windowClock.now()
  // What the answer says of the customer is said again by every status, so a failure to keep it changes nothing.
  const learning = E.isRight(answer) && answer.right.customer !== undefined
    ? learnCustomer(deps, workspace, { ...answer.right.customer, at })()
    : undefined
  const accepted = E.isRight(answer) ? along : undefined
  await Promise.all([settle(deps)(workspace, id, changeOf(answer, at), accepted)(), learning, noteSenderHealth(deps, { workspace, sender, answer, at })])
  return E.isLeft(answer)
    ? E.left({ ...answer.left, messageId: id, replayed: false })
    : E.right({ id, platformId: answer.right.platformId, replayed: false })
}

const changeOf = (answer: E.Either<PlatformError, Accepted>, at: Instant): StateChange => {
  if (E.isRight(answer)) return { state: 'accepted', at, platformId: answer.right.platformId }
  const error = answer.left
  switch (error._tag) {
    case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused':
      return { state: 'refused', at, error: error.error }
    case 'PlatformUnreachable':
      return { state: 'refused', at, error: { message: 'The platform could not be reached' } }
    case 'OutcomeUnknown':
      return { state: 'unconfirmed', at }
  }
}
