import { hash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { recordKeyOf } from '../../../core/customers/customer.js'
import { type PairLimitReached, type PairLimits, type PairTaking, takePair } from '../../../core/customers/pair-limit.js'
import { HOUR_MS, type Instant } from '../../../core/kernel/time.js'
import { makeBatcher, portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { type EachUpdate, execute, inList, insert, instant, type Queryable, select, together, updateAll } from '../engine/sql.js'
import { makeAtLimit } from './at-limit.js'

/** The slots of some pairs in a transaction: what is refused, what is taken, and the writes, which may run together with other statements of the transaction. */
export type PairBook = {
  readonly refusalOf: (taking: PairTaking) => PairLimitReached | undefined
  readonly take: (taking: PairTaking) => void
  readonly write: () => Promise<void>
}

/**
 * Opens the slots of pairs in the caller's transaction.
 *
 * Nearly every message is far below its limit, so the first try takes all slots without a read, by an update that is guarded by the limit. If a limit is reached,
 * the update is a `WriteConflict`: the transaction runs again, and reads the rows first. After that, pairs at their limit are read first for some time, so that a
 * caller who goes on sending to one customer does not slow down the others.
 */
export type OpenPairs = {
  readonly open: (trx: Queryable, takings: ReadonlyArray<PairTaking>, verifyReads: boolean) => Promise<PairBook>
  /** Whether the rows of these pairs are locked and read first even in the first try. */
  readonly readsFirst: (takings: ReadonlyArray<PairTaking>) => boolean
}

export const makeOpenPairs = (dialect: Dialect): OpenPairs => {
  const atLimit = makeAtLimit()
  const areRead = (groups: ReadonlyArray<PairGroup>): boolean =>
    groups.some((group) => atLimit.has(group.key) || quickWrite(group) === undefined)
  const open: OpenPairs['open'] = async (trx, takings, verifyReads) => {
    const groups = groupsOf(takings)
    if (groups.length === 0) return NOTHING_TAKEN
    const taken: Array<PairTaking> = []
    if (!verifyReads && !areRead(groups)) {
      const write = async (): Promise<void> => {
        const of = groupsOf(taken)
        if (of.length > 0) await together([insertMissing(dialect, trx, of), addSlots(dialect, trx, of.map(quickWrite))])
      }
      return { refusalOf: () => undefined, take: (taking) => { taken.push(taking) }, write }
    }
    await insertMissing(dialect, trx, groups)
    const slots = new Map(await lockSlots(dialect, trx, groups))
    const keys = new Map(groups.flatMap(({ key, takings: of }) => of.map((taking) => [taking, key] as const)))
    const keyOf = (taking: PairTaking): string => keys.get(taking) ?? ''
    return {
      refusalOf: (taking) => {
        const next = takePair(taking.limit, slots.get(keyOf(taking)), taking.at)
        if (E.isRight(next)) return undefined
        atLimit.remember(keyOf(taking), taking.limit.intervalMs)
        return next.left
      },
      take: (taking) => {
        const next = takePair(taking.limit, slots.get(keyOf(taking)), taking.at)
        if (E.isRight(next)) slots.set(keyOf(taking), next.right)
        taken.push(taking)
      },
      write: () => setSlots(dialect, trx, groupsOf(taken).map((group) => ({ ...group, next: slots.get(group.key) ?? 0 }))),
    }
  }
  return { open, readsFirst: (takings) => areRead(groupsOf(takings)) }
}

const NOTHING_TAKEN: PairBook = { refusalOf: () => undefined, take: () => undefined, write: async () => undefined }

/** The takings of one pair, in their order. */
type PairGroup = { readonly key: string; readonly workspace: string; readonly pair: string; readonly takings: ReadonlyArray<PairTaking> }

/** The pairs in the order of their keys: two transactions that take slots of the same pairs lock them in the same order. */
const groupsOf = (takings: ReadonlyArray<PairTaking>): ReadonlyArray<PairGroup> => {
  const groups = new Map<string, PairGroup>()
  for (const taking of takings) {
    const { workspace, inbox, customer } = taking
    const pair = hash('sha256', `${inbox} ${recordKeyOf(customer)}`, 'hex')
    const key = `${workspace} ${pair}`
    groups.set(key, { key, workspace, pair, takings: [...groups.get(key)?.takings ?? [], taking] })
  }
  return [...groups.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}

type SlotRow = readonly [workspace: string, pair: string, ...values: ReadonlyArray<number>]

/**
 * The values that take all slots of a pair without a read; `undefined` if they are more than any limit allows, or by different limits. If the takings have different
 * times, the latest one moves the slots, and the earliest one has to be within the limit.
 */
const quickWrite = ({ workspace, pair, takings }: PairGroup): SlotRow | undefined => {
  const [first, ...others] = takings
  if (first === undefined) return undefined
  const { intervalMs, burst } = first.limit
  if (others.some(({ limit }) => limit.intervalMs !== intervalMs || limit.burst !== burst)) return undefined
  const times = takings.map(({ at }) => at)
  const [earliest, latest] = [Math.min(...times), Math.max(...times)]
  const atMost = earliest + (burst - takings.length) * intervalMs
  return latest > atMost ? undefined : [workspace, pair, latest, takings.length * intervalMs, atMost, hourOf(latest)]
}

const hourOf = (at: Instant): number => Math.floor(at / HOUR_MS)

const KEY = ['workspace_id', 'pair'] as const

const insertMissing = (dialect: Dialect, trx: Queryable, groups: ReadonlyArray<PairGroup>): Promise<void> =>
  insert(
    trx, dialect, 'pair_slots', [...KEY, 'next_at', 'in_hour'], groups.map(({ workspace, pair }) => [workspace, pair, 0, 0]),
    dialect.insertIgnore('pair_slots', KEY, 'next_at'),
  )

const lockSlots = async (
  dialect: Dialect, trx: Queryable, groups: ReadonlyArray<PairGroup>,
): Promise<ReadonlyMap<string, Instant>> => {
  const { sql, bindings } = inList(dialect, KEY, groups.map(({ workspace, pair }) => [workspace, pair]))
  const rows = await select(
    trx, `SELECT workspace_id, pair, next_at FROM ${dialect.byPrimaryKey('pair_slots')} WHERE ${sql} ORDER BY workspace_id, pair ${dialect.forUpdate}`,
    bindings,
  )
  return new Map(rows.map((row) => [`${row['workspace_id']} ${row['pair']}`, instant(row['next_at'])]))
}

const CHANGED = 'another transaction has taken slots of a pair'

const addSlots = (dialect: Dialect, trx: Queryable, rows: ReadonlyArray<SlotRow | undefined>): Promise<void> =>
  updateAll(trx, dialect, ADD_SLOTS, rows.filter((row) => row !== undefined), CHANGED)

const ADD_SLOTS: EachUpdate = {
  table: 'pair_slots',
  key: KEY,
  columns: [
    { name: 'taken_at', type: 'integer' }, { name: 'added', type: 'integer' }, { name: 'at_most', type: 'integer' },
    { name: 'new_hour', type: 'integer' },
  ],
  set: [['next_at', 'CASE WHEN t.next_at > v.taken_at THEN t.next_at ELSE v.taken_at END + v.added'], ['in_hour', 'v.new_hour']],
  where: 't.next_at <= v.at_most',
}

const setSlots = async (
  dialect: Dialect, trx: Queryable, groups: ReadonlyArray<PairGroup & { readonly next: Instant }>,
): Promise<void> => {
  if (groups.length === 0) return
  const hour = (takings: PairGroup['takings']): number => hourOf(Math.max(...takings.map(({ at }) => at)))
  await updateAll(
    trx, dialect, SET_SLOTS, groups.map(({ workspace, pair, next, takings }) => [workspace, pair, next, hour(takings)]), CHANGED,
  )
}

const SET_SLOTS: EachUpdate = {
  table: 'pair_slots',
  key: KEY,
  columns: [{ name: 'new_next', type: 'integer' }, { name: 'new_hour', type: 'integer' }],
  set: [['next_at', 'v.new_next'], ['in_hour', 'v.new_hour']],
  where: 't.next_at < v.new_next',
}

/** The limits of pairs over SQL. A send takes its slot in the transaction that opens its message; this is for storage that an app has combined from several. */
export const makePairLimits = (database: Database): PairLimits => {
  const { open: openPairs } = makeOpenPairs(database.dialect)
  const batcher = makeBatcher<PairTaking, E.Either<PairLimitReached, void>>((takings, signal) =>
    transact(database, async (trx, attempt) => {
      const book = await openPairs(trx, takings, attempt > 1)
      const answers = takings.map((taking) => {
        const refusal = book.refusalOf(taking)
        if (refusal !== undefined) return E.left(refusal)
        book.take(taking)
        return E.right(undefined)
      })
      await book.write()
      return answers
    }, { signal }))
  return { take: (taking) => tasks.either(() => batcher.load({ ...taking })) }
}

const tasks = portTasks('PairLimits')

/** The age of a row, in hours, from which it is removed. Long before, it has no effect any more. */
const KEPT_HOURS = 2

/** The maximum numbers of rows that one transaction removes, and of transactions of one call. */
const BATCH = 1_000
const BATCHES = 50

/** Removes rows that have no effect any more, up to a limit. */
export const removeIdlePairs = async ({ db, dialect }: Database, now: Instant): Promise<void> => {
  const before = hourOf(now) - KEPT_HOURS
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const rows = await select(db, 'SELECT workspace_id, pair FROM pair_slots WHERE in_hour < ? ORDER BY in_hour LIMIT ?', [before, BATCH])
    if (rows.length > 0) {
      const { sql, bindings } = inList(dialect, KEY, rows.map((row) => [String(row['workspace_id']), String(row['pair'])]))
      await execute(db, `DELETE FROM pair_slots WHERE in_hour < ? AND ${sql}`, [before, ...bindings])
    }
    if (rows.length < BATCH) return
  }
}
