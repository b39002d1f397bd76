import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Change } from './delivery.js'
import type { InsufficientBalance, OfMessage, PlatformError, PortFailure, SenderNotConfigured } from './errors.js'
import { requestOf, type Message, type MessageId, type PlatformId } from './message.js'
import type { IdempotencyKey } from './idempotency.js'
import type { Claim, Draft } from './ports/message-log.js'
import type { Platform } from './ports/platform.js'
import type { Sender, Senders } from './ports/senders.js'
import type { WindowClock } from './ports/window-clock.js'
import type { PriceOf } from './rate-card.js'
import { orReplay, replay, type ReplayDeps, type ReplayError } from './replay.js'
import { reserve, type ReserveDeps } from './reserve.js'
import type { Sent } from './sent.js'
import { settle, type SettleDeps } from './settle.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/** A message to be paid for and sent. */
export type Delivery = {
  readonly workspace: WorkspaceId
  readonly message: Message
  readonly idempotencyKey?: IdempotencyKey
}

/** How a delivery can fail; a failure that came after the message was opened names it. */
export type DeliverError = SenderNotConfigured | OfMessage<InsufficientBalance | PlatformError> | ReplayError | PortFailure

/** What both sends need. */
export type DeliverDeps = ReserveDeps & SettleDeps & ReplayDeps & {
  readonly platform: Platform
  readonly senders: Senders
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
 * retried, left to reconciliation in the end, and never turns a sent message into an error.
 */
export const deliver =
  (deps: DeliverDeps) =>
  (delivery: Delivery): TE.TaskEither<DeliverError, Sent> =>
  async () => {
    const sender = await deps.senders.senderOf(delivery.workspace)()
    if (E.isLeft(sender)) return sender
    if (O.isNone(sender.right)) return orReplay(deps, delivery.workspace, claimOf(delivery))<SenderNotConfigured>({ _tag: 'SenderNotConfigured' })()
    const draft = draftOf(deps, delivery)
    const opening = await reserve(deps)(draft)()
    if (E.isLeft(opening)) return opening
    if (opening.right._tag === 'Claimed') return replay(opening.right, draft.at, deps.unconfirmedAfterMs)
    return transmit(deps, sender.right.value, draft)
  }

/** The claim a delivery makes on its idempotency key, where it has one. */
export const claimOf = ({ idempotencyKey: key, message }: Delivery): Claim | undefined => key && { key, request: requestOf(message) }

const draftOf = (deps: DeliverDeps, delivery: Delivery): Draft => {
  const { workspace, message } = delivery
  const claim = claimOf(delivery)
  return {
    id: deps.newMessageId(), workspace, message, price: deps.priceOf(message), at: deps.windowClock.now(), ...(claim && { claim }),
  }
}

const transmit = async (deps: DeliverDeps, sender: Sender, draft: Draft): Promise<E.Either<OfMessage<PlatformError>, Sent>> => {
  const answer = await deps.platform.send({ id: draft.id, sender, message: draft.message })()
  await settle(deps)(draft.workspace, draft.id, changeOf(answer, deps.windowClock.now()))()
  return E.isLeft(answer)
    ? E.left({ ...answer.left, messageId: draft.id, replayed: false })
    : E.right({ id: draft.id, platformId: answer.right, replayed: false })
}

const changeOf = (answer: E.Either<PlatformError, PlatformId>, at: Instant): Change => {
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
