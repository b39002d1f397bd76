import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { IdempotencyInProgress, IdempotencyKeyReused, OutcomeUnknown, PortFailure, WithMessageId } from '../errors.js'
import type { Sent } from '../message.js'
import type { Claim, Claimed, MessageLog } from '../ports/message-log.js'
import type { WindowClock } from '../ports/window-clock.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

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
export type Sending<Failure> = TE.TaskEither<Failure, Sent | Claimed>

/**
 * Runs a send so that a request that repeats an answered one gets the first answer again.
 *
 * The send finds most repetitions by itself, when it claims the key. One that it refuses before that, since the window has
 * closed or the sender is gone since, is looked up: what has changed after the first answer must not change it.
 */
export const withReplay =
  (deps: ReplayDeps, { workspace, claim }: ReplayCommand) =>
  <Failure extends { readonly _tag: string }>(send: Sending<Failure>): TE.TaskEither<Failure | ReplayError | PortFailure, Sent> =>
  async () => {
    const now = deps.windowClock.now()
    const outcome = await send()
    if (E.isRight(outcome)) return isClaimed(outcome.right) ? replay(outcome.right, now, deps.unconfirmedAfterMs) : E.right(outcome.right)
    if (claim === undefined || !isRefusedUnopened(outcome.left)) return outcome
    const claimed = await deps.messageLog.claimed(workspace, claim, now)()
    if (E.isLeft(claimed)) return claimed
    return O.isNone(claimed.right) ? outcome : replay(claimed.right.value, now, deps.unconfirmedAfterMs)
  }

/**
 * The answer to a request whose idempotency key guards a message already: the first answer again, or what is known by now.
 *
 * A message that has been pending for longer than any send can take belongs to a process that died, so its outcome is
 * unknown, like that of a lost answer.
 */
export const replay = ({ by, sameRequest }: Claimed, now: Instant, unconfirmedAfterMs: number): E.Either<ReplayError, Sent> => {
  if (!sameRequest) return E.left({ _tag: 'IdempotencyKeyReused' })
  if (by.platformId !== undefined) return E.right({ id: by.id, platformId: by.platformId, replayed: true })
  if (by.state === 'pending' && now < by.createdAt + unconfirmedAfterMs) return E.left({ _tag: 'IdempotencyInProgress' })
  return E.left({ _tag: 'OutcomeUnknown', cause: 'the platform has not confirmed it', messageId: by.id, replayed: true })
}

const isClaimed = (outcome: Sent | Claimed): outcome is Claimed => '_tag' in outcome

/** Whether a send was refused before its message was opened, so that its key was not looked at yet. */
const isRefusedUnopened = (failure: { readonly _tag: string }): boolean => !('messageId' in failure) && failure._tag !== 'PortFailure'
