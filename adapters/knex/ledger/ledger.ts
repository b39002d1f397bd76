import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PairLimits } from '../../../core/customers/pair-limit.js'
import { type BatchId, isBatchId, type WorkspaceId } from '../../../core/kernel/ids.js'
import { type Page, pageOf, type PageQuery } from '../../../core/kernel/page.js'
import type { Balance, Currency } from '../../../core/kernel/money.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { UnknownWorkspace } from '../../../core/kernel/workspace.js'
import type { MessageLog, MovedMessage } from '../../../core/messages/message-log.js'
import {
  applyChange, isMessageId, type MessageId, type MessageRecord, type NoSuchMessage, type NotUnconfirmed,
} from '../../../core/messages/message.js'
import {
  checkResolution, type Entry, type Ledger, type MessageMoney, moneyAgrees, type MoneyMismatch, type OpenHold, type ReferenceReused,
  type Reserving, type Resolution,
} from '../../../core/money/ledger.js'
import {
  type BalanceOutOfRange, type EntryKind, type FreeMessages, type HoldState, isAmount, type Wallet,
} from '../../../core/money/wallet.js'
import type { PortfolioBudget } from '../../../core/messages/portfolio-budget.js'
import type { SenderBudget } from '../../../core/senders/sender-budget.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { auditWallets, booksOf } from '../audit.js'
import { type Addition, addMoney, balanceOf, REFERENCES, Refused, UNKNOWN_WORKSPACE } from './balances.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { type Dialect, sqlErrorKind } from '../engine/dialect.js'
import { instant, micros, type Queryable, type Row, select, textOrNone } from '../engine/sql.js'
import type { TransactEvents } from '../events/entries.js'
import { spentBy } from '../access/keys.js'
import { daysOf, ENTRY_COLUMNS, movementRows, senderColumn } from './ledger-days.js'
import { AFTER_IDS } from './ledger-sums.js'
import { applyChanges, jsonOrNone, recordOf, stateOf } from '../messages/message-changes.js'
import type { Reservations } from '../messages/reserve.js'
import { moveMoney, reservedIn } from './wallet.js'

