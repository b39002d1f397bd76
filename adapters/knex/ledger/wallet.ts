import * as E from 'fp-ts/lib/Either.js'
import { uuidv7obj } from 'uuidv7'
import { type BatchId, isBatchId, type WorkspaceId } from '../../../core/kernel/ids.js'
import { type Page, pageOf, type PageQuery } from '../../../core/kernel/page.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { MessageId, MoneyMove } from '../../../core/messages/message.js'
import {
  checkSplit, type HoldPart, type NoSuchSharedHold, type SharedHold, type SharedHoldReleased,
} from '../../../core/money/shared-holds.js'
import {
  changeByPart, changeHold, checkSpending, type EntryKind, type ExceedsHold, type HoldState, type InsufficientBalance, type MoveHold,
  type SpendingLimitReached, type StaleHold, type Wallet, type WalletAlert,
} from '../../../core/money/wallet.js'
import {
  balanceIn, type HoldWrite, newWallet, raiseExhausted, raiseLow, readWallets, type WalletRow, writeAlerts, writeWallets,
} from './balances.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { type Dialect, WriteConflict } from '../engine/dialect.js'
import {
  type Bound, type EachUpdate, execute, inList, insert, instantOrNone, micros, type Queryable, type Row, select, textOrNone, updateAll,
} from '../engine/sql.js'
import type { Emit } from '../events/entries.js'
import { type LimitedHold, readSpending, spend, spendingRow, type SpendingRow, type SpendingRows, writeSpending } from '../access/keys.js'

/** A new hold, a part of a shared hold that becomes the hold of a message, or a move of an existing hold. */
export type WalletWrite = HoldWrite | ({ readonly _tag: 'Split' } & HoldPart) | ({ readonly _tag: 'Move' } & Move)

/** A move of the hold of one message, or of a batch whose messages share it. */
export type Move = {
  readonly move: Exclude<MoneyMove, 'keep'>
  readonly workspace: string
  /** The id of the message or of the batch. */
  readonly message: string
  readonly at: number
  /** The part to be captured; by default the whole. */
  readonly part?: bigint | undefined
  /** The hold, if this process created it and has not moved it since. Then the hold most likely is still held. */
  readonly known: KnownHold | undefined
  /** The operator's reason for a manual move. */
  readonly note?: string | undefined
}

/** The fields of a message's hold that do not change as long as it is held: its amount, its creation time, and the key whose limit it counts for. */
export type KnownHold = Pick<Move, 'workspace' | 'message'> & {
  readonly amount: bigint
  readonly createdAt: number
  readonly key: string | undefined
  /** The batch out of whose shared hold it was taken, and when the shared hold was created. */
  readonly from?: { readonly batch: string; readonly at: number } | undefined
}

/** Why a new hold is refused. */
export type HoldRefusal = InsufficientBalance | SpendingLimitReached

/** Why a part of a hold is refused. */
export type PartRefusal = NoSuchSharedHold | SharedHoldReleased | ExceedsHold

/** The result of a write, the alert that it raised, and the hold of a message that it created. */
export type WalletWriteResult = {
  /** For a new hold or part: its state, `undefined` if there was a hold already. For a move: the resulting state, `undefined` if there is no hold. */
  readonly answer: E.Either<HoldRefusal | PartRefusal, HoldState | undefined>
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
    verifyReads || refusing.has(item.workspace) || item._tag === 'Split' || (item._tag === 'Move' && item.known === undefined)))
  if (!verifyReads) assumeUnchanged(items, holds, wallets)
  const answers = items.map((item) => (item._tag === 'Move' ? moveHold(item, { holds, wallets, spending }) : undefined))
  items.forEach((item, index) => { if (item._tag === 'Hold') answers[index] = addHold(item, { holds, wallets, spending }) })
  items.forEach((item, index) => { if (item._tag === 'Split') answers[index] = splitHold(item, holds) })
  await Promise.all([
    writeHolds(dialect, trx, holds), writeWallets(dialect, trx, wallets).then(() => writeAlerts(trx, wallets, emit)),
    writeSpending(dialect, trx, spending), writeEntries(dialect, trx, holds),
  ])
  return answers.map((answer) => answer ?? NO_HOLD)
}

