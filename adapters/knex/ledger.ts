import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Page, pageOf, type PageQuery } from '../../core/kernel/json.js'
import type { Balance, Currency } from '../../core/kernel/money.js'
import type { EntriesOf } from '../../core/kernel/outbox.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import type { MovedMessage } from '../../core/messages/message-log.js'
import { applyChange, type MessageId, type MessageRecord, type NoSuchMessage, type NotUnconfirmed } from '../../core/messages/message.js'
import {
  checkResolution, type Entry, holdOfDraft, type Ledger, type MessageMoney, moneyAgrees, type MoneyMismatch, type OpenHold, type ReferenceReused, type Reserving, type Resolution,
} from '../../core/money/ledger.js'
import { type BalanceOutOfRange, type EntryKind, type FreeMessages, type FreeTaking, type HoldState, isAmount, type TakenBy } from '../../core/money/wallet.js'
import { auditWallets, booksOf } from './audit.js'
import { type Addition, addMoney, balanceOf, REFERENCES, Refused, UNKNOWN_WORKSPACE } from './balances.js'
import { makeBatcher, portTasks } from './engine/batches.js'
import { type Database, transact } from './engine/database.js'
import { type Dialect, sqlErrorKind, WriteConflict } from './engine/dialect.js'
import { type EachUpdate, execute, inList, insert, instant, micros, type Queryable, type Row, select, textOrNone, updateAll } from './engine/sql.js'
import type { TransactEvents } from './entries.js'
import { spentBy } from './keys.js'
import type { KnexMessageLog } from './messages.js'
import { applyChanges, recordOf, stateOf } from './message-changes.js'
import { type KnexWallet, walletWrites } from './wallet.js'
import { makeOpenDecision } from './writes.js'

