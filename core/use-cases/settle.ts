import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import { messageMoved } from '../event-data.js'
import type { Along } from '../event.js'
import type { HoldState } from '../hold.js'
import type { MessageId } from '../message.js'
import type { AppliedChange } from '../message-record.js'
import { moneyMove, type MessageState, type StateChange } from '../message-state.js'
import type { FreeMessages } from '../ports/free-messages.js'
import type { MessageLog, MovedMessage } from '../ports/message-log.js'
import type { Wallet } from '../ports/wallet.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { alongFor, type EventDeps } from './event-deps.js'

/**
 * Takes work that failed and runs it again until it succeeds or time is up. Returns at once.
 *
 * Reconciliation closes what this gives up on, so an embedding app may do nothing here.
 */
export type RetryLater = (work: TE.TaskEither<PortFailure, unknown>) => void

/** What recording a change of a message needs. */
export type RecordChangeDeps = EventDeps & {
  readonly messageLog: Pick<MessageLog, 'apply'>
  readonly wallet: Pick<Wallet, 'capture' | 'release' | 'refund'>
  /** Where free messages are counted, where the sends take them. */
  readonly freeMessages?: Pick<FreeMessages, 'giveBack'>
}

/** What settling a send needs. */
export type SettleDeps = RecordChangeDeps & { readonly retryLater: RetryLater }

/** Whose money moves and when, and the note of an operator who moved it. */
export type MoneyOf = { readonly workspace: WorkspaceId; readonly message: MessageId; readonly at: Instant; readonly note?: string }

/**
 * Records the outcome of a send, in the log and in the wallet side by side.
 *
 * Neither waits for the other: both rank what they are given, so a report that overtakes this one leaves the same books.
 * It never fails; what could not be written now is tried again later. What `more` makes is stored with the change, as its events are.
 */
export const settle =
  (deps: SettleDeps) =>
  (workspace: WorkspaceId, id: MessageId, change: StateChange, more?: Along<MovedMessage>): T.Task<void> =>
  async () => {
    const events = await alongFor(deps.events, workspace, messageMoved)
    const along = more === undefined ? events : (moved: MovedMessage) => [...(events?.(moved) ?? []), ...more(moved)]
    const money = moveMoney(deps, change.state, { workspace, message: id, at: change.at })
    await Promise.all([orRetryLater(deps, deps.messageLog.apply(workspace, id, change, along)), orRetryLater(deps, money)])
  }

/**
 * Records a change that others may race: the money follows the state that the message ends in, not the change, so a failure
 * that is reported too late refunds nothing. Right: the message afterwards; none where there is no such message.
 */
export const recordChange =
  (deps: RecordChangeDeps, now: () => Instant) =>
  (workspace: WorkspaceId, id: MessageId, change: StateChange): TE.TaskEither<PortFailure, O.Option<AppliedChange>> =>
  async () => {
    const applied = await deps.messageLog.apply(workspace, id, change, await alongFor(deps.events, workspace, messageMoved))()
    if (E.isLeft(applied) || O.isNone(applied.right)) return applied
    const moved = await moveMoney(deps, applied.right.value.state, { workspace, message: id, at: now() })()
    return E.isLeft(moved) ? moved : applied
  }

/**
 * Moves a message's money to where its state requires. A message that was refused or failed gives back the free one that it took; one that was given up keeps
 * it, because it may have been sent, and then more would be free than the month allows. Right: the hold's state afterwards; `undefined` where nothing is to move.
 */
export const moveMoney = (
  { wallet, freeMessages }: Pick<RecordChangeDeps, 'wallet' | 'freeMessages'>, state: MessageState, of: MoneyOf,
): TE.TaskEither<PortFailure, HoldState | undefined> => {
  const move = moneyMove(state)
  if (move === 'keep') return TE.right(undefined)
  if (move === 'capture' || state === 'released' || freeMessages === undefined) return wallet[move](of)
  return async () => {
    const [moved, givenBack] = await Promise.all([wallet[move](of)(), freeMessages.giveBack({ workspace: of.workspace, message: of.message })()])
    return E.isLeft(givenBack) ? givenBack : moved
  }
}

const orRetryLater = async (deps: SettleDeps, work: TE.TaskEither<PortFailure, unknown>): Promise<void> => {
  if (E.isLeft(await work())) deps.retryLater(work)
}
