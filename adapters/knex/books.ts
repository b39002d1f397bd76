import * as E from 'fp-ts/lib/Either.js'
import type { Knex } from 'knex'
import { uuidv7 } from 'uuidv7'
import type { InsufficientBalance } from '../../core/errors.js'
import { stepHold, type HoldState } from '../../core/hold.js'
import type { MoneyMove } from '../../core/delivery.js'
import type { Currency } from '../../core/money.js'
import type { NewHold } from '../../core/ports/wallet.js'
import type { Dialect } from './dialect.js'
import type { Write } from './group-commit.js'
import { among, execute, insert, micros, select, updateEach, type Bound, type EachUpdate } from './sql.js'
import { Raced } from './sql-error.js'

/** A price to be set aside, or a move of one that was. */
export type BooksItem = ({ readonly _tag: 'Hold' } & NewHold) | ({ readonly _tag: 'Move' } & Move)

/** One message's hold to be moved on. */
export type Move = {
  readonly move: Exclude<MoneyMove, 'keep'>
  readonly workspace: string
  readonly message: string
  readonly at: number
}

/** For a hold, whether it succeeded; for a move, the hold's state afterwards, `undefined` where there is none. */
export type BooksAnswer = E.Either<InsufficientBalance | Error, HoldState | undefined>

/**
 * Moves money of many wallets and messages in one transaction.
 *
 * Reads what there is, decides in core's terms, writes only if it is still so: a row that another transaction changed in
 * between is missed by the guarded update, which breaks this one off to be run again. Holds are written before wallets,
 * and wallets in the order of their ids, in every transaction, so that two rarely wait for each other in a circle.
 */
export const writeBooks = (dialect: Dialect): Write<BooksItem, BooksAnswer> => ({
  order: 3,
  run: async (trx, items, careful) => {
    const wallets = await readWallets(dialect, trx, items)
    // A new message has no hold, so at first none is looked for: where there is one after all, its key turns out to be
    // taken. But where money is short, a repeated hold must be known from a new one before either is refused.
    const short = shortWallets(items, wallets)
    const holds = await readHolds(dialect, trx, items.filter(({ _tag, workspace }) => careful || _tag === 'Move' || short.has(workspace)))
    const answers = items.map((item) => (item._tag === 'Move' ? moved(item, holds, wallets) : undefined))
    items.forEach((item, place) => { if (item._tag === 'Hold') answers[place] = held(item, holds, wallets) })
    await writeHolds(dialect, trx, holds)
    await writeWallets(dialect, trx, wallets)
    await writeEntries(trx, holds)
    return answers as ReadonlyArray<BooksAnswer>
  },
})

/** A hold as it was read (`from`, none where it is new) and as it will be, with the entries that say how. */
type HoldRow = {
  readonly workspace: string
  readonly message: string
  readonly amount: bigint
  readonly createdAt: number
  readonly from: HoldState | undefined
  to: HoldState
  readonly entries: Array<{ readonly kind: string; readonly at: number }>
}

/** A wallet as it was read, and what is added to it. */
type WalletRow = {
  readonly currency: string
  readonly available: bigint
  readonly held: bigint
  addAvailable: bigint
  addHeld: bigint
  /** Whether a new hold counts on there being enough. */
  guarded: boolean
}

const readHolds = async (dialect: Dialect, trx: Knex, items: ReadonlyArray<BooksItem>): Promise<Map<string, HoldRow>> => {
  const keys = new Map(items.map(({ workspace, message }) => [message, workspace]))
  if (keys.size === 0) return new Map()
  const rows = await select(
    trx,
    `SELECT workspace_id, message_id, amount, state, created_at FROM ${dialect.byPrimaryKey('holds')} WHERE ${among(dialect, ['workspace_id', 'message_id'], keys.size)}`,
    Array.from(keys, ([message, workspace]) => [workspace, message]).flat(),
  )
  return new Map(rows.map((row) => [String(row['message_id']), {
    workspace: String(row['workspace_id']), message: String(row['message_id']), amount: micros(row['amount']), createdAt: Number(row['created_at']),
    from: row['state'] as HoldState, to: row['state'] as HoldState, entries: [],
  }]))
}

const shortWallets = (items: ReadonlyArray<BooksItem>, wallets: ReadonlyMap<string, WalletRow>): Set<string> => {
  const asked = new Map<string, bigint>()
  for (const item of items) if (item._tag === 'Hold') asked.set(item.workspace, (asked.get(item.workspace) ?? 0n) + item.amount.micros)
  return new Set([...asked].flatMap(([workspace, sum]) => ((wallets.get(workspace)?.available ?? 0n) < sum ? [workspace] : [])))
}

const readWallets = async (dialect: Dialect, trx: Knex, items: ReadonlyArray<BooksItem>): Promise<Map<string, WalletRow>> => {
  const ids = [...new Set<string>(items.map(({ workspace }) => workspace))]
  const rows = await select(trx, `SELECT workspace_id, currency, available, held FROM wallets WHERE ${among(dialect, ['workspace_id'], ids.length)}`, ids)
  return new Map(rows.map((row) => [String(row['workspace_id']), {
    currency: String(row['currency']), available: micros(row['available']), held: micros(row['held']),
    addAvailable: 0n, addHeld: 0n, guarded: false,
  }]))
}