/** The ledger over SQL. */
export const makeLedger = (database: Database, transactEvents: TransactEvents): Ledger => {
  const { db, dialect } = database
  return {
    topUp: (credit, entriesOf) => tasks.either(() => add('top_up', credit, entriesOf)),
    adjust: (adjustment, entriesOf) => tasks.either(() => add('adjustment', adjustment, entriesOf)),
    balance: (workspace) => tasks.value(async () => O.fromNullable(await balanceOf(db, workspace))),
    statement: (workspace, query) => tasks.value(() => statement(workspace, query)),
    keySpending: (workspace, keys, at) => tasks.value(() => spentBy(db, dialect, { workspace, keys, at })),
    totals: () => tasks.value(() => readTotals(db)),
    openHolds: (workspace, limit) => tasks.value(() => openHolds(workspace, limit)),
    books: (workspace) => tasks.value(async () => O.fromNullable(await booksOf(database, workspace))),
    audit: () => tasks.value(() => auditWallets(database)),
  }

  async function add(kind: 'top_up' | 'adjustment', { workspace, micros: amount, reference, note, at }: Addition, entriesOf?: EntriesOf<Balance>): Promise<Added> {
    if (!isAmount(amount)) return E.left((await balanceOf(db, workspace)) === undefined ? UNKNOWN_WORKSPACE : { _tag: 'BalanceOutOfRange' })
    try {
      return await transactEvents(async (trx, emit) => {
        const after = await addMoney(trx, dialect, kind, { workspace, micros: amount, reference, at, ...(note !== undefined && { note }) })
        if (entriesOf !== undefined) emit(entriesOf(after))
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

/** The messages and their holds over SQL. It writes as the message log and the wallet do, in one transaction that locks the message first. */
export const makeMessageMoney = ({ db, dialect }: Database, transactEvents: TransactEvents, own: { readonly messageLog: KnexMessageLog; readonly wallet: KnexWallet }): MessageMoney => {
  const [applying, moving] = [applyChanges(dialect), walletWrites(dialect)]
  return {
    reservingOver: ({ messageLog, wallet }) => (messageLog === own.messageLog && wallet === own.wallet ? reserve : undefined),
    resolve: (resolution, entriesOf) => messageMoneyTasks.either(() => resolve(resolution, entriesOf)),
    mismatches: (query) => messageMoneyTasks.value(() => mismatches(db, dialect, query)),
  }

  /** Both are asked for at once, so one transaction does both; the hold waits until the claim of the message's key is decided in it. */
  async function reserve(...[draft, spending, entriesOf]: Parameters<Reserving>): ReturnType<Reserving> {
    const decision = draft.claim && makeOpenDecision()
    // A message that was never tried, since its time was up in the queue, is not opened either, and its hold must not wait for ever.
    const open = own.messageLog.open(draft, decision).finally(() => decision?.decide(false))
    const [opening, holding] = await Promise.all([open, own.wallet.hold(holdOfDraft(draft, spending), entriesOf, decision)])
    return E.isRight(opening) && opening.right._tag === 'Opened' && E.isLeft(holding) ? holding : opening
  }

  function resolve(resolution: Resolution, entriesOf: EntriesOf<MovedMessage> | undefined): Promise<E.Either<NoSuchMessage | NotUnconfirmed, MessageRecord>> {
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
      await applying.run(trx, [{ workspace, id, change: change.right, entriesOf }], true, emit)
      const [moved] = await moving.run(trx, [{ _tag: 'Move', move, workspace, message: id, at, known: undefined, note }], true, emit)
      if (moved instanceof Error) throw moved
      return E.right(applyChange(message, change.right))
    })
  }
}

/** Newest first within a workspace, since a crash leaves the newest; on MySQL in all workspaces, whose primary key is the id of the message alone. */
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
  return { items: items.filter((one) => !moneyAgrees(one.hold, one.state)), next }
}

const WALK = { before: '(workspace_id, message_id) < (?, ?)', order: 'workspace_id DESC, message_id DESC' }
const MYSQL_WALK = { before: 'message_id < ?', order: 'message_id DESC' }

const messageMoneyTasks = portTasks('MessageMoney')

/** A message that takes a free one, or gives it back. */
export type TakeItem = ({ readonly _tag: 'Take' } & FreeTaking) | ({ readonly _tag: 'GiveBack' } & TakenBy)

/** The sender and the month whose count a message takes from. */
type CountKey = Pick<FreeTaking, 'phoneNumberId' | 'month'>

/** A message that has taken a free one. */
type Take = { readonly workspace: string; readonly message: string } & CountKey

/** What is stored: the takes of some messages, and the counts from which others are to be taken. */
export type StoredTakes = { readonly takes: ReadonlyMap<string, Take>; readonly counts: ReadonlyMap<string, number> }

/** A take that is new (1), or one that is gone (-1). */
type Change = { readonly take: Take; readonly by: 1 | -1 }

/** The answers of items, one after the other, and what they change. */
export const decideTakes = (
  stored: StoredTakes, items: ReadonlyArray<TakeItem>,
): { readonly answers: ReadonlyArray<boolean>; readonly changes: ReadonlyArray<Change> } => {
  const [takes, counts] = [new Map(stored.takes), new Map(stored.counts)]
  const change = (take: Take, by: 1 | -1): boolean => {
    if (by === 1) takes.set(messageKey(take), take)
    else takes.delete(messageKey(take))
    counts.set(countKey(take), (counts.get(countKey(take)) ?? 0) + by)
    return true
  }
  const answers = items.map((item) => {
    const own = takes.get(messageKey(item))
    if (item._tag === 'GiveBack') return own !== undefined && change(own, -1)
    return own !== undefined || ((counts.get(countKey(item)) ?? 0) < item.limit && change(item, 1))
  })
  const added = [...takes].filter(([key]) => !stored.takes.has(key)).map(([, take]): Change => ({ take, by: 1 }))
  const removed = [...stored.takes].filter(([key]) => !takes.has(key)).map(([, take]): Change => ({ take, by: -1 }))
  return { answers, changes: [...added, ...removed] }
}

/**
 * Reads what the items are about. The counts are read first: if another transaction takes for one of the messages in between, its count is then greater
 * than the one that was read.
 */
export const readTakes = async (db: Queryable, dialect: Dialect, items: ReadonlyArray<TakeItem>): Promise<StoredTakes> => {
  const counts = await readCounts(db, dialect, items.filter(isTake))
  const messages = new Map(items.map((item) => [messageKey(item), [item.workspace, item.message]]))
  const ofMessages = inList(dialect, ['workspace_id', 'message_id'], [...messages.values()])
  const rows = await select(
    db, `SELECT workspace_id, message_id, phone_number_id, in_month FROM ${dialect.byPrimaryKey('free_messages')} WHERE ${ofMessages.sql}`, ofMessages.bindings,
  )
  const takes = rows.map((row): Take => ({
    workspace: String(row['workspace_id']), message: String(row['message_id']), phoneNumberId: String(row['phone_number_id']), month: String(row['in_month']),
  }))
  return { takes: new Map(takes.map((take) => [messageKey(take), take])), counts }
}

const isTake = (item: TakeItem): item is Extract<TakeItem, { readonly _tag: 'Take' }> => item._tag === 'Take'

const readCounts = async (db: Queryable, dialect: Dialect, keys: ReadonlyArray<CountKey>): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map(keys.map((key) => [countKey(key), [key.phoneNumberId, key.month]]))
  if (counts.size === 0) return new Map()
  const { sql, bindings } = inList(dialect, ['phone_number_id', 'in_month'], [...counts.values()])
  const rows = await select(db, `SELECT phone_number_id, in_month, taken FROM free_message_counts WHERE ${sql}`, bindings)
  return new Map(rows.map((row) => [countKey({ phoneNumberId: String(row['phone_number_id']), month: String(row['in_month']) }), Number(row['taken'])]))
}

/**
 * Takes and gives back in the caller's transaction. It writes the counts first and only if none has grown since it was read, so of two transactions the
 * slower one is rolled back and run again. Then it reads what the other one has written.
 */
export const writeTakes = async (trx: Queryable, dialect: Dialect, items: ReadonlyArray<TakeItem>): Promise<ReadonlyArray<boolean>> => {
  const stored = await readTakes(trx, dialect, items)
  const { answers, changes } = decideTakes(stored, items)
  if (changes.length === 0) return answers
  await writeCounts(trx, dialect, stored, changes)
  const [added, removed] = ([1, -1] as const).map((wanted) => changes.flatMap(({ take, by }) => (by === wanted ? [take] : []))) as [Take[], Take[]]
  await insert(
    trx, dialect, 'free_messages', ['workspace_id', 'message_id', 'phone_number_id', 'in_month'],
    added.map(({ workspace, message, phoneNumberId, month }) => [workspace, message, phoneNumberId, month]),
  )
  await remove(trx, dialect, removed)
  return answers
}

const writeCounts = async (trx: Queryable, dialect: Dialect, { counts }: StoredTakes, changes: ReadonlyArray<Change>): Promise<void> => {
  const sums = new Map<string, { readonly key: CountKey; sum: number; isTaken: boolean }>()
  for (const { take, by } of changes) {
    const count = sums.get(countKey(take)) ?? { key: take, sum: 0, isTaken: false }
    sums.set(countKey(take), { ...count, sum: count.sum + by, isTaken: count.isTaken || by === 1 })
  }
  // Two transactions that write the same counts lock them in the same order.
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
  const missing = sorted.filter(([text]) => !counts.has(text))
  await insert(
    trx, dialect, 'free_message_counts', ['phone_number_id', 'in_month', 'taken'], missing.map(([, { key }]) => [key.phoneNumberId, key.month, 0]),
    dialect.insertIgnore('free_message_counts', ['phone_number_id', 'in_month'], 'taken'),
  )
  await updateAll(
    trx, dialect, ADD_TO_COUNTS,
    sorted.map(([text, { key, sum, isTaken }]) => [key.phoneNumberId, key.month, sum, isTaken ? counts.get(text) ?? 0 : Number.MAX_SAFE_INTEGER]),
    'another transaction has taken free messages',
  )
}

const ADD_TO_COUNTS: EachUpdate = {
  table: 'free_message_counts',
  key: ['phone_number_id', 'in_month'],
  columns: [{ name: 'added', type: 'integer' }, { name: 'most_taken', type: 'integer' }],
  set: [['taken', 't.taken + v.added']],
  where: 't.taken <= v.most_taken',
}

const remove = async (trx: Queryable, dialect: Dialect, takes: ReadonlyArray<Take>): Promise<void> => {
  if (takes.length === 0) return
  const { sql, bindings } = inList(dialect, ['workspace_id', 'message_id'], takes.map(({ workspace, message }) => [workspace, message]))
  const removed = await execute(trx, `DELETE FROM free_messages WHERE ${sql}`, bindings)
  if (removed !== takes.length) throw new WriteConflict('another transaction has given a free message back')
}

/** The key of a message. It includes the workspace, so that a workspace gives nothing back for another one. */
const messageKey = ({ workspace, message }: { readonly workspace: string; readonly message: string }): string => `${workspace} ${message}`

const countKey = ({ phoneNumberId, month }: CountKey): string => `${month} ${phoneNumberId}`

/**
 * The free messages of senders over SQL.
 *
 * Most texts find that none is left, and most messages that give one back have taken none. That costs two reads; only a change needs a transaction, which
 * is not that of the group commit: there a take would wait for the settlements of other sends.
 */
export const makeFreeMessages = (database: Database): FreeMessages => {
  const { db, dialect } = database
  const batcher = makeBatcher<TakeItem, boolean>(async (items, signal) => {
    const { answers, changes } = decideTakes(await readTakes(db, dialect, items), items)
    return changes.length === 0 ? answers : transact(database, (trx) => writeTakes(trx, dialect, items), { signal })
  })
  return {
    take: (taking) => freeMessageTasks.value(() => batcher.load({ _tag: 'Take', ...taking })),
    giveBack: ({ workspace, message }) => freeMessageTasks.value(async () => { await batcher.load({ _tag: 'GiveBack', workspace, message }) }),
    taken: (phoneNumberId, month) =>
      freeMessageTasks.value(async () => {
        const [row] = await select(db, 'SELECT taken FROM free_message_counts WHERE phone_number_id = ? AND in_month = ?', [phoneNumberId, month])
        return Number(row?.['taken'] ?? 0)
      }),
  }
}

const freeMessageTasks = portTasks('FreeMessages')
