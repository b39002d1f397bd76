import type { Database } from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import {
  attempt, type Balance, changeByPart, changeHold, type Currency, type HeldMoney, type HoldChange, type HoldState, type InsufficientBalance,
  type MessageId, type MoveHold, type NewHold, pageOf, portFailure, type PortFailure, type StaleHold, type Wallet, type WorkspaceId,
} from 'postern'

/** An account for each customer of the app, and a charge for each message. Amounts are whole micros. */
export const BILLING_SCHEMA = `
  CREATE TABLE account (workspace TEXT PRIMARY KEY, currency TEXT NOT NULL, available INTEGER NOT NULL, held INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE charge (
    message TEXT PRIMARY KEY, workspace TEXT NOT NULL REFERENCES account, micros INTEGER NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL
  );
`

const failure = portFailure('Wallet')

/** The app's billing as a `Wallet`. better-sqlite3 runs a transaction synchronously, so no other call sees half of it. */
export const makeBillingWallet = (database: Database): Wallet => {
  database.defaultSafeIntegers()
  const account = database.prepare<[WorkspaceId], Balance>('SELECT currency, available, held FROM account WHERE workspace = ?')
  const move = database.prepare('UPDATE account SET available = available + ?, held = held + ? WHERE workspace = ?')
  const charge = database.prepare<[MessageId, WorkspaceId], HeldMoney>('SELECT micros, state FROM charge WHERE message = ? AND workspace = ?')
  const insert = database.prepare('INSERT INTO charge (message, workspace, micros, state, at) VALUES (?, ?, ?, ?, ?)')
  const update = database.prepare('UPDATE charge SET state = ?, micros = ? WHERE message = ?')
  const stale = database.prepare<[number, string, number], StaleHold>(
    `SELECT workspace, message FROM charge WHERE state = 'held' AND at < ? AND message > ? ORDER BY message LIMIT ?`,
  )

  const hold = ({ workspace, message, amount: { micros, currency }, at }: NewHold): E.Either<InsufficientBalance | PortFailure, void> => {
    const balance = account.get(workspace)
    if (charge.get(message, workspace) !== undefined) return E.right(undefined)
    if (balance?.currency !== currency) return E.left(failure('there is no account in that currency'))
    if (balance.available < micros) return E.left({ _tag: 'InsufficientBalance', required: micros, ...balance })
    insert.run(message, workspace, micros, 'held', at)
    move.run(-micros, micros, workspace)
    return E.right(undefined)
  }

  const write = ({ workspace, message }: StaleHold, found: HeldMoney, change: HoldChange | undefined): HoldState => {
    if (change === undefined) return found.state
    update.run(change.state, change.micros, message)
    move.run(change.available, change.held, workspace)
    return change.state
  }
  const settle = (to: Parameters<typeof changeHold>[1]): MoveHold => (of) =>
    attempt(inTransaction(() => {
      const found = charge.get(of.message, of.workspace)
      return found && write(of, found, changeHold(found, to))
    }), failure)

  // Immediate: this takes the lock before the first read, so that another process cannot write in between.
  const inTransaction = <Result>(work: () => Result) => async (): Promise<Result> => database.transaction(work).immediate()

  return {
    hold: async (price) => {
      const outcome = await attempt(inTransaction(() => hold(price)), failure)
      return E.isLeft(outcome) ? outcome : outcome.right
    },
    capture: settle('capture'),
    capturePart: async (of) => E.flattenW(await attempt(inTransaction(() => {
      const found = charge.get(of.message, of.workspace)
      return found === undefined ? E.right(undefined) : E.map((change: HoldChange | undefined) => write(of, found, change))(changeByPart(found, of.micros))
    }), failure)),
    release: settle('release'),
    refund: settle('refund'),
    holdOf: ({ workspace, message }) => attempt(async () => charge.get(message, workspace)?.state, failure),
    stale: ({ before, limit, cursor = '' }) =>
      attempt(async () => pageOf(stale.all(before, cursor, limit + 1), limit, ({ message }) => message), failure),
  }
}

/** Opens a workspace's account with an available balance. */
export const openAccount = (database: Database, workspace: WorkspaceId, currency: Currency, micros: bigint): void => {
  database.prepare('INSERT INTO account (workspace, currency, available) VALUES (?, ?, ?)').run(workspace, currency, micros)
}
