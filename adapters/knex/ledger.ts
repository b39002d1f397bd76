import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import { uuidv7obj } from 'uuidv7'
import type { BalanceOutOfRange, UnknownWorkspace } from '../../core/errors.js'
import { MAX_MICROS, type Balance, type Currency } from '../../core/money.js'
import type { MessageId } from '../../core/message.js'
import type { Credit, Entry, EntryKind, Ledger, Page, PageQuery } from '../../core/ports/ledger.js'
import type { WorkspaceId } from '../../core/workspace.js'
import { attemptOf } from './attempt.js'
import { auditBooks } from './audit.js'
import type { Database } from './database.js'
import { insert } from './many-rows.js'
import { pageOf } from './message-log.js'
import { sqlErrorKind } from './sql-error.js'
import { execute, instant, micros, select, textOrNone, type Row } from './sql.js'
import { transact } from './transact.js'

/** The operator's side of the wallets over SQL. */
export const makeLedger = (database: Database): Ledger => {
  const { knex, dialect } = database
  return {
    topUp: (credit) => attempt.either(() => topUp(credit)),
    balance: (workspace) => attempt.value(() => balanceOf(workspace)),
    statement: (workspace, query) => attempt.value(() => statement(workspace, query)),
    audit: () => attempt.value(() => auditBooks(database)),
  }

  async function topUp(credit: Credit): Promise<E.Either<UnknownWorkspace | BalanceOutOfRange, Balance>> {
    try {
      await transact(database, async (trx) => {
        await insert(trx, dialect, 'top_ups', ['workspace_id', 'reference'], [[credit.workspace, credit.reference]])
        const touched = await execute(
          trx,
          'UPDATE wallets SET available = available + ? WHERE workspace_id = ? AND available <= ?',
          [credit.micros, credit.workspace, MAX_MICROS - credit.micros],
        )
        if (touched === 0) throw new NotCredited()
        await insert(
          trx, dialect, 'wallet_entries', ['workspace_id', 'id', 'kind', 'amount', 'reference', 'created_at'],
          [[credit.workspace, uuidv7obj().toHex(), 'top_up', credit.micros, credit.reference, credit.at]],
        )
      })
    } catch (error) {
      if (error instanceof NotCredited) {
        return E.left(O.isSome(await balanceOf(credit.workspace)) ? { _tag: 'BalanceOutOfRange' } : { _tag: 'UnknownWorkspace' })
      }
      // The reference is taken: this top-up was credited before.
      if (sqlErrorKind(error) !== 'conflict') throw error
    }
    return pipe(await balanceOf(credit.workspace), E.fromOption((): UnknownWorkspace => ({ _tag: 'UnknownWorkspace' })))
  }

  async function balanceOf(workspace: WorkspaceId): Promise<O.Option<Balance>> {
    const [row] = await select(knex, 'SELECT currency, available, held FROM wallets WHERE workspace_id = ?', [workspace])
    return row === undefined
      ? O.none
      : O.some({ available: micros(row['available']), held: micros(row['held']), currency: row['currency'] as Currency })
  }

  /** A hold is its own entry: its id is its message's, which sorts by time among those of the other entries. */
  async function statement(workspace: WorkspaceId, { limit, cursor }: PageQuery): Promise<Page<Entry>> {
    const before = cursor === undefined ? [] : [cursor]
    const [entries, holds] = await Promise.all([
      select(
        knex,
        `SELECT id, kind, amount, message_id, reference, created_at FROM wallet_entries
         WHERE workspace_id = ? ${cursor === undefined ? '' : 'AND id < ?'} ORDER BY id DESC LIMIT ?`,
        [workspace, ...before, limit + 1],
      ),
      select(
        knex,
        `SELECT message_id, amount, created_at FROM holds
         WHERE workspace_id = ? ${cursor === undefined ? '' : 'AND message_id < ?'} ORDER BY message_id DESC LIMIT ?`,
        [workspace, ...before.map((id) => `${MESSAGE_PREFIX}${id}`), limit + 1],
      ),
    ])
    const newestFirst = [...entries.map(entryOf), ...holds.map(holdEntryOf)].sort((a, b) => (a.id < b.id ? 1 : -1))
    return pageOf(newestFirst, limit)
  }
}

/** The wallet is not there, or too full; its transaction is rolled back. */
class NotCredited extends Error {}

const MESSAGE_PREFIX = 'msg_'

const entryOf = (row: Row): Entry => ({
  id: String(row['id']),
  kind: row['kind'] as EntryKind,
  micros: micros(row['amount']),
  message: textOrNone(row['message_id']) as MessageId | undefined,
  reference: textOrNone(row['reference']),
  at: instant(row['created_at']),
})

const holdEntryOf = (row: Row): Entry => ({
  id: String(row['message_id']).slice(MESSAGE_PREFIX.length),
  kind: 'hold',
  micros: micros(row['amount']),
  message: row['message_id'] as MessageId,
  reference: undefined,
  at: instant(row['created_at']),
})

const attempt = attemptOf('Ledger')