/** The key of a hold, of a message or of a batch. It includes the workspace, so that a workspace cannot refer to a hold of another one. */
export const holdKey = ({ workspace, message }: {
  readonly workspace: string
  readonly message: string
}): string => `${workspace} ${message}`

/** A hold with its state before (`before`, `undefined` for a new hold) and after the transaction, and its new wallet entries. */
type HoldRow = KnownHold & {
  readonly before: HoldState | undefined
  state: HoldState
  /** The amount after the transaction; `amount` is the amount before it, and `reserved` the first one. */
  micros: bigint
  readonly reserved: bigint
  readonly entries: Array<{ readonly kind: EntryKind; readonly micros: bigint; readonly at: number; readonly note: string | undefined }>
}

/** A hold in its state as it was read or is assumed. */
const unchanged = (hold: KnownHold, state: HoldState, reserved = hold.amount): HoldRow =>
  ({ ...hold, before: state, state, micros: hold.amount, reserved, entries: [] })

/** A hold that the transaction creates. */
const created = (hold: KnownHold): HoldRow => ({ ...unchanged(hold, 'held'), before: undefined })

/** The rows that a transaction has read, and those that it will write. */
type Books = { readonly holds: Map<string, HoldRow>; readonly wallets: Map<string, WalletRow>; readonly spending: SpendingRows }

const readHolds = async (dialect: Dialect, trx: Queryable, items: ReadonlyArray<WalletWrite>): Promise<Map<string, HoldRow>> => {
  const read = items.flatMap((item) => [[item.workspace, item.message], ...(item._tag === 'Split' ? [[item.workspace, item.hold]] : [])])
  const keys = new Map(read.map((names) => [names.join(' '), names]))
  if (keys.size === 0) return new Map()
  const { sql, bindings } = inList(dialect, ['workspace_id', 'message_id'], [...keys.values()])
  const rows = await select(trx, `SELECT ${HOLD_COLUMNS} FROM ${dialect.byPrimaryKey('holds')} WHERE ${sql}`, bindings)
  return new Map(rows.map((row) => {
    const [batch, at] = [textOrNone(row['batch_id']), instantOrNone(row['reserved_at'])]
    const hold: KnownHold = {
      workspace: String(row['workspace_id']), message: String(row['message_id']), amount: micros(row['amount']),
      createdAt: Number(row['created_at']), key: textOrNone(row['key_id']),
      from: batch === undefined || at === undefined ? undefined : { batch, at },
    }
    return [holdKey(hold), unchanged(hold, row['state'] as HoldState, reservedIn(row))]
  }))
}

const HOLD_COLUMNS = 'workspace_id, message_id, amount, reserved, state, created_at, key_id, batch_id, reserved_at'

/** The first amount of a hold. */
export const reservedIn = (row: Row): bigint => micros(row['reserved'] ?? row['amount'])

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
    if (item._tag !== 'Move') continue
    const { workspace, known } = item
    const key = holdKey(item)
    if (!wallets.has(workspace)) wallets.set(workspace, newWallet(undefined))
    if (known !== undefined && !holds.has(key)) holds.set(key, unchanged(known, 'held'))
  }
}

const moveHold = (item: Move, { holds, wallets, spending }: Books): WalletWriteResult | Error => {
  const { move, part, at, note } = item
  const hold = holds.get(holdKey(item))
  if (hold === undefined) return NO_HOLD
  const wallet = wallets.get(hold.workspace)
  if (wallet === undefined) return new Error('the workspace has no wallet')
  const change = part === undefined ? E.right(changeHold(hold, move)) : changeByPart(hold, part)
  if (E.isLeft(change)) return { answer: change }
  if (change.right !== undefined) {
    const { state, micros: after, entries, available, held } = change.right
    hold.state = state
    hold.micros = after
    hold.entries.push(...entries.map((entry) => ({ ...entry, at, note })))
    wallet.addAvailable += available
    wallet.addHeld += held
    // Money that becomes available again was not spent, and the reverse.
    if (hold.key !== undefined && available !== 0n) {
      spendingRow(spending, hold.workspace, hold.key, hold.from?.at ?? hold.createdAt).add -= available
    }
  }
  return { answer: E.right(hold.state) }
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
  holds.set(key, created(made))
  // The amount of a shared hold changes without its state, so it is read before each move.
  return { ...withAlert(E.right('held'), raiseLow(hold, wallet.read, wallet)), ...(!isBatchId(message) && { made }) }
}

