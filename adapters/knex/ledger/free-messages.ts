import type { FreeMessages, FreeTaking, TakenBy } from '../../../core/money/wallet.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { makeBatcher, portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import { type Dialect, WriteConflict } from '../engine/dialect.js'
import { type EachUpdate, execute, inList, insert, type Queryable, select, updateAll } from '../engine/sql.js'

/** A message that uses a free message, or returns it. */
export type TakeItem = ({ readonly _tag: 'Take' } & FreeTaking) | ({ readonly _tag: 'GiveBack' } & TakenBy)

/** The sender and the month whose count a message uses. */
type CountKey = Pick<FreeTaking, 'phoneNumberId' | 'month'>

/** A message that has used a free message. */
type Take = { readonly workspace: string; readonly message: string } & CountKey

/** The stored state: the uses of some messages, and the counts from which others may be used. */
export type StoredTakes = { readonly takes: ReadonlyMap<string, Take>; readonly counts: ReadonlyMap<string, number> }

/** A use that is new (1), or removed (-1). */
type Change = { readonly take: Take; readonly by: 1 | -1 }

/** The answers of items, one after the other, and the resulting changes. */
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
 * Reads the state for the items. The counts are read first: if another transaction uses a free message for one of them in between, its count is then greater than the
 * count that was read.
 */
export const readTakes = async (db: Queryable, dialect: Dialect, items: ReadonlyArray<TakeItem>): Promise<StoredTakes> => {
  const counts = await readCounts(db, dialect, items.filter(isTake))
  const messages = new Map(items.map((item) => [messageKey(item), [item.workspace, item.message]]))
  const ofMessages = inList(dialect, ['workspace_id', 'message_id'], [...messages.values()])
  const rows = await select(
    db, `SELECT workspace_id, message_id, phone_number_id, in_month FROM ${dialect.byPrimaryKey('free_messages')} WHERE ${ofMessages.sql}`,
    ofMessages.bindings,
  )
  const takes = rows.map((row): Take => ({
    workspace: String(row['workspace_id']), message: String(row['message_id']), phoneNumberId: senderIdOf(String(row['phone_number_id'])),
    month: String(row['in_month']),
  }))
  return { takes: new Map(takes.map((take) => [messageKey(take), take])), counts }
}

const isTake = (item: TakeItem): item is Extract<TakeItem, { readonly _tag: 'Take' }> => item._tag === 'Take'

const readCounts = async (db: Queryable, dialect: Dialect, keys: ReadonlyArray<CountKey>): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map(keys.map((key) => [countKey(key), [key.phoneNumberId, key.month]]))
  if (counts.size === 0) return new Map()
  const { sql, bindings } = inList(dialect, ['phone_number_id', 'in_month'], [...counts.values()])
  const rows = await select(db, `SELECT phone_number_id, in_month, taken FROM free_message_counts WHERE ${sql}`, bindings)
  return new Map(rows.map((row) =>
    [countKey({ phoneNumberId: senderIdOf(String(row['phone_number_id'])), month: String(row['in_month']) }), Number(row['taken'])]))
}

/**
 * Uses and returns free messages in the caller's transaction. It writes the counts first, and only if none has grown since it was read. So of two transactions the
 * slower one is rolled back and run again. Then it reads the writes of the other.
 */
export const writeTakes = async (trx: Queryable, dialect: Dialect, items: ReadonlyArray<TakeItem>): Promise<ReadonlyArray<boolean>> =>
  writeDecided(trx, dialect, await readTakes(trx, dialect, items), items)

/**
 * Uses free messages for messages that are opened in the caller's transaction. They are assumed to have used none. Otherwise an insert fails, as the insert of an
 * already opened message does, unless `verifyReads` requires reading first.
 */
export const takeForOpened = async (
  trx: Queryable, dialect: Dialect, takings: ReadonlyArray<FreeTaking>, verifyReads: boolean,
): Promise<ReadonlyArray<boolean>> => {
  const items = takings.map((taking): TakeItem => ({ _tag: 'Take', ...taking }))
  const stored = verifyReads
    ? await readTakes(trx, dialect, items)
    : { takes: new Map<string, Take>(), counts: await readCounts(trx, dialect, takings) }
  return writeDecided(trx, dialect, stored, items)
}

const writeDecided = async (
  trx: Queryable, dialect: Dialect, stored: StoredTakes, items: ReadonlyArray<TakeItem>,
): Promise<ReadonlyArray<boolean>> => {
  const { answers, changes } = decideTakes(stored, items)
  if (changes.length === 0) return answers
  await writeCounts(trx, dialect, stored, changes)
  const [added, removed] = ([1, -1] as const).map((wanted) =>
    changes.flatMap(({ take, by }) => (by === wanted ? [take] : []))) as [Take[], Take[]]
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
    trx, dialect, 'free_message_counts', ['phone_number_id', 'in_month', 'taken'],
    missing.map(([, { key }]) => [key.phoneNumberId, key.month, 0]),
    dialect.insertIgnore('free_message_counts', ['phone_number_id', 'in_month'], 'taken'),
  )
  await updateAll(
    trx, dialect, ADD_TO_COUNTS,
    sorted.map(([text, { key, sum, isTaken }]) =>
      [key.phoneNumberId, key.month, sum, isTaken ? counts.get(text) ?? 0 : Number.MAX_SAFE_INTEGER]),
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

/** The key of a message. It includes the workspace, so that a workspace cannot return a free message of another one. */
const messageKey = ({ workspace, message }: { readonly workspace: string; readonly message: string }): string => `${workspace} ${message}`

const countKey = ({ phoneNumberId, month }: CountKey): string => `${month} ${phoneNumberId}`

/**
 * The free messages of senders over SQL.
 *
 * A send uses a free message in the transaction that opens its message (`takeForOpened`). These methods are for storage that an app has combined from several, and for
 * returning a free message: most such messages have used none. That costs two reads, and only a change needs a transaction.
 */
export const makeFreeMessages = (database: Database): FreeMessages => {
  const { db, dialect } = database
  const batcher = makeBatcher<TakeItem, boolean>(async (items, signal) => {
    const { answers, changes } = decideTakes(await readTakes(db, dialect, items), items)
    return changes.length === 0 ? answers : transact(database, (trx) => writeTakes(trx, dialect, items), { signal })
  })
  return {
    take: (taking) => tasks.value(() => batcher.load({ _tag: 'Take', ...taking })),
    giveBack: ({ workspace, message }) => tasks.value(async () => { await batcher.load({ _tag: 'GiveBack', workspace, message }) }),
    taken: (phoneNumberId, month) =>
      tasks.value(async () => {
        const [row] = await select(
          db, 'SELECT taken FROM free_message_counts WHERE phone_number_id = ? AND in_month = ?', [phoneNumberId, month],
        )
        return Number(row?.['taken'] ?? 0)
      }),
  }
}

const tasks = portTasks('FreeMessages')
