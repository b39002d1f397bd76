import * as E from 'fp-ts/lib/Either.js'
import { uuidv7obj } from 'uuidv7'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type Page, pageOf, type PageQuery } from '../../core/kernel/page.js'
import type { MakeOutboxEntries } from '../../core/kernel/outbox.js'
import type { MessageId, MoneyMove } from '../../core/messages/message.js'
import {
  checkSpending, type EntryKind, type HoldState, type InsufficientBalance, type MoveHold, type NewHold, type SpendingLimitReached,
  type StaleHold, stepHold, type Wallet, type WalletAlert,
} from '../../core/money/wallet.js'
import {
  balanceIn, type HoldWrite, newWallet, raiseExhausted, raiseLow, readWallets, type WalletRow, writeAlerts, writeWallets,
} from './balances.js'
import { portTasks } from './engine/batches.js'
import type { Database } from './engine/database.js'
import { type Dialect, WriteConflict } from './engine/dialect.js'
import { type Bound, execute, inList, insert, micros, type Queryable, select, textOrNone } from './engine/sql.js'
import type { Emit } from './entries.js'
import { type LimitedHold, readSpending, spend, spendingRow, type SpendingRow, type SpendingRows, writeSpending } from './keys.js'

/** A new hold, or a move of an existing hold. */
export type WalletWrite = HoldWrite | ({ readonly _tag: 'Move' } & Move)

/** A move of one message's hold. */
export type Move = {
  readonly move: Exclude<MoneyMove, 'keep'>
  readonly workspace: string
  readonly message: string
  readonly at: number
  /** The hold, if this process created it and has not moved it since. Then the hold most likely is still held. */
  readonly known: KnownHold | undefined
  /** The operator's reason for a manual move. */
  readonly note?: string | undefined
}

/** The fields of a hold that never change: its message, its amount, its creation time, and the key whose limit it counts for. */
export type KnownHold = Pick<Move, 'workspace' | 'message'> & {
  readonly amount: bigint
  readonly createdAt: number
  readonly key: string | undefined
}

/** The result of a write, the alert that it raised, and the hold that it created. */
export type WalletWriteResult = {
  /** For a new hold: its state, `undefined` if the message already had a hold. For a move: the resulting state, `undefined` if there is no hold. */
  readonly answer: E.Either<InsufficientBalance | SpendingLimitReached, HoldState | undefined>
  readonly alert?: WalletAlert
  readonly made?: KnownHold
}

/**
 * Moves money of many wallets and messages in one transaction.
 *
 * It reads the rows, decides with core's rules and writes with guarded updates. If another transaction changed a row in between, the guarded update does not match that
 * row, and the whole transaction is rolled back and run again. Every transaction writes holds before wallets and wallets before the spending of keys, each in the order
 * of their ids, so that deadlocks are rare.
 */
export const moveMoney = async (
  dialect: Dialect, trx: Queryable, items: ReadonlyArray<WalletWrite>, verifyReads: boolean, emit: Emit,
): Promise<ReadonlyArray<WalletWriteResult | Error>> => {
  // The first try reads only the wallets that pay for new holds, and the moved holds that this process does not know. It assumes
  // that a new message has no hold. If it has one, the insert fails because the key exists. If a hold or a wallet differs from what
  // was assumed, its update matches no row. Both cases roll back, and the second try reads everything.
  // If a wallet has too little money or another currency, or a key has reached its limit, the wallet's holds are read in the first try too:
  // a repeated hold must succeed, a new one is refused.
  const [wallets, spending] = await Promise.all([
    readWallets(dialect, trx, items.filter(({ _tag }) => verifyReads || _tag === 'Hold')),
    readSpending(dialect, trx, items.filter(isLimited)),
  ])
  const refusing = refusingWallets(items, wallets, spending)
  const holds = await readHolds(dialect, trx, items.filter((item) =>
    verifyReads || refusing.has(item.workspace) || (item._tag === 'Move' && item.known === undefined)))
  if (!verifyReads) assumeUnchanged(items, holds, wallets)
  const answers = items.map((item) => (item._tag === 'Move' ? moveHold(item, { holds, wallets, spending }) : undefined))
  items.forEach((item, index) => { if (item._tag === 'Hold') answers[index] = addHold(item, { holds, wallets, spending }) })
  await Promise.all([
    writeHolds(dialect, trx, holds), writeWallets(dialect, trx, wallets).then(() => writeAlerts(trx, wallets, emit)),
    writeSpending(dialect, trx, spending), writeEntries(dialect, trx, holds),
  ])
  return answers.map((answer) => answer ?? NO_HOLD)
}

