import * as E from 'fp-ts/lib/Either.js'
import type { Knex } from 'knex'
import { uuidv7obj } from 'uuidv7'
import type { InsufficientBalance } from '../../core/errors.js'
import { stepHold, type HoldState } from '../../core/hold.js'
import type { MoneyMove } from '../../core/delivery.js'
import type { Currency } from '../../core/money.js'
import type { NewHold } from '../../core/ports/wallet.js'
import type { Dialect } from './dialect.js'
import type { Write } from './group-commit.js'
import { among, insert, updateEach, type EachUpdate } from './many-rows.js'
import { execute, micros, select, type Bound } from './sql.js'
import { Raced } from './sql-error.js'

/** A price to be set aside, or a move of one that was. */
export type BooksItem = ({ readonly _tag: 'Hold' } & NewHold) | ({ readonly _tag: 'Move' } & Move)

/** One message's hold to be moved on. */
export type Move = {
  readonly move: Exclude<MoneyMove, 'keep'>
  readonly workspace: string
  readonly message: string
  readonly at: number
  /** What the hold comes to, where this process made it and has not moved it since: then nobody usually has. */
  readonly amount: bigint | undefined
}

/** For a hold, whether it succeeded; for a move, the hold's state afterwards, `undefined` where there is none. */
export type BooksAnswer = E.Either<InsufficientBalance, HoldState | undefined>

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
    // At first only the wallets that are asked for money are read, and the holds that are not known. A new message has no
    // hold: where there is one after all, its key turns out to be taken, and a hold or a wallet that is not as assumed is
    // missed by its update. But where money is short, a repeated hold must be known from a new one before either is refused.
    const wallets = await readWallets(dialect, trx, items.filter(({ _tag }) => careful || _tag === 'Hold'))
    const short = shortWallets(items, wallets)
    const holds = await readHolds(dialect, trx, items.filter((item) =>
      careful || short.has(item.workspace) || (item._tag === 'Move' && item.amount === undefined)))
    if (!careful) assumeUntouched(items, holds, wallets)
    const answers = items.map((item) => (item._tag === 'Move' ? moved(item, holds, wallets) : undefined))
    items.forEach((item, place) => { if (item._tag === 'Hold') answers[place] = held(item, holds, wallets) })
    await Promise.all([writeHolds(dialect, trx, holds), writeWallets(dialect, trx, wallets), writeEntries(dialect, trx, holds)])
    return answers as ReadonlyArray<BooksAnswer | Error>
  },
})

/** What names a hold: a message that another workspace asks for is not its own. */
export const holdKey = ({ workspace, message }: { readonly workspace: string; readonly message: string }): string => `${workspace} ${message}`

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

/** A wallet as it was read, unless nothing is to be spent from it, and what is added to it. */
type WalletRow = {
  readonly read: { readonly currency: string; readonly available: bigint; readonly held: bigint } | undefined
  addAvailable: bigint
  addHeld: bigint
  /** Whether a new hold counts on there being enough. */
  guarded: boolean
}

const readHolds = async (dialect: Dialect, trx: Knex, items: ReadonlyArray<BooksItem>): Promise<Map<string, HoldRow>> => {
  const keys = new Map(items.map((item) => [holdKey(item), [item.workspace, item.message]]))
  if (keys.size === 0) return new Map()
  const { sql, bindings } = among(dialect, ['workspace_id', 'message_id'], [...keys.values()])
  const rows = await select(trx, `SELECT workspace_id, message_id, amount, state, created_at FROM ${dialect.byPrimaryKey('holds')} WHERE ${sql}`, bindings)
  return new Map(rows.map((row) => {
    const hold: HoldRow = {
      workspace: String(row['workspace_id']), message: String(row['message_id']), amount: micros(row['amount']), createdAt: Number(row['created_at']),
      from: row['state'] as HoldState, to: row['state'] as HoldState, entries: [],
    }
    return [holdKey(hold), hold]
  }))
}

const shortWallets = (items: ReadonlyArray<BooksItem>, wallets: ReadonlyMap<string, WalletRow>): Set<string> => {
  const asked = new Map<string, bigint>()
  for (const item of items) if (item._tag === 'Hold') asked.set(item.workspace, (asked.get(item.workspace) ?? 0n) + item.amount.micros)
  return new Set([...asked].flatMap(([workspace, sum]) => ((wallets.get(workspace)?.read?.available ?? 0n) < sum ? [workspace] : [])))
}

