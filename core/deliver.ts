import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Change } from './delivery.js'
import type { InsufficientBalance, OfMessage, PlatformError, PortFailure, SenderNotConfigured } from './errors.js'
import { requestOf, type Message, type MessageId } from './message.js'
import type { IdempotencyKey } from './idempotency.js'
import type { Draft } from './ports/message-log.js'
import type { Platform } from './ports/platform.js'
import type { Sender, Senders } from './ports/senders.js'
import type { WindowClock } from './ports/window-clock.js'
import type { PriceOf } from './rate-card.js'
import { replay, type ReplayError } from './replay.js'
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

export type DeliverError = SenderNotConfigured | OfMessage<InsufficientBalance | PlatformError> | ReplayError | PortFailure

export type DeliverDeps = ReserveDeps & SettleDeps & {
  readonly platform: Platform
  readonly senders: Senders
  readonly windowClock: WindowClock
  readonly priceOf: PriceOf
  /** A new message id; ids sort by time. */
  readonly newMessageId: () => MessageId
  /** How old a pending message must be, in milliseconds, to count as one whose process died. */
  readonly unconfirmedAfterMs: number
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
  ({ workspace, message, idempotencyKey }: Delivery): TE.TaskEither<DeliverError, Sent> =>
    pipe(
      senderOf(deps, workspace),
      TE.flatMap((sender) => {
        const draft: Draft = {
          id: deps.newMessageId(), workspace, message, price: deps.priceOf(message), at: deps.windowClock.now(),
          ...(idempotencyKey && { claim: { key: idempotencyKey, request: requestOf(message) } }),
        }
        return pipe(
          reserve(deps)(draft),
          TE.flatMap((opening): TE.TaskEither<DeliverError, Sent> =>
            opening._tag === 'Claimed' ? TE.fromEither(replay(opening, draft.at, deps.unconfirmedAfterMs)) : transmit(deps, sender, draft),
          ),
        )
      }),
    )

const senderOf = (deps: DeliverDeps, workspace: WorkspaceId): TE.TaskEither<SenderNotConfigured | PortFailure, Sender> =>
  pipe(
    deps.senders.senderOf(workspace),
    TE.flatMapOption((sender) => sender, (): SenderNotConfigured => ({ _tag: 'SenderNotConfigured' })),
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
