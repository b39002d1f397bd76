import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Page, pageOf, type PageQuery } from '../../core/kernel/json.js'
import type { Balance, Currency } from '../../core/kernel/money.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import type { MessageId } from '../../core/messages/message.js'
import type { Entry, Ledger, OpenHold, ReferenceReused } from '../../core/money/ledger.js'
import { type BalanceOutOfRange, type EntryKind, isAmount } from '../../core/money/wallet.js'
import { type Addition, addMoney, balanceOf, REFERENCES, Refused, UNKNOWN_WORKSPACE } from './add-money.js'
import { auditWallets, booksOf } from './audit.js'
import type { Database } from './database.js'
import { spentBy } from './key-spending.js'
import { portTasks } from './port-tasks.js'
import { sqlErrorKind } from './sql-error.js'
import { instant, micros, type Queryable, type Row, select, textOrNone } from './sql.js'
import type { TransactEvents } from './transact-events.js'

/** The ledger over SQL. */
export const makeLedger = (database: Database, transactEvents: TransactEvents): Ledger => {
  const { db, dialect } = database
  return {
    topUp: (credit, along) => tasks.either(() => add('top_up', credit, along)),
    adjust: (adjustment, along) => tasks.either(() => add('adjustment', adjustment, along)),
    balance: (workspace) => tasks.value(async () => O.fromNullable(await balanceOf(db, workspace))),
    statement: (workspace, query) => tasks.value(() => statement(workspace, query)),
    keySpending: (workspace, keys, at) => tasks.value(() => spentBy(db, dialect, { workspace, keys, at })),
    totals: () => tasks.value(() => readTotals(db)),
    openHolds: (workspace, limit) => tasks.value(() => openHolds(workspace, limit)),
    books: (workspace) => tasks.value(async () => O.fromNullable(await booksOf(database, workspace))),
    audit: () => tasks.value(() => auditWallets(database)),
  }

  async function add(kind: 'top_up' | 'adjustment', { workspace, micros: amount, reference, note, at }: Addition, along?: Along<Balance>): Promise<Added> {
    if (!isAmount(amount)) return E.left((await balanceOf(db, workspace)) === undefined ? UNKNOWN_WORKSPACE : { _tag: 'BalanceOutOfRange' })
    try {
      return await transactEvents(async (trx, emit) => {
        const after = await addMoney(trx, dialect, kind, { workspace, micros: amount, reference, at, ...(note !== undefined && { note }) })
        if (along !== undefined) emit(along(after))
        return E.right(after)
      })
    } catch (error) {
      if (error instanceof Refused) return E.left(error.reason)
      if (sqlErrorKind(error) !== 'conflict') throw error
      return repeated(REFERENCES[kind], workspace, reference, amount)
    }
  }

  /** The answer if the reference exists. Rows older than the column `amount` have null there, so the entry's amount is read. */
  async function repeated(references: string, workspace: WorkspaceId, reference: string, amount: bigint): Promise<Added> {
    const [row] = await select(
      db,
      `SELECT coalesce(r.amount, (SELECT MAX(e.amount) FROM wallet_entries e
         WHERE e.workspace_id = r.workspace_id AND e.kind = 'top_up' AND e.reference = r.reference)) AS amount
       FROM ${references} r WHERE r.workspace_id = ? AND r.reference = ?`,
      [workspace, reference],
    )
    const credited = micros(row?.['amount'])
    if (credited !== amount) return E.left({ _tag: 'ReferenceReused', credited })
    return pipe(O.fromNullable(await balanceOf(db, workspace)), E.fromOption(() => UNKNOWN_WORKSPACE))
  }

  /** Reads the index of open holds, of which there are few: those of the messages that are under way now, and of unconfirmed ones. */
  async function openHolds(workspace: WorkspaceId, limit: number): Promise<ReadonlyArray<OpenHold>> {
    const rows = await select(
      db, 'SELECT message_id, amount, created_at FROM holds WHERE open_since IS NOT NULL AND workspace_id = ? ORDER BY open_since, message_id LIMIT ?',
      [workspace, limit],
    )
    return rows.map((row) => ({ message: row['message_id'] as MessageId, micros: micros(row['amount']), at: instant(row['created_at']) }))
  }

  /** Merges entries and holds. A hold is an entry with its message's id, and all ids sort by time. */
  async function statement(workspace: WorkspaceId, { limit, cursor }: PageQuery): Promise<Page<Entry>> {
    const before = cursor === undefined ? [] : [cursor]
    const [entries, holds] = await Promise.all([
      select(
        db,
        `SELECT id, kind, amount, message_id, reference, note, created_at FROM ${dialect.byWorkspace('wallet_entries')}
         WHERE workspace_id = ? ${cursor === undefined ? '' : 'AND id < ?'} ORDER BY id DESC LIMIT ?`,
        [workspace, ...before, limit + 1],
      ),
      select(
        db,
        `SELECT message_id, amount, created_at FROM ${dialect.byWorkspace('holds')}
         WHERE workspace_id = ? ${cursor === undefined ? '' : 'AND message_id < ?'} ORDER BY message_id DESC LIMIT ?`,
        [workspace, ...before.map((id) => `${MESSAGE_PREFIX}${id}`), limit + 1],
      ),
    ])
    const newestFirst = [...entries.map(entryOf), ...holds.map(holdEntryOf)].sort((a, b) => (a.id < b.id ? 1 : -1))
    return pageOf(newestFirst, limit, ({ id }) => id)
  }
}

type Added = E.Either<UnknownWorkspace | ReferenceReused | BalanceOutOfRange, Balance>

/** Adds up all wallets, of which there is one for each workspace. */
const readTotals = async (db: Queryable): Promise<ReadonlyArray<Balance>> => {
  const rows = await select(db, 'SELECT currency, SUM(available) AS available, SUM(held) AS held FROM wallets GROUP BY currency ORDER BY currency', [])
  return rows.map((row) => ({ currency: row['currency'] as Currency, available: micros(row['available']), held: micros(row['held']) }))
}

const MESSAGE_PREFIX = 'msg_'

/** The entry of a row of `wallet_entries`. */
export const entryOf = (row: Row): Entry => {
  const note = textOrNone(row['note'])
  return {
    id: String(row['id']),
    kind: row['kind'] as EntryKind,
    micros: micros(row['amount']),
    message: textOrNone(row['message_id']) as MessageId | undefined,
    reference: textOrNone(row['reference']),
    ...(note !== undefined && { note }),
    at: instant(row['created_at']),
  }
}

/** The entry of a row of `holds`. */
export const holdEntryOf = (row: Row): Entry => ({
  id: String(row['message_id']).slice(MESSAGE_PREFIX.length),
  kind: 'hold',
  micros: micros(row['amount']),
  message: row['message_id'] as MessageId,
  reference: undefined,
  at: instant(row['created_at']),
})

const tasks = portTasks('Ledger')