const splitHold = ({ workspace, hold, message, micros: amount, at }: HoldPart, holds: Books['holds']): WalletWriteResult => {
  const key = holdKey({ workspace, message })
  if (holds.has(key)) return NO_HOLD
  const shared = holds.get(holdKey({ workspace, message: hold }))
  const allowed = checkSplit(shared && sharedHoldOf({ ...shared, left: shared.micros }), { hold, micros: amount })
  if (E.isLeft(allowed) || shared === undefined) return { answer: E.isLeft(allowed) ? allowed : E.right(undefined) }
  shared.micros -= amount
  const made: KnownHold = { workspace, message, amount, createdAt: at, key: shared.key, from: { batch: hold, at: shared.createdAt } }
  holds.set(key, created(made))
  return { answer: E.right('held'), made }
}

/** A hold of a batch as a port shows it. */
export const sharedHoldOf = ({ state, reserved, left }: Omit<SharedHold, 'state'> & { readonly state: HoldState }): SharedHold =>
  ({ state: state === 'held' ? 'held' : 'released', reserved, left })

/** The message has no hold, or no new one. */
export const NO_HOLD: WalletWriteResult = { answer: E.right(undefined) }

const withAlert = (answer: WalletWriteResult['answer'], alert: WalletAlert | undefined): WalletWriteResult =>
  ({ answer, ...(alert !== undefined && { alert }) })

const writeHolds = async (dialect: Dialect, trx: Queryable, holds: ReadonlyMap<string, HoldRow>): Promise<void> => {
  const added: Array<HoldRow> = []
  const resized: Array<HoldRow> = []
  const changes = new Map<string, Array<HoldRow>>()
  for (const hold of holds.values()) {
    if (hold.before === undefined) {
      added.push(hold)
    } else if (hold.micros !== hold.amount || (isBatchId(hold.message) && hold.before !== hold.state)) {
      resized.push(hold)
    } else if (hold.before !== hold.state) {
      const change = `${hold.before} ${hold.state}`
      const group = changes.get(change)
      if (group === undefined) changes.set(change, [hold])
      else group.push(hold)
    }
  }
  await Promise.all([
    ...Array.from(changes, ([change, rows]) => changeHolds(dialect, trx, change, rows)),
    resizeHolds(dialect, trx, resized),
    insertHolds(dialect, trx, added),
  ])
}

/** A shared hold has no `open_since`: reconciliation, also that of an earlier release, would release it because there is no message of its id. */
const insertHolds = (dialect: Dialect, trx: Queryable, holds: ReadonlyArray<HoldRow>): Promise<void> => {
  const rare = RARE_COLUMNS.filter(({ valueOf }) => holds.some((hold) => valueOf(hold) !== undefined))
  return insert(
    trx, dialect, 'holds', ['workspace_id', 'message_id', 'amount', 'state', 'created_at', 'open_since', ...rare.map(({ name }) => name)],
    holds.map((hold): ReadonlyArray<Bound> => {
      const { workspace, message, micros: amount, state, createdAt } = hold
      const openSince = state === 'held' && !isBatchId(message) ? createdAt : null
      return [workspace, message, amount, state, createdAt, openSince, ...rare.map(({ valueOf }) => valueOf(hold) ?? null)]
    }),
  )
}