/** The key of a hold. It includes the workspace, so that a workspace cannot refer to a hold of another one. */
export const holdKey = ({ workspace, message }: {
  readonly workspace: string
  readonly message: string
}): string => `${workspace} ${message}`

/** A hold with its state before (`from`, `undefined` for a new hold) and after the transaction (`to`), and its new wallet entries. */
type HoldRow = KnownHold & {
  readonly from: HoldState | undefined
  to: HoldState
  readonly entries: Array<{ readonly kind: EntryKind; readonly at: number; readonly note: string | undefined }>
}

/** The rows that a transaction has read, and those that it will write. */
type Books = { readonly holds: Map<string, HoldRow>; readonly wallets: Map<string, WalletRow>; readonly spending: SpendingRows }

const readHolds = async (dialect: Dialect, trx: Queryable, items: ReadonlyArray<WalletWrite>): Promise<Map<string, HoldRow>> => {
  const keys = new Map(items.map((item) => [holdKey(item), [item.workspace, item.message]]))
  if (keys.size === 0) return new Map()
  const { sql, bindings } = inList(dialect, ['workspace_id', 'message_id'], [...keys.values()])
  const rows = await select(
    trx, `SELECT workspace_id, message_id, amount, state, created_at, key_id FROM ${dialect.byPrimaryKey('holds')} WHERE ${sql}`, bindings,
  )
  return new Map(rows.map((row) => {
    const hold: HoldRow = {
      workspace: String(row['workspace_id']), message: String(row['message_id']), amount: micros(row['amount']),
      createdAt: Number(row['created_at']),
      key: textOrNone(row['key_id']),
      from: row['state'] as HoldState, to: row['state'] as HoldState, entries: [],
    }
    return [holdKey(hold), hold]
  }))
}

const isLimited = (item: WalletWrite): item is WalletWrite & LimitedHold => item._tag === 'Hold' && item.spending !== undefined

/** The workspaces that may refuse a new hold, because a wallet or a limit cannot cover all of them or because a currency differs. */
const refusingWallets = (
  items: ReadonlyArray<WalletWrite>, wallets: ReadonlyMap<string, WalletRow>, spending: SpendingRows,
): Set<string> => {
  const requested = new Map<string, bigint>()
  const ofKeys = new Map<SpendingRow, bigint>()
  const refusing = new Set<string>()
  for (const item of items) {
    if (item._tag !== 'Hold') continue
    const { workspace, amount: { micros: required, currency } } = item
    const read = wallets.get(workspace)?.read
    const sum = (requested.get(workspace) ?? 0n) + required
    requested.set(workspace, sum)
    if ((read?.available ?? 0n) < sum || read?.currency !== currency) refusing.add(workspace)
    if (item.spending === undefined) continue
    const row = spendingRow(spending, workspace, item.spending.key, item.at)
    const spent = (ofKeys.get(row) ?? row.read ?? 0n) + required
    ofKeys.set(row, spent)
    if (spent > item.spending.limit) refusing.add(workspace)
  }
  return refusing
}

/** Adds rows that were not read: holds of this process, assumed to be still held, and wallets of moved holds, assumed to exist. */
const assumeUnchanged = (items: ReadonlyArray<WalletWrite>, holds: Map<string, HoldRow>, wallets: Map<string, WalletRow>): void => {
  for (const item of items) {
    if (item._tag === 'Hold') continue
    const { workspace, known } = item
    const key = holdKey(item)
    if (!wallets.has(workspace)) wallets.set(workspace, newWallet(undefined))
    if (known !== undefined && !holds.has(key)) holds.set(key, { ...known, from: 'held', to: 'held', entries: [] })
  }
}

