import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { NoSuchMessage, NotUnconfirmed, PortFailure } from '../errors.js'
import type { Along } from '../event.js'
import type { HoldState } from '../hold.js'
import type { MessageId } from '../message.js'
import type { MessageRecord } from '../message-record.js'
import { moneyMove, type MessageState, type StateChange } from '../message-state.js'
import type { Page, PageQuery } from '../page.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import type { MovedMessage } from './message-log.js'

export type { NoSuchMessage, NotUnconfirmed, PortFailure } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export { stepHold, type HoldState } from '../hold.js'
export type { MessageId } from '../message.js'
export { applyChange, type MessageRecord } from '../message-record.js'
export { moneyMove, type MessageState, type StateChange } from '../message-state.js'
export type { Page, PageQuery } from '../page.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'
export type { MovedMessage } from './message-log.js'

/** The messages and their holds together: what must change in one step, and whether they agree. It writes what `MessageLog` and `Wallet` write. */
export interface MessageMoney {
  /**
   * Resolves a message of unknown outcome by hand: its state, its hold and the wallet move in one step. `checkResolution` is the rule, `MessageLog.apply`
   * says what becomes of the message, and the move of the hold has the note.
   *
   * Right: the message afterwards. One that has such an outcome already is answered as it is. Left `NoSuchMessage`, `NotUnconfirmed`: nothing was changed.
   * Of concurrent resolutions one moves the message, and every other one is judged by what that one left. After a `PortFailure` all of it is done, or
   * nothing. `along` is called where the message moved, and its entries are stored in the same step.
   */
  readonly resolve: (resolution: Resolution, along?: Along<MovedMessage>) => TaskEither<NoSuchMessage | NotUnconfirmed | PortFailure, MessageRecord>
  /**
   * Looks at `limit` holds of all workspaces and answers those that do not agree with their messages (`moneyAgrees`). So a page may have fewer items than
   * the limit, or none, and still a `next`, where the look goes on. Each hold is looked at once, and is read together with its message.
   */
  readonly mismatches: (query: PageQuery) => TaskEither<PortFailure, Page<MoneyMismatch>>
}

/** What an operator says became of a message, and why. */
export type Resolution = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly outcome: 'sent' | 'not_sent'
  readonly note: string
  readonly at: Instant
  /** When a pending message must have been opened, at the latest, to count as one of unknown outcome. */
  readonly pendingBefore: Instant
}

/** A hold that does not agree with its message; `state` is `undefined` where there is no such message. */
export type MoneyMismatch = {
  readonly workspace: WorkspaceId
  readonly message: MessageId
  readonly hold: HoldState
  readonly state: MessageState | undefined
}

/**
 * The change that a resolution makes; `undefined` where the message has such an outcome already.
 *
 * A price that was captured or refunded proves what became of its message, even where the log does not say so yet.
 */
export const checkResolution = (
  message: Pick<MessageRecord, 'id' | 'state' | 'createdAt'> | undefined, hold: HoldState | undefined, { message: id, outcome, at, pendingBefore }: Resolution,
): E.Either<NoSuchMessage | NotUnconfirmed, StateChange | undefined> => {
  if (message === undefined) return E.left({ _tag: 'NoSuchMessage', id })
  const state = outcome === 'sent' ? 'accepted' : 'released'
  if (moneyMove(message.state) === moneyMove(state)) return E.right(undefined)
  const isUnconfirmed = message.state === 'unconfirmed' || (message.state === 'pending' && message.createdAt < pendingBefore)
  if (!isUnconfirmed) return E.left({ _tag: 'NotUnconfirmed', id, state: message.state })
  const proven = hold === 'captured' ? 'accepted' : hold === 'refunded' ? 'failed' : state
  return proven === state ? E.right({ state, at }) : E.left({ _tag: 'NotUnconfirmed', id, state: proven })
}

/** Whether a hold is where the state of its message requires it. A pending message may have any: its answer is being written. */
export const moneyAgrees = (hold: HoldState, state: MessageState | undefined): boolean => {
  if (state === 'pending') return true
  switch (state === undefined ? 'release' : moneyMove(state)) {
    case 'keep': return hold === 'held'
    case 'capture': return hold === 'captured'
    case 'release': return hold === 'released'
    case 'refund': return hold === 'refunded'
  }
}
