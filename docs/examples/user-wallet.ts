import type { Database } from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import {
  attempt, type Balance, changeByPart, changeHold, type Currency, type HeldMoney, type HoldChange, type HoldState, type InsufficientBalance,
  type MessageId, type MoveHold, type NewHold, pageOf, portFailure, type PortFailure, type StaleHold, type Wallet, type WorkspaceId,
} from 'postern'

/** An account for each user of the app, and a charge for each message with the user who pays for it. Amounts are whole micros. */
export const USER_SCHEMA = `
  CREATE TABLE app_user (id TEXT PRIMARY KEY, currency TEXT NOT NULL, available INTEGER NOT NULL, held INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE user_charge (
    message TEXT PRIMARY KEY, workspace TEXT NOT NULL, user TEXT NOT NULL REFERENCES app_user, micros INTEGER NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL
  );
`

type Charge = HeldMoney & { readonly user: string }

const failure = portFailure('Wallet')

/** A wallet that charges messages to the account of `user`. Settling finds the user by the message. */
export const makeUserWallet = (database: Database, user: string): Wallet => ({ ...makeSettlingWallet(database), hold: holdFor(database, user) })

/** The same accounts for `receive` and `reconcile`, which settle the messages of all users and never hold. */
export const makeSettlingWallet = (database: Database): Wallet => {
  database.defaultSafeIntegers()
  const charge = database.prepare<[MessageId, WorkspaceId], Charge>('SELECT user, micros, state FROM user_charge WHERE message = ? AND workspace = ?')
  const move = database.prepare('UPDATE app_user SET available = available + ?, held = held + ? WHERE id = ?')
  const update = database.prepare('UPDATE user_charge SET state = ?, micros = ? WHERE message = ?')
  const stale = database.prepare<[number, string, number], StaleHold>(
    `SELECT workspace, message FROM user_charge WHERE state = 'held' AND at < ? AND message > ? ORDER BY message LIMIT ?`,
  )

  const write = ({ message }: StaleHold, found: Charge, change: HoldChange | undefined): HoldState => {
    if (change === undefined) return found.state
    update.run(change.state, change.micros, message)
    move.run(change.available, change.held, found.user)
    return change.state
  }
  const settle = (to: Parameters<typeof changeHold>[1]): MoveHold => (of) =>
    attempt(async () => database.transaction(() => {
      const found = charge.get(of.message, of.workspace)
      return found && write(of, found, changeHold(found, to))
    }).immediate(), failure)

  return {
    hold: async () => E.left(failure('only the wallet of a user can hold')),
    capture: settle('capture'),
    capturePart: async (of) => E.flattenW(await attempt(async () => database.transaction(() => {
      const found = charge.get(of.message, of.workspace)
      return found === undefined ? E.right(undefined) : E.map((change: HoldChange | undefined) => write(of, found, change))(changeByPart(found, of.micros))
    }).immediate(), failure)),
    release: settle('release'),
    refund: settle('refund'),
    holdOf: ({ workspace, message }) => attempt(async () => charge.get(message, workspace)?.state, failure),
    stale: ({ before, limit, cursor = '' }) =>
      attempt(async () => pageOf(stale.all(before, cursor, limit + 1), limit, ({ message }) => message), failure),
  }
}

const holdFor = (database: Database, user: string): Wallet['hold'] => {
  const account = database.prepare<[string], Balance>('SELECT currency, available, held FROM app_user WHERE id = ?')
  const charged = database.prepare<[MessageId]>('SELECT 1 FROM user_charge WHERE message = ?')
  const insert = database.prepare(`INSERT INTO user_charge (message, workspace, user, micros, state, at) VALUES (?, ?, ?, ?, 'held', ?)`)
  const move = database.prepare('UPDATE app_user SET available = available - ?, held = held + ? WHERE id = ?')

  const hold = ({ workspace, message, amount: { micros, currency }, at }: NewHold): E.Either<InsufficientBalance | PortFailure, void> => {
    if (charged.get(message) !== undefined) return E.right(undefined)
    const balance = account.get(user)
    if (balance?.currency !== currency) return E.left(failure('the user has no account in that currency'))
    if (balance.available < micros) return E.left({ _tag: 'InsufficientBalance', required: micros, ...balance })
    insert.run(message, workspace, user, micros, at)
    move.run(micros, micros, user)
    return E.right(undefined)
  }
  return async (price) => {
    const outcome = await attempt(async () => database.transaction(() => hold(price)).immediate(), failure)
    return E.isLeft(outcome) ? outcome : outcome.right
  }
}

/** Opens a user's account with an available balance. */
export const openUser = (database: Database, user: string, currency: Currency, micros: bigint): void => {
  database.prepare('INSERT INTO app_user (id, currency, available) VALUES (?, ?, ?)').run(user, currency, micros)
}