const moveHold = (item: Move, { holds, wallets, spending }: Books): WalletWriteResult | Error => {
  const { move, at, note } = item
  const hold = holds.get(holdKey(item))
  if (hold === undefined) return NO_HOLD
  const wallet = wallets.get(hold.workspace)
  if (wallet === undefined) return new Error('the workspace has no wallet')
  const step = stepHold(hold.to, move)
  if (step !== undefined) {
    hold.to = step.state
    hold.entries.push(...step.entries.map((kind) => ({ kind, at, note })))
    wallet.addAvailable += step.available * hold.amount
    wallet.addHeld += step.held * hold.amount
    // Money that becomes available again was not spent, and the reverse.
    if (hold.key !== undefined && step.available !== 0n) {
      spendingRow(spending, hold.workspace, hold.key, hold.createdAt).add -= step.available * hold.amount
    }
  }
  return { answer: E.right(hold.to) }
}

const addHold = (hold: HoldWrite, { holds, wallets, spending }: Books): WalletWriteResult | Error => {
  const key = holdKey(hold)
  if (holds.has(key)) return NO_HOLD
  const wallet = wallets.get(hold.workspace)
  if (wallet?.read === undefined) return new Error('the workspace has no wallet')
  const { currency } = wallet.read
  if (currency !== hold.amount.currency) return new Error(`the wallet is in ${currency}, the price in ${hold.amount.currency}`)
  const { available, held } = balanceIn(wallet.read, wallet)
  const required = hold.amount.micros
  if (available < required) {
    return withAlert(
      E.left({ _tag: 'InsufficientBalance', required, available, held, currency }), raiseExhausted(hold, wallet.read, wallet),
    )
  }
  if (hold.spending !== undefined) {
    const { key: id, limit } = hold.spending
    const row = spendingRow(spending, hold.workspace, id, hold.at)
    const allowed = checkSpending({ amount: hold.amount, limit, spent: (row.read ?? 0n) + row.add, at: hold.at })
    if (E.isLeft(allowed)) return { answer: allowed }
    spend(row, required, limit)
  }
  wallet.addAvailable -= required
  wallet.addHeld += required
  wallet.guarded = true
  const { workspace, message, at: createdAt, spending: limited } = hold
  const made: KnownHold = { workspace, message, amount: required, createdAt, key: limited?.key }
  holds.set(key, { ...made, from: undefined, to: 'held', entries: [] })
  return { ...withAlert(E.right('held'), raiseLow(hold, wallet.read, wallet)), made }
}

/** The message has no hold, or no new one. */
export const NO_HOLD: WalletWriteResult = { answer: E.right(undefined) }

const withAlert = (answer: WalletWriteResult['answer'], alert: WalletAlert | undefined): WalletWriteResult =>
  ({ answer, ...(alert !== undefined && { alert }) })

const writeHolds = async (dialect: Dialect, trx: Queryable, holds: ReadonlyMap<string, HoldRow>): Promise<void> => {
  const added: Array<HoldRow> = []
  const changes = new Map<string, Array<HoldRow>>()
  for (const hold of holds.values()) {
    if (hold.from === undefined) {
      added.push(hold)
    } else if (hold.from !== hold.to) {
      const change = `${hold.from} ${hold.to}`
      const group = changes.get(change)
      if (group === undefined) changes.set(change, [hold])
      else group.push(hold)
    }
  }
  await Promise.all([
    ...Array.from(changes, ([change, rows]) => changeHolds(dialect, trx, change, rows)),
    insertHolds(dialect, trx, added),
  ])
}

/** The column of keys is written only if a hold counts for a limit. */
const insertHolds = (dialect: Dialect, trx: Queryable, holds: ReadonlyArray<HoldRow>): Promise<void> => {
  const hasKeys = holds.some(({ key }) => key !== undefined)
  return insert(
    trx, dialect, 'holds', ['workspace_id', 'message_id', 'amount', 'state', 'created_at', 'open_since', ...(hasKeys ? ['key_id'] : [])],
    holds.map(({ workspace, message, amount, to, createdAt, key }): ReadonlyArray<Bound> =>
      [workspace, message, amount, to, createdAt, to === 'held' ? createdAt : null, ...(hasKeys ? [key ?? null] : [])]),
  )
}