const moved = ({ move, message, workspace, at }: Move, holds: ReadonlyMap<string, HoldRow>, wallets: ReadonlyMap<string, WalletRow>): BooksAnswer => {
  const hold = holds.get(message)
  if (hold === undefined || hold.workspace !== workspace) return E.right(undefined)
  const wallet = wallets.get(workspace)
  if (wallet === undefined) return E.left(new Error('the workspace has no wallet'))
  const step = stepHold(hold.to, move)
  if (step !== undefined) {
    hold.to = step.state
    hold.entries.push(...step.entries.map((kind) => ({ kind, at })))
    wallet.addAvailable += step.available * hold.amount
    wallet.addHeld += step.held * hold.amount
  }
  return E.right(hold.to)
}

const held = (hold: NewHold, holds: Map<string, HoldRow>, wallets: ReadonlyMap<string, WalletRow>): BooksAnswer => {
  if (holds.has(hold.message)) return E.right(undefined)
  const wallet = wallets.get(hold.workspace)
  if (wallet === undefined) return E.left(new Error('the workspace has no wallet'))
  if (wallet.currency !== hold.amount.currency) return E.left(new Error(`the wallet is in ${wallet.currency}, the price in ${hold.amount.currency}`))
  const available = wallet.available + wallet.addAvailable
  const required = hold.amount.micros
  if (available < required) {
    return E.left({ _tag: 'InsufficientBalance', required, available, held: wallet.held + wallet.addHeld, currency: wallet.currency as Currency })
  }
  wallet.addAvailable -= required
  wallet.addHeld += required
  wallet.guarded = true
  holds.set(hold.message, { workspace: hold.workspace, message: hold.message, amount: required, createdAt: hold.at, from: undefined, to: 'held', entries: [] })
  return E.right('held')
}

const writeHolds = async (dialect: Dialect, trx: Knex, holds: ReadonlyMap<string, HoldRow>): Promise<void> => {
  const fresh: Array<ReadonlyArray<Bound>> = []
  const changes = new Map<string, Array<HoldRow>>()
  for (const hold of holds.values()) {
    if (hold.from === undefined) {
      fresh.push([hold.workspace, hold.message, hold.amount, hold.to, hold.createdAt, hold.to === 'held' ? hold.createdAt : null])
    } else if (hold.from !== hold.to) {
      const change = `${hold.from} ${hold.to}`
      changes.set(change, [...(changes.get(change) ?? []), hold])
    }
  }
  for (const [change, rows] of changes) {
    const [from, to] = change.split(' ') as [string, string]
    const touched = await execute(
      trx,
      `UPDATE ${dialect.byPrimaryKey('holds')} SET state = ?, open_since = NULL WHERE ${among(dialect, ['workspace_id', 'message_id'], rows.length)} AND state = ?`,
      [to, ...rows.flatMap(({ workspace, message }) => [workspace, message]), from],
    )
    if (touched !== rows.length) throw new Raced('a hold was moved by another transaction')
  }
  await insert(trx, 'holds', ['workspace_id', 'message_id', 'amount', 'state', 'created_at', 'open_since'], fresh)
}

const writeWallets = async (dialect: Dialect, trx: Knex, wallets: ReadonlyMap<string, WalletRow>): Promise<void> => {
  const changed = [...wallets].filter(([, { addAvailable, addHeld }]) => addAvailable !== 0n || addHeld !== 0n)
  if (changed.length === 0) return
  changed.sort(([a], [b]) => (a < b ? -1 : 1))
  const touched = await updateEach(
    trx, dialect, ADD_TO_WALLETS,
    changed.map(([id, { guarded, addAvailable, addHeld }]) => [id, addAvailable, addHeld, guarded ? -addAvailable : NO_LEAST]),
  )
  if (touched !== changed.length) throw new Raced('a wallet was spent by another transaction')
}

const ADD_TO_WALLETS: EachUpdate = {
  table: 'wallets',
  key: ['workspace_id'],
  columns: [{ name: 'add_available', type: 'integer' }, { name: 'add_held', type: 'integer' }, { name: 'least', type: 'integer' }],
  set: [['available', 't.available + v.add_available'], ['held', 't.held + v.add_held']],
  where: 't.available >= v.least',
}

/** Below any balance there can be. */
const NO_LEAST = -(2n ** 62n)

const writeEntries = (trx: Knex, holds: ReadonlyMap<string, HoldRow>): Promise<void> =>
  insert(
    trx, 'wallet_entries', ['workspace_id', 'id', 'kind', 'amount', 'message_id', 'created_at'],
    [...holds.values()].flatMap(({ workspace, message, amount, entries }) =>
      entries.map(({ kind, at }) => [workspace, uuidv7().replaceAll('-', ''), kind, amount, message, at])),
  )
