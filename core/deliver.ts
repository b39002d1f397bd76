import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Change } from './delivery.js'
import type { InsufficientBalance, OfMessage, PlatformError, PortFailure, SenderNotConfigured } from './errors.js'
import { requestOf, type Message, type MessageId } from './message.js'
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
    pipe(
      deps.senders.senderOf(delivery.workspace),
      TE.flatMap(O.match(
        () => orReplay(deps, delivery.workspace, claimOf(delivery))<SenderNotConfigured>({ _tag: 'SenderNotConfigured' }),
        (sender) => pay(deps, sender, draftOf(deps, delivery)),
      )),
    )

/** The claim a delivery makes on its idempotency key, where it has one. */
export const claimOf = ({ idempotencyKey: key, message }: Delivery): Claim | undefined => key && { key, request: requestOf(message) }

const draftOf = (deps: DeliverDeps, delivery: Delivery): Draft => {
  const { workspace, message } = delivery
  const claim = claimOf(delivery)
  return {
    id: deps.newMessageId(), workspace, message, price: deps.priceOf(message), at: deps.windowClock.now(), ...(claim && { claim }),
  }
}

const pay = (deps: DeliverDeps, sender: Sender, draft: Draft): TE.TaskEither<DeliverError, Sent> =>
  pipe(
    reserve(deps)(draft),
    TE.flatMap((opening): TE.TaskEither<DeliverError, Sent> =>
      opening._tag === 'Claimed' ? TE.fromEither(replay(opening, draft.at, deps.unconfirmedAfterMs)) : transmit(deps, sender, draft),
    ),
  )

const transmit = (deps: DeliverDeps, sender: Sender, draft: Draft): TE.TaskEither<OfMessage<PlatformError>, Sent> => {
  const settled = (change: Change): T.Task<void> => settle(deps)(draft.workspace, draft.id, change)
  return pipe(
    deps.platform.send({ id: draft.id, sender, message: draft.message }),
    TE.tapTask((platformId) => settled({ state: 'accepted', at: deps.windowClock.now(), platformId })),
    TE.tapError((error) => TE.fromTask(settled(changeOf(error, deps.windowClock.now())))),
    TE.bimap(
      (error) => ({ ...error, messageId: draft.id, replayed: false }),
      (platformId) => ({ id: draft.id, platformId, replayed: false }),
    ),
  )
}

const changeOf = (error: PlatformError, at: number): Change => {
  switch (error._tag) {
    case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused':
      return { state: 'refused', at, error: error.error }
    case 'PlatformUnreachable':
      return { state: 'refused', at, error: { message: 'The platform could not be reached' } }
    case 'OutcomeUnknown':
      return { state: 'unconfirmed', at }
  }
}
