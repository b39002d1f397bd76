import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { IdempotencyInProgress, IdempotencyKeyReused, OfMessage, OutcomeUnknown, PortFailure } from './errors.js'
import type { Claim, Claimed, MessageLog } from './ports/message-log.js'
import type { WindowClock } from './ports/window-clock.js'
import type { Sent } from './sent.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/** How a repeated request can be told that there is no answer for it, or not yet. */
export type ReplayError = IdempotencyInProgress | IdempotencyKeyReused | OfMessage<OutcomeUnknown>

/** What telling an earlier answer again needs. */
export type ReplayDeps = {
  readonly messageLog: Pick<MessageLog, 'claimed'>
  readonly windowClock: Pick<WindowClock, 'now'>
  /** How old a pending message must be, in milliseconds, to count as one whose process died. */
  readonly unconfirmedAfterMs: number
}

/**
 * What a request is told whose idempotency key already guards a message: the first answer again, or what is known by now.
 *
 * A message that has been pending for longer than any send can take belongs to a process that died, so its outcome is
 * as unknown as that of a lost answer.
 */
export const replay = ({ by, sameRequest }: Claimed, now: Instant, unconfirmedAfterMs: number): E.Either<ReplayError, Sent> => {
  if (!sameRequest) return E.left({ _tag: 'IdempotencyKeyReused' })
  if (by.platformId !== undefined) return E.right({ id: by.id, platformId: by.platformId, replayed: true })
  if (by.state === 'pending' && now < by.createdAt + unconfirmedAfterMs) return E.left({ _tag: 'IdempotencyInProgress' })
  return E.left({ _tag: 'OutcomeUnknown', cause: 'the platform has not confirmed it', messageId: by.id, replayed: true })
}

/** A refusal, unless the request repeats one that was answered: what has changed since must not change the answer. */
export const orReplay =
  ({ messageLog, windowClock, unconfirmedAfterMs }: ReplayDeps, workspace: WorkspaceId, claim: Claim | undefined) =>
  <Refusal>(refusal: Refusal): TE.TaskEither<Refusal | ReplayError | PortFailure, Sent> => {
    const now = windowClock.now()
    return claim === undefined
      ? TE.left(refusal)
      : pipe(
          messageLog.claimed(workspace, claim, now),
          TE.flatMap(O.match(
            (): TE.TaskEither<Refusal | ReplayError, Sent> => TE.left(refusal),
            (claimed) => TE.fromEither(replay(claimed, now, unconfirmedAfterMs)),
          )),
        )
  }
