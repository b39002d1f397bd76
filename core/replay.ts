import * as E from 'fp-ts/lib/Either.js'
import type { IdempotencyInProgress, IdempotencyKeyReused, OfMessage, OutcomeUnknown } from './errors.js'
import type { Opening } from './ports/message-log.js'
import type { Sent } from './sent.js'
import type { Instant } from './time.js'

export type ReplayError = IdempotencyInProgress | IdempotencyKeyReused | OfMessage<OutcomeUnknown>

/**
 * What a request is told whose idempotency key already guards a message: the first answer again, or what is known by now.
 *
 * A message that has been pending for longer than any send can take belongs to a process that died, so its outcome is
 * as unknown as that of a lost answer.
 */
export const replay = (
  { by, sameRequest }: Extract<Opening, { _tag: 'Claimed' }>,
  now: Instant,
  unconfirmedAfterMs: number,
): E.Either<ReplayError, Sent> => {
  if (!sameRequest) return E.left({ _tag: 'IdempotencyKeyReused' })
  if (by.platformId !== undefined) return E.right({ id: by.id, platformId: by.platformId, replayed: true })
  if (by.state === 'pending' && now < by.createdAt + unconfirmedAfterMs) return E.left({ _tag: 'IdempotencyInProgress' })
  return E.left({ _tag: 'OutcomeUnknown', cause: 'the platform has not confirmed it', messageId: by.id, replayed: true })
}