/** The columns that are written only if a hold has a value: it counts for a limit, was taken out of a shared hold, or has become smaller. */
const RARE_COLUMNS: ReadonlyArray<{ readonly name: string; readonly valueOf: (hold: HoldRow) => Bound | undefined }> = [
  { name: 'key_id', valueOf: ({ key }) => key },
  { name: 'batch_id', valueOf: ({ from }) => from?.batch },
  { name: 'reserved_at', valueOf: ({ from }) => from?.at },
  { name: 'reserved', valueOf: ({ micros: amount, reserved }) => (amount === reserved ? undefined : reserved) },
]

/** Writes the holds whose amounts change, and the shared holds that are released. */
const resizeHolds = async (dialect: Dialect, trx: Queryable, holds: ReadonlyArray<HoldRow>): Promise<void> => {
  if (holds.length === 0) return
  const sorted = holds.toSorted((a, b) => (holdKey(a) < holdKey(b) ? -1 : 1))
  await updateAll(
    trx, dialect, RESIZE,
    sorted.map(({ workspace, message, amount, micros: after, reserved, before = 'held', state }) => {
      // Other transactions may take parts of a shared hold meanwhile, as long as enough is left. A hold that is settled must have the amount that was read.
      const taken = amount - after
      return [workspace, message, before, state, reserved, taken, ...(before === state ? [taken, reserved] : [amount, amount])]
    }),
    MOVED,
  )
}

const RESIZE: EachUpdate = {
  table: 'holds',
  key: ['workspace_id', 'message_id'],
  columns: [
    { name: 'old_state', type: 'text' }, { name: 'new_state', type: 'text' }, { name: 'first_amount', type: 'integer' },
    { name: 'taken', type: 'integer' }, { name: 'min_amount', type: 'integer' }, { name: 'max_amount', type: 'integer' },
  ],
  set: [['state', 'v.new_state'], ['open_since', 'NULL'], ['reserved', 'v.first_amount'], ['amount', 't.amount - v.taken']],
  where: 't.state = v.old_state AND t.amount >= v.min_amount AND t.amount <= v.max_amount',
}

const MOVED = 'a hold was moved by another transaction'

const changeHolds = async (dialect: Dialect, trx: Queryable, change: string, rows: ReadonlyArray<HoldRow>): Promise<void> => {
  const [from, to] = change.split(' ') as [string, string]
  const keys = rows.map(({ workspace, message }) => [workspace, message])
  if (dialect.name === 'sqlite') {
    await trx.writeEach(
      'UPDATE holds SET state = ?, open_since = NULL WHERE workspace_id = ? AND message_id = ? AND state = ?',
      keys.map((key) => [to, ...key, from]), MOVED,
    )
    return
  }
  const { sql, bindings } = inList(dialect, ['workspace_id', 'message_id'], keys)
  const touched = await execute(
    trx, `UPDATE ${dialect.byPrimaryKey('holds')} SET state = ?, open_since = NULL WHERE ${sql} AND state = ?`, [to, ...bindings, from],
  )
  if (touched !== rows.length) throw new WriteConflict(MOVED)
}

/** The columns of notes and of references are written only if an entry has one, because few have. The reference of a shared hold is its batch. */
const writeEntries = (dialect: Dialect, trx: Queryable, holds: ReadonlyMap<string, HoldRow>): Promise<void> => {
  const changed = [...holds.values()]
  const hasNotes = changed.some(({ entries }) => entries.some(({ note }) => note !== undefined))
  const hasBatches = changed.some(({ message, entries }) => entries.length > 0 && isBatchId(message))
  const rareColumns = [...(hasNotes ? ['note'] : []), ...(hasBatches ? ['reference'] : [])]
  return insert(
    trx, dialect, 'wallet_entries', ['workspace_id', 'id', 'kind', 'amount', 'message_id', 'created_at', ...rareColumns],
    changed.flatMap(({ workspace, message: of, entries }) => entries.map(({ kind, micros: amount, at, note }) => {
      const [message, reference] = isBatchId(of) ? [null, of] : [of, null]
      const rare = [...(hasNotes ? [note ?? null] : []), ...(hasBatches ? [reference] : [])]
      return [workspace, uuidv7obj().toHex(), kind, amount, message, at, ...rare]
    })),
  )
}

