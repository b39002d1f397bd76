import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { InsufficientBalance, PlatformError, PlatformUnreachable, PortFailure, SenderNotConfigured, WithMessageId } from '../errors.js'
import type { IdempotencyKey } from '../idempotency.js'
import { requestOf, type Message, type MessageId, type PlatformId, type Sent } from '../message.js'
import type { StateChange } from '../message-state.js'
import type { Claim, Draft } from '../ports/message-log.js'
import type { Platform } from '../ports/platform.js'
import type { Sender, Senders } from '../ports/senders.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Price, PriceOf } from '../rate-card.js'
import { SECOND_MS, type Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import type { ReplayDeps, Sending } from './replay.js'
import { reserve, type ReserveDeps } from './reserve.js'
import { settle, type SettleDeps } from './settle.js'
import { withPermit, type PermitDeps } from './with-permit.js'

/** A message to be paid for and sent. */
export type DeliverCommand = {
  readonly workspace: WorkspaceId
  readonly message: Message
  /** The claim on the caller's idempotency key, where there is one. */
  readonly claim: Claim | undefined
  /** When the request was taken up. */
  readonly begunAt: Instant
}

/** How long after it was taken up a send may begin its call to the platform. One total for the queue and for storage, whatever each of them takes. */
const BEGINS_WITHIN_MS = 20 * SECOND_MS

/** How a delivery can fail; a failure that came after the message was opened names it. `PlatformUnreachable` alone: it was not admitted. */
export type DeliverError = SenderNotConfigured | PlatformUnreachable | WithMessageId<InsufficientBalance | PlatformError> | PortFailure

/** What both sends need. */
export type DeliverDeps = ReserveDeps & SettleDeps & ReplayDeps & PermitDeps & {
  readonly platform: Platform
  readonly senders: Pick<Senders, 'senderOf'>
  readonly windowClock: WindowClock
  readonly priceOf: PriceOf
  /** A new message id; ids sort by time. */
  readonly newMessageId: () => MessageId
}

/**
 * Pays for a message, then sends it.
 *
 * The message is made durable and its price held before the network call, and settled after it, because no transaction
 * can stay open across that call. Once the platform has answered, its answer is the answer: trouble while settling is
 * retried, is left to reconciliation in the end, and never turns a sent message into an error.
 */
export const deliver =
  (deps: DeliverDeps) =>
  (command: DeliverCommand): Sending<DeliverError> =>
  async () => {
    const sender = await deps.senders.senderOf(command.workspace)()
    if (E.isLeft(sender)) return sender
    if (O.isNone(sender.right)) return E.left({ _tag: 'SenderNotConfigured' })
    const price = await deps.priceOf(command.workspace, command.message)()
    if (E.isLeft(price)) return price
    return withPermit(deps, command)(payAndSend(deps, command, sender.right.value, price.right))()
  }

const payAndSend =
  (deps: DeliverDeps, command: DeliverCommand, sender: Sender, price: Price): Sending<DeliverError> =>
  async () => {
    const draft = draftOf(deps, command, price)
    const beginsBefore = command.begunAt + BEGINS_WITHIN_MS
    if (draft.at >= beginsBefore) return E.left({ _tag: 'PlatformUnreachable', cause: 'the send could not begin in time' })
    const opening = await reserve(deps)(draft, beginsBefore)()
    if (E.isLeft(opening)) return opening
    return opening.right._tag === 'Claimed' ? E.right(opening.right) : transmit(deps, sender, draft)
  }

/** The command of a send: its message, and the claim on its idempotency key. */
export const deliverCommand = (
  { windowClock }: Pick<DeliverDeps, 'windowClock'>, workspace: WorkspaceId, message: Message, key: IdempotencyKey | undefined,
): DeliverCommand => ({
  workspace, message, claim: key && { key, request: requestOf(message) }, begunAt: windowClock.now(),
})

const draftOf = ({ newMessageId, windowClock }: DeliverDeps, { workspace, message, claim }: DeliverCommand, price: Price): Draft => ({
  id: newMessageId(), workspace, message, price, at: windowClock.now(), ...(claim && { claim }),
})

const transmit = async (deps: DeliverDeps, sender: Sender, draft: Draft): Promise<E.Either<WithMessageId<PlatformError>, Sent>> => {
  const answer = await deps.platform.send({ id: draft.id, sender, message: draft.message })()
  await settle(deps)(draft.workspace, draft.id, changeOf(answer, deps.windowClock.now()))()
  return E.isLeft(answer)
    ? E.left({ ...answer.left, messageId: draft.id, replayed: false })
    : E.right({ id: draft.id, platformId: answer.right, replayed: false })
}

const changeOf = (answer: E.Either<PlatformError, PlatformId>, at: Instant): StateChange => {
  if (E.isRight(answer)) return { state: 'accepted', at, platformId: answer.right }
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