const changeHolds = async (dialect: Dialect, trx: Queryable, change: string, rows: ReadonlyArray<HoldRow>): Promise<void> => {
  const [from, to] = change.split(' ') as [string, string]
  const keys = rows.map(({ workspace, message }) => [workspace, message])
  const moved = 'a hold was moved by another transaction'
  if (dialect.name === 'sqlite') {
    await trx.writeEach(
      'UPDATE holds SET state = ?, open_since = NULL WHERE workspace_id = ? AND message_id = ? AND state = ?',
      keys.map((key) => [to, ...key, from]), moved,
    )
    return
  }
  const { sql, bindings } = inList(dialect, ['workspace_id', 'message_id'], keys)
  const touched = await execute(
    trx, `UPDATE ${dialect.byPrimaryKey('holds')} SET state = ?, open_since = NULL WHERE ${sql} AND state = ?`, [to, ...bindings, from],
  )
  if (touched !== rows.length) throw new WriteConflict(moved)
}

/** The column of notes is written only if an entry has a note, because few have one. */
const writeEntries = (dialect: Dialect, trx: Queryable, holds: ReadonlyMap<string, HoldRow>): Promise<void> => {
  const changed = [...holds.values()]
  const hasNotes = changed.some(({ entries }) => entries.some(({ note }) => note !== undefined))
  return insert(
    trx, dialect, 'wallet_entries', ['workspace_id', 'id', 'kind', 'amount', 'message_id', 'created_at', ...(hasNotes ? ['note'] : [])],
    changed.flatMap(({ workspace, message, amount, entries }) => entries.map(({ kind, at, note }) =>
      [workspace, uuidv7obj().toHex(), kind, amount, message, at, ...(hasNotes ? [note ?? null] : [])])),
  )
}

/** The writes of a wallet, which share transactions with those of all callers. They reject if the database fails. */
export type WalletWrites = {
  readonly hold: (hold: NewHold, outboxEntries: MakeOutboxEntries<WalletAlert> | undefined) => Promise<WalletWriteResult['answer']>
  readonly move: (move: Omit<Move, 'known'>) => Promise<WalletWriteResult['answer']>
}

/** The wallet over SQL. */
export const makeWallet = ({ db }: Database, writes: WalletWrites): Wallet => {
  return {
    hold: (hold, outboxEntries) => tasks.either(async () => E.map(() => undefined)(await writes.hold(hold, outboxEntries))),
    capture: makeMove('capture'),
    release: makeMove('release'),
    refund: makeMove('refund'),
    holdOf: ({ workspace, message }) => tasks.value(async () => {
      const [row] = await select(db, 'SELECT state FROM holds WHERE workspace_id = ? AND message_id = ?', [workspace, message])
      return row?.['state'] as HoldState | undefined
    }),
    stale: ({ before, limit, cursor }) => tasks.value(() => stale(before, limit, cursor)),
  }

  function makeMove(move: Move['move']): MoveHold {
    return (of) => tasks.value(async () => {
      const answer = await writes.move({ move, ...of })
      if (E.isLeft(answer)) throw new Error('a move of a hold cannot fail for lack of money')
      return answer.right
    })
  }

  async function stale(before: number, limit: number, cursor: string | undefined): Promise<Page<StaleHold>> {
    const after = readCursor(cursor)
    const rows = await select(
      db,
      `SELECT workspace_id, message_id, open_since FROM holds
       WHERE open_since < ? AND (open_since > ? OR (open_since = ? AND message_id > ?)) ORDER BY open_since, message_id LIMIT ?`,
      [before, after.since, after.since, after.message, limit + 1],
    )
    const { items, next } = pageOf(rows, limit, (row) => `${row['open_since']}.${row['message_id']}`)
    return { items: items.map((row) => ({ workspace: row['workspace_id'] as WorkspaceId, message: row['message_id'] as MessageId })), next }
  }
}

/** The cursor of a page of open holds: the time and the message of the last hold. */
const readCursor = (cursor: PageQuery['cursor']): { readonly since: number; readonly message: string } => {
  const [since, message] = cursor?.split('.') ?? []
  return { since: Number.isSafeInteger(Number(since)) ? Number(since) : -1, message: message ?? '' }
}

const tasks = portTasks('Wallet')