const readWallets = async (dialect: Dialect, trx: Knex, items: ReadonlyArray<BooksItem>): Promise<Map<string, WalletRow>> => {
  const ids = new Set<string>(items.map(({ workspace }) => workspace))
  if (ids.size === 0) return new Map()
  const { sql, bindings } = among(dialect, ['workspace_id'], Array.from(ids, (id) => [id]))
  const rows = await select(trx, `SELECT workspace_id, currency, available, held FROM wallets WHERE ${sql}`, bindings)
  return new Map(rows.map((row) => [
    String(row['workspace_id']),
    newWallet({ currency: String(row['currency']), available: micros(row['available']), held: micros(row['held']) }),
  ]))
}

const newWallet = (read: WalletRow['read']): WalletRow => ({ read, addAvailable: 0n, addHeld: 0n, guarded: false })

/** Takes the holds this process made for untouched by others, and the wallets that only get something back for there. */
const assumeUntouched = (items: ReadonlyArray<BooksItem>, holds: Map<string, HoldRow>, wallets: Map<string, WalletRow>): void => {
  for (const item of items) {
    if (item._tag === 'Hold') continue
    const { workspace, message, amount } = item
    const key = holdKey(item)
    if (!wallets.has(workspace)) wallets.set(workspace, newWallet(undefined))
    if (amount !== undefined && !holds.has(key)) holds.set(key, { workspace, message, amount, createdAt: 0, from: 'held', to: 'held', entries: [] })
  }
}

const moved = (item: Move, holds: ReadonlyMap<string, HoldRow>, wallets: ReadonlyMap<string, WalletRow>): BooksAnswer | Error => {
  const { move, at } = item
  const hold = holds.get(holdKey(item))
  if (hold === undefined) return E.right(undefined)
  const wallet = wallets.get(hold.workspace)
  if (wallet === undefined) return new Error('the workspace has no wallet')
  const step = stepHold(hold.to, move)
  if (step !== undefined) {
    hold.to = step.state
    hold.entries.push(...step.entries.map((kind) => ({ kind, at })))
    wallet.addAvailable += step.available * hold.amount
    wallet.addHeld += step.held * hold.amount
  }
  return E.right(hold.to)
}

const held = (hold: NewHold, holds: Map<string, HoldRow>, wallets: ReadonlyMap<string, WalletRow>): BooksAnswer | Error => {
  const key = holdKey(hold)
  if (holds.has(key)) return E.right(undefined)
  const wallet = wallets.get(hold.workspace)
  if (wallet?.read === undefined) return new Error('the workspace has no wallet')
  const { currency } = wallet.read
  if (currency !== hold.amount.currency) return new Error(`the wallet is in ${currency}, the price in ${hold.amount.currency}`)
  const available = wallet.read.available + wallet.addAvailable
  const required = hold.amount.micros
  if (available < required) {
    return E.left({ _tag: 'InsufficientBalance', required, available, held: wallet.read.held + wallet.addHeld, currency: currency as Currency })
  }
  wallet.addAvailable -= required
  wallet.addHeld += required
  wallet.guarded = true
  holds.set(key, { workspace: hold.workspace, message: hold.message, amount: required, createdAt: hold.at, from: undefined, to: 'held', entries: [] })
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
      const known = changes.get(change)
      if (known === undefined) changes.set(change, [hold])
      else known.push(hold)
    }
  }
  await Promise.all([
    ...Array.from(changes, ([change, rows]) => changeHolds(dialect, trx, change, rows)),
    insert(trx, dialect, 'holds', ['workspace_id', 'message_id', 'amount', 'state', 'created_at', 'open_since'], fresh),
  ])
}

const changeHolds = async (dialect: Dialect, trx: Knex, change: string, rows: ReadonlyArray<HoldRow>): Promise<void> => {
  const [from, to] = change.split(' ') as [string, string]
  const { sql, bindings } = among(dialect, ['workspace_id', 'message_id'], rows.map(({ workspace, message }) => [workspace, message]))
  const touched = await execute(
    trx, `UPDATE ${dialect.byPrimaryKey('holds')} SET state = ?, open_since = NULL WHERE ${sql} AND state = ?`, [to, ...bindings, from],
  )
  if (touched !== rows.length) throw new Raced('a hold was moved by another transaction')
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

const writeEntries = (dialect: Dialect, trx: Knex, holds: ReadonlyMap<string, HoldRow>): Promise<void> =>
  insert(
    trx, dialect, 'wallet_entries', ['workspace_id', 'id', 'kind', 'amount', 'message_id', 'created_at'],
    [...holds.values()].flatMap(({ workspace, message, amount, entries }) =>
      entries.map(({ kind, at }) => [workspace, uuidv7obj().toHex(), kind, amount, message, at])),
  )