/** The writes of a wallet, which share transactions with those of all callers. They reject if the database fails. */
export type WalletWrites = {
  readonly hold: (
    hold: Omit<HoldWrite, '_tag' | 'outboxEntries'>, outboxEntries: MakeOutboxEntries<WalletAlert> | undefined,
  ) => Promise<WalletWriteResult['answer']>
  readonly split: (part: HoldPart) => Promise<WalletWriteResult['answer']>
  readonly move: (move: Omit<Move, 'known'>) => Promise<WalletWriteResult['answer']>
}

/** The answer to a write that can be refused in these ways alone. */
export const refusedBy = <Tag extends (HoldRefusal | PartRefusal)['_tag'], Result>(
  tags: ReadonlyArray<Tag>, answer: E.Either<HoldRefusal | PartRefusal, Result>,
): E.Either<Extract<HoldRefusal | PartRefusal, { readonly _tag: Tag }>, Result> => {
  if (E.isRight(answer)) return answer
  const isExpected = (refusal: HoldRefusal | PartRefusal): refusal is Extract<HoldRefusal | PartRefusal, { readonly _tag: Tag }> =>
    tags.some((tag) => tag === refusal._tag)
  if (isExpected(answer.left)) return E.left(answer.left)
  throw new Error(`a write of the wallet cannot be refused by ${answer.left._tag}`)
}

/** The refusals of a new hold. */
export const HOLD_REFUSALS = ['InsufficientBalance', 'SpendingLimitReached'] as const

/** The wallet over SQL. */
export const makeWallet = ({ db }: Database, writes: WalletWrites): Wallet => {
  return {
    hold: (hold, outboxEntries) => tasks.either(async () => setAside(writes, hold, outboxEntries)),
    capture: makeMove('capture'),
    capturePart: ({ micros: part, ...of }) => tasks.either(async () =>
      refusedBy(['ExceedsHold'], await writes.move({ move: 'capture', part, ...of }))),
    release: makeMove('release'),
    refund: makeMove('refund'),
    holdOf: ({ workspace, message }) => tasks.value(async () => {
      const [row] = await select(db, 'SELECT state FROM holds WHERE workspace_id = ? AND message_id = ?', [workspace, message])
      return row?.['state'] as HoldState | undefined
    }),
    stale: ({ before, limit, cursor }) => tasks.value(() => stale(before, limit, cursor)),
  }

  function makeMove(move: Move['move']): MoveHold {
    return (of) => tasks.either(async () => refusedBy([], await writes.move({ move, ...of })))
  }

  async function stale(before: number, limit: number, cursor: string | undefined): Promise<Page<StaleHold>> {
    const after = readCursor(cursor)
    const rows = await select(
      db,
      `SELECT workspace_id, message_id, batch_id, open_since FROM holds
       WHERE open_since < ? AND (open_since > ? OR (open_since = ? AND message_id > ?)) ORDER BY open_since, message_id LIMIT ?`,
      [before, after.since, after.since, after.message, limit + 1],
    )
    const { items, next } = pageOf(rows, limit, (row) => `${row['open_since']}.${row['message_id']}`)
    return { items: items.map(staleIn), next }
  }
}

const staleIn = ({ workspace_id, message_id, batch_id }: Row): StaleHold => {
  const batch = textOrNone(batch_id) as BatchId | undefined
  return { workspace: workspace_id as WorkspaceId, message: message_id as MessageId, ...(batch !== undefined && { batch }) }
}

/** Reserves money for a message or for a batch. */
export const setAside = async (
  writes: Pick<WalletWrites, 'hold'>, ...hold: Parameters<WalletWrites['hold']>
): Promise<E.Either<HoldRefusal, void>> => E.map(() => undefined)(refusedBy(HOLD_REFUSALS, await writes.hold(...hold)))

/** The cursor of a page of open holds: the time and the message of the last hold. */
const readCursor = (cursor: PageQuery['cursor']): { readonly since: number; readonly message: string } => {
  const [since, message] = cursor?.split('.') ?? []
  return { since: Number.isSafeInteger(Number(since)) ? Number(since) : -1, message: message ?? '' }
}

const tasks = portTasks('Wallet')
