import * as E from 'fp-ts/lib/Either.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { moneyMove, type Change, type MoneyMove } from './delivery.js'
import type { PortFailure } from './errors.js'
import type { MessageId } from './message.js'
import type { MessageLog } from './ports/message-log.js'
import type { Wallet } from './ports/wallet.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/**
 * Takes work that failed and tries it again until it succeeds or time is up; answers at once.
 *
 * What it gives up on, reconciliation closes later, so an embedding app may do nothing here.
 */
export type RetryLater = (work: TE.TaskEither<PortFailure, unknown>) => void

/** What writing down an outcome needs. */
export type SettleDeps = {
  readonly messageLog: Pick<MessageLog, 'settle'>
  readonly wallet: Pick<Wallet, 'capture' | 'release' | 'refund'>
  readonly retryLater: RetryLater
}

/**
 * Writes down what became of a message this process sent, in the log and in the wallet side by side.
 *
 * Neither waits for the other: both rank what they hear, so a report that overtakes this one leaves the same books.
 * It never fails; what could not be written now is tried again later.
 */
export const settle =
  (deps: SettleDeps) =>
  (workspace: WorkspaceId, id: MessageId, change: Change): T.Task<void> =>
  async () => {
    const money = moveMoney(deps.wallet, moneyMove(change.state), { workspace, message: id, at: change.at })
    await Promise.all([insist(deps, deps.messageLog.settle(workspace, id, change)), insist(deps, money)])
  }

/** Does to a message's hold what a move says. */
export const moveMoney = (
  wallet: SettleDeps['wallet'],
  move: MoneyMove,
  of: { readonly workspace: WorkspaceId; readonly message: MessageId; readonly at: Instant },
): TE.TaskEither<PortFailure, unknown> => (move === 'keep' ? TE.right(undefined) : wallet[move](of))

const insist = async (deps: SettleDeps, work: TE.TaskEither<PortFailure, unknown>): Promise<void> => {
  if (E.isLeft(await work())) deps.retryLater(work)
}