/** The ledger over SQL. */
export const makeLedger = (database: Database, transactEvents: TransactEvents): Ledger => {
  const { db, dialect } = database
  return {
    topUp: (credit, outboxEntries) => tasks.either(() => add('top_up', credit, outboxEntries)),
    adjust: (adjustment, outboxEntries) => tasks.either(() => add('adjustment', adjustment, outboxEntries)),
    balance: (workspace) => tasks.value(async () => O.fromNullable(await balanceOf(db, workspace))),
    statement: (workspace, query) => tasks.value(() => statement(workspace, query)),
    movements: (workspace, query) => tasks.value(async () =>
      pageOf((await movementRows(database, workspace, query)).map(entryOf), query.limit, ({ id }) => id)),
    days: (workspace, period) => tasks.value(async () => O.fromNullable(await daysOf(database, workspace, period, entryOf))),
    keySpending: (workspace, keys, at) => tasks.value(() => spentBy(db, dialect, { workspace, keys, at })),
    totals: () => tasks.value(() => readTotals(db)),
    openHolds: (workspace, limit) => tasks.value(() => openHolds(workspace, limit)),
    books: (workspace) => tasks.value(async () => O.fromNullable(await booksOf(database, workspace))),
    audit: () => tasks.value(() => auditWallets(database)),
  }

  async function add(
    kind: 'top_up' | 'adjustment', { workspace, micros: amount, reference, note, at }: Addition, outboxEntries?: MakeOutboxEntries<Balance>,
  ): Promise<Added> {
    if (!isAmount(amount)) return E.left((await balanceOf(db, workspace)) === undefined ? UNKNOWN_WORKSPACE : { _tag: 'BalanceOutOfRange' })
    try {
      return await transactEvents(async (trx, emit) => {
        const after = await addMoney(trx, dialect, kind, { workspace, micros: amount, reference, at, ...(note !== undefined && { note }) })
        if (outboxEntries !== undefined) emit(outboxEntries(after))
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

  /** Reads the index of open holds, of which there are few: those of messages in progress, and of unconfirmed messages. */
  async function openHolds(workspace: WorkspaceId, limit: number): Promise<ReadonlyArray<OpenHold>> {
    const [ofMessages, shared] = await Promise.all([
      select(
        db, 'SELECT message_id, amount, created_at FROM holds WHERE open_since IS NOT NULL AND workspace_id = ? ORDER BY open_since, message_id LIMIT ?',
        [workspace, limit],
      ),
      select(
        db,
        `SELECT message_id, amount, created_at FROM ${dialect.byWorkspace('holds')}
         WHERE workspace_id = ? AND message_id >= ? AND message_id < ? AND state = 'held' ORDER BY message_id LIMIT ?`,
        [workspace, BATCH_PREFIX, `${BATCH_PREFIX}${AFTER_IDS}`, limit],
      ),
    ])
    const open = [...ofMessages, ...shared].map((row): OpenHold => {
      const id = String(row['message_id'])
      const of = isBatchId(id) ? { batch: id } : { message: id as MessageId }
      return { ...of, micros: micros(row['amount']), at: instant(row['created_at']) }
    })
    return (shared.length === 0 ? open : open.sort((a, b) => a.at - b.at)).slice(0, limit)
  }

  /** Merges entries and holds. A hold is an entry with the id of its message or batch, and all ids sort by time. */
  async function statement(workspace: WorkspaceId, { limit, cursor }: PageQuery): Promise<Page<Entry>> {
    const before = cursor === undefined ? [] : [cursor]
    const holdsOf = (prefix: string): Promise<ReadonlyArray<Row>> => select(
      db,
      `SELECT ${HOLD_ENTRY_COLUMNS}, ${senderColumn('holds')} FROM ${dialect.byWorkspace('holds')}
       WHERE workspace_id = ? AND message_id >= ? AND message_id < ? ORDER BY message_id DESC LIMIT ?`,
      [workspace, prefix, `${prefix}${cursor ?? AFTER_IDS}`, limit + 1],
    )
    const [entries, ...holds] = await Promise.all([
      select(
        db,
        `SELECT ${ENTRY_COLUMNS} FROM ${dialect.byWorkspace('wallet_entries')}
         WHERE workspace_id = ? ${cursor === undefined ? '' : 'AND id < ?'} ORDER BY id DESC LIMIT ?`,
        [workspace, ...before, limit + 1],
      ),
      holdsOf(MESSAGE_PREFIX), holdsOf(BATCH_PREFIX),
    ])
    const newestFirst = [...entries.map(entryOf), ...holds.flat().map(holdEntryOf)].sort((a, b) => (a.id < b.id ? 1 : -1))
    return pageOf(newestFirst, limit, ({ id }) => id)
  }
}

type Added = E.Either<UnknownWorkspace | ReferenceReused | BalanceOutOfRange, Balance>

/** Adds up all wallets. There is one for each workspace. */
const readTotals = async (db: Queryable): Promise<ReadonlyArray<Balance>> => {
  const rows = await select(
    db, 'SELECT currency, SUM(available) AS available, SUM(held) AS held FROM wallets GROUP BY currency ORDER BY currency', [],
  )
  return rows.map((row) => ({ currency: row['currency'] as Currency, available: micros(row['available']), held: micros(row['held']) }))
}

/** The prefixes of the ids of holds, which are as long as each other: of the hold of a message, and of a shared hold. */
const MESSAGE_PREFIX = 'msg_'
const BATCH_PREFIX = 'bat_'

/** The entry of a row of `wallet_entries`. */
export const entryOf = (row: Row): Entry => {
  const [note, error] = [textOrNone(row['note']), jsonOrNone(row['error'])]
  return {
    id: String(row['id']),
    kind: row['kind'] as EntryKind,
    micros: micros(row['amount']),
    message: textOrNone(row['message_id']) as MessageId | undefined,
    ...senderIn(row),
    reference: textOrNone(row['reference']),
    ...(note !== undefined && { note }),
    ...(error !== undefined && { error }),
    at: instant(row['created_at']),
  }
}

/** The columns of the entry of a hold. */
export const HOLD_ENTRY_COLUMNS = 'message_id, amount, reserved, batch_id, created_at'

/** The entry of a row of `holds`. */
export const holdEntryOf = (row: Row): Entry => {
  const of = row['message_id'] as MessageId | BatchId
  return {
    id: of.slice(MESSAGE_PREFIX.length),
    kind: 'hold',
    micros: reservedIn(row),
    ...(isBatchId(of) ? { message: undefined, reference: of } : { message: of, ...senderIn(row), reference: textOrNone(row['batch_id']) }),
    at: instant(row['created_at']),
  }
}

const senderIn = (row: Row): Pick<Entry, 'sender'> => (typeof row['sender'] === 'string' ? { sender: senderIdOf(row['sender']) } : {})

const tasks = portTasks('Ledger')

/** The messages and their holds over SQL. It writes in the same way as the message log and the wallet, in one transaction that locks the message first. */
export const makeMessageMoney = (
  { db, dialect }: Database, transactEvents: TransactEvents,
  own: Pick<Reservations, 'reserve'> & {
    readonly messageLog: MessageLog; readonly wallet: Wallet; readonly freeMessages: FreeMessages; readonly pairLimits: PairLimits
    readonly senderBudget: SenderBudget; readonly portfolioBudget: PortfolioBudget
  },
): MessageMoney => {
  const applying = applyChanges(dialect)
  const reserve: Reserving = (draft, spending, outboxEntries, free, { pair, slot, portfolio } = {}) =>
    // Each call has its own objects, by which its results are found.
    messageMoneyTasks.either(() => own.reserve(draft, { spending, outboxEntries }, free, {
      ...(pair && { pair: { ...pair } }), ...(slot && { slot: { ...slot } }),
      ...(portfolio && { portfolio: { ...portfolio } }),
    }))
  return {
    reservingOver: ({
      messageLog, wallet, freeMessages = own.freeMessages, pairLimits = own.pairLimits, senderBudget = own.senderBudget,
      portfolioBudget = own.portfolioBudget,
    }) =>
      messageLog === own.messageLog && wallet === own.wallet && freeMessages === own.freeMessages && pairLimits === own.pairLimits
        && senderBudget === own.senderBudget && portfolioBudget === own.portfolioBudget
        ? reserve
        : undefined,
    resolve: (resolution, outboxEntries) => messageMoneyTasks.either(() => resolve(resolution, outboxEntries)),
    mismatches: (query) => messageMoneyTasks.value(() => mismatches(db, dialect, query)),
  }

  function resolve(
    resolution: Resolution, outboxEntries: MakeOutboxEntries<MovedMessage> | undefined,
  ): Promise<E.Either<NoSuchMessage | NotUnconfirmed, MessageRecord>> {
    const { workspace, message: id, at, note } = resolution
    return transactEvents(async (trx, emit) => {
      const [row] = await select(trx, `SELECT * FROM messages WHERE workspace_id = ? AND id = ? ${dialect.forUpdate}`, [workspace, id])
      const [hold] = await select(trx, 'SELECT state FROM holds WHERE workspace_id = ? AND message_id = ?', [workspace, id])
      const message = row && recordOf(row)
      const change = checkResolution(message, hold?.['state'] as HoldState | undefined, resolution)
      if (E.isLeft(change)) return change
      if (message === undefined) return E.left({ _tag: 'NoSuchMessage', id })
      if (change.right === undefined) return E.right(message)
      const move = change.right.state === 'accepted' ? 'capture' : 'release'
      await applying.run(trx, [{ workspace, id, change: change.right, outboxEntries }], true, emit)
      const moving = { _tag: 'Move', move, workspace, message: id, at, known: undefined, note } as const
      const [moved] = await moveMoney(dialect, trx, [moving], true, emit)
      if (moved instanceof Error) throw moved
      return E.right(applyChange(message, change.right))
    })
  }
}

/**
 * Newest first within a workspace, because a crash leaves the newest messages unfinished; on MySQL across all workspaces, because there the primary key is only
 * the id of the message.
 */
const mismatches = async (db: Queryable, dialect: Dialect, { limit, cursor }: PageQuery): Promise<Page<MoneyMismatch>> => {
  const { before, order } = dialect.name === 'mysql' ? MYSQL_WALK : WALK
  const [workspace = '', message = ''] = cursor?.split(' ') ?? []
  const place = dialect.name === 'mysql' ? [message] : [workspace, message]
  const rows = await select(
    db,
    `SELECT h.workspace_id, h.message_id, h.state AS hold, m.state AS state, m.played_at
     FROM (SELECT workspace_id, message_id, state FROM holds ${cursor === undefined ? '' : `WHERE ${before}`} ORDER BY ${order} LIMIT ?) h
     LEFT JOIN messages m ON m.workspace_id = h.workspace_id AND m.id = h.message_id ORDER BY ${order.replaceAll(/(\w+_id)/g, 'h.$1')}`,
    [...(cursor === undefined ? [] : place), limit + 1],
  )
  const read = rows.map((row): MoneyMismatch => ({
    workspace: row['workspace_id'] as WorkspaceId, message: row['message_id'] as MessageId, hold: row['hold'] as HoldState,
    state: row['state'] === null ? undefined : stateOf(row),
  }))
  const { items, next } = pageOf(read, limit, (one) => `${one.workspace} ${one.message}`)
  return { items: items.filter((one) => isMessageId(one.message) && !moneyAgrees(one.hold, one.state)), next }
}

const WALK = { before: '(workspace_id, message_id) < (?, ?)', order: 'workspace_id DESC, message_id DESC' }
const MYSQL_WALK = { before: 'message_id < ?', order: 'message_id DESC' }

const messageMoneyTasks = portTasks('MessageMoney')
