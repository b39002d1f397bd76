import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { pageOf } from '../../../core/kernel/page.js'
import type { Category } from '../../../core/kernel/money.js'
import type { Instant } from '../../../core/kernel/time.js'
import type { SenderFilter } from '../../../core/messages/message-log.js'
import { firstMessageIdAt, type MessageState } from '../../../core/messages/message.js'
import {
  BUCKET_MS, bucketSpan, bucketStart, type BucketWidth, chargedIn, type MessageCount, type MessageStatistics, type SenderCount,
  sumCounts, sumSenderCounts, type TimeSpan,
} from '../../../core/messages/statistics.js'
import { type SenderId, senderIdOf } from '../../../core/senders/sender.js'
import { OWN_INBOUND } from '../customers/customers.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { execute, insert, instant, micros, type Queryable, type Row, select, textOrNone } from '../engine/sql.js'

/** The maximum number of messages that one statement counts. SQLite blocks the process during a statement. */
const COUNTED_AT_ONCE = 5_000

/** The statistics over SQL. */
export const makeMessageStatistics = (database: Database): MessageStatistics => {
  const { db, dialect } = database
  return {
    counts: (workspace, width, { from, to }, sender) => tasks.value(async () => {
      const through = sender && whereThrough(sender)
      const rows = await select(
        db,
        `SELECT bucket_start, state, category, messages, charged FROM ${through === undefined ? 'message_counts' : 'sender_counts'}
         WHERE workspace_id = ? AND width = ? AND bucket_start >= ? AND bucket_start < ? ${through?.sql ?? ''} ORDER BY bucket_start`,
        [workspace, width, from, to, ...through?.bindings ?? []],
      )
      const counts = rows.map((row) => countIn(row, instant(row['bucket_start']), micros(row['charged'])))
      return through === undefined ? counts : sumCounts(counts)
    }),
    recount: (workspace, width, start) => tasks.value(async () => {
      const counts = await countAll(db, workspace, bucketSpan(width, start))
      await transact(database, async (trx) => {
        await lockCounts(trx, dialect, workspace)
        await replace(trx, dialect, workspace, width, start, counts)
        if (width === '5m') await sumUp(trx, dialect, workspace, '5m', '1h', start)
        await sumUp(trx, dialect, workspace, '1h', '1d', start)
      })
      return counts.reduce((sum, { messages }) => sum + messages, 0)
    }),
    workspacesWith: ({ from, to }, { cursor = '', limit }) => tasks.value(async () => {
      // A query of one value for each workspace: with EXISTS, MariaDB would read every message of the span.
      const rows = await select(
        db,
        `SELECT w.id FROM workspaces w WHERE w.id > ?
         AND (SELECT m.id FROM messages m WHERE m.workspace_id = w.id AND m.id >= ? AND m.id < ? ORDER BY m.id LIMIT 1) IS NOT NULL ORDER BY w.id LIMIT ?`,
        [cursor, firstMessageIdAt(from), firstMessageIdAt(to), limit + 1],
      )
      return pageOf(rows.map((row) => row['id'] as WorkspaceId), limit, (id) => id)
    }),
    removeOld: (width, before) => tasks.value(async () => {
      const [row] = await select(
        db, 'SELECT MIN(bucket_start) AS oldest FROM message_counts WHERE width = ? AND bucket_start < ?', [width, before],
      )
      if (row === undefined || row['oldest'] === null) return 0
      const until = Math.min(before, instant(row['oldest']) + BUCKET_MS[width])
      await execute(db, 'DELETE FROM sender_counts WHERE width = ? AND bucket_start < ?', [width, until])
      return execute(db, 'DELETE FROM message_counts WHERE width = ? AND bucket_start < ?', [width, until])
    }),
    progress: () => tasks.value(async () => {
      const rows = await select(db, 'SELECT name, counted_until FROM message_count_progress')
      return new Map(rows.map((row) => [String(row['name']), instant(row['counted_until'])]))
    }),
    noteProgress: (name, at) => tasks.value(() => transact(database, async (trx) => {
      await execute(trx, 'DELETE FROM message_count_progress WHERE name = ?', [name])
      await insert(trx, dialect, 'message_count_progress', ['name', 'counted_until'], [[name, at]])
    })),
    openWindows: (inbox, after, limit) => tasks.value(async () => {
      const [row] = await select(
        db,
        `SELECT COUNT(*) AS windows FROM (
           SELECT 1 FROM windows WHERE workspace_id = ? AND last_inbound > ? AND ${OWN_INBOUND} > ? LIMIT ?
         ) some_windows`,
        [inbox, after, after, limit],
      )
      return Number(row?.['windows'])
    }),
  }
}

/** Counts the messages of a span in slices of ids, so that no statement is long. */
const countAll = async (db: Queryable, workspace: WorkspaceId, { from, to }: TimeSpan): Promise<ReadonlyArray<SenderCount>> => {
  const end = firstMessageIdAt(to)
  const counts: Array<SenderCount> = []
  let next: string | undefined = firstMessageIdAt(from)
  while (next !== undefined) {
    const begin: string = next
    const [row] = await select(
      db, 'SELECT id FROM messages WHERE workspace_id = ? AND id >= ? AND id < ? ORDER BY id LIMIT 1 OFFSET ?',
      [workspace, begin, end, COUNTED_AT_ONCE],
    )
    next = row === undefined ? undefined : String(row['id'])
    const rows = await select(
      db,
      `SELECT sender, state, category, COUNT(*) AS messages, SUM(price) AS prices FROM messages
       WHERE workspace_id = ? AND id >= ? AND id < ? GROUP BY sender, state, category`,
      [workspace, begin, next ?? end],
    )
    counts.push(...rows.map((found) => senderCountIn(found, from, chargedIn(found['state'] as MessageState, micros(found['prices'])))))
    if (next !== undefined) await nextTurn()
  }
  return sumSenderCounts(counts)
}

/** The condition that a row of `sender_counts` is of a sender. */
const whereThrough = ({ ids, orNone }: SenderFilter): { readonly sql: string; readonly bindings: ReadonlyArray<string> } => {
  const bindings = [...ids, ...(orNone ? [NO_SENDER] : [])]
  return { sql: `AND sender IN (${bindings.map(() => '?').join(', ')})`, bindings }
}

/** The sender in `sender_counts` of messages that have none. */
const NO_SENDER = ''

const senderCountIn = (row: Row, start: Instant, charged: bigint): SenderCount => {
  const sender = textOrNone(row['sender'])
  return { ...countIn(row, start, charged), sender: sender === undefined || sender === NO_SENDER ? undefined : senderIdOf(sender) }
}

const countIn = (row: Row, start: Instant, charged: bigint): MessageCount =>
  ({
    start, state: row['state'] as MessageState, category: row['category'] as Category, messages: Number(row['messages']), micros: charged,
  })

/**
 * Prevents other transactions from replacing counts of a workspace until this one has ended, with a row that is never committed. The row is written because a Galera
 * node does not report its locks to the other nodes, but if two transactions on two nodes write one row, the second fails.
 */
const lockCounts = async (trx: Queryable, dialect: Dialect, workspace: WorkspaceId): Promise<void> => {
  const columns = ['workspace_id', 'width', 'bucket_start', 'state', 'category', 'messages', 'charged']
  await insert(trx, dialect, 'message_counts', columns, [[workspace, '5m', 0, 'counting', '', 0, 0n]])
  await execute(trx, "DELETE FROM message_counts WHERE workspace_id = ? AND width = '5m' AND bucket_start = 0", [workspace])
}

/** Replaces the counts of a bucket, those of the workspace and those of each sender. */
const replace = async (
  trx: Queryable, dialect: Dialect, workspace: WorkspaceId, width: BucketWidth, start: Instant, counts: ReadonlyArray<SenderCount>,
): Promise<void> => {
  const bucket = { workspace, width, start }
  await replaceIn(trx, dialect, 'message_counts', bucket, sumCounts(counts))
  await replaceIn(trx, dialect, 'sender_counts', bucket, counts)
}

/** The tables of counts, with what is counted apart in each. */
const KEYS = { message_counts: ['state', 'category'], sender_counts: ['sender', 'state', 'category'] } as const

type CountTable = keyof typeof KEYS

const replaceIn = async (
  trx: Queryable, dialect: Dialect, table: CountTable,
  { workspace, width, start }: { readonly workspace: WorkspaceId; readonly width: BucketWidth; readonly start: Instant },
  counts: ReadonlyArray<MessageCount & { readonly sender?: SenderId | undefined }>,
): Promise<void> => {
  await execute(trx, `DELETE FROM ${table} WHERE workspace_id = ? AND width = ? AND bucket_start = ?`, [workspace, width, start])
  await insert(
    trx, dialect, table, ['workspace_id', 'width', 'bucket_start', 'messages', 'charged', ...KEYS[table]],
    counts.map(({ state, category, messages, micros: charged, sender = NO_SENDER }) =>
      [workspace, width, start, messages, charged, ...(table === 'sender_counts' ? [sender] : []), state, category]),
  )
}

/**
 * Sets the counts of the bucket around a given time to the sums of the narrower buckets in it. Each table has its own sums, because the release before counts no
 * senders.
 */
const sumUp = async (
  trx: Queryable, dialect: Dialect, workspace: WorkspaceId, parts: BucketWidth, width: BucketWidth, at: Instant,
): Promise<void> => {
  const { from, to } = bucketSpan(width, bucketStart(width, at))
  for (const table of ['message_counts', 'sender_counts'] as const) {
    const key = KEYS[table].join(', ')
    const rows = await select(
      trx,
      `SELECT ${key}, SUM(messages) AS messages, SUM(charged) AS charged FROM ${table}
       WHERE workspace_id = ? AND width = ? AND bucket_start >= ? AND bucket_start < ? GROUP BY ${key}`,
      [workspace, parts, from, to],
    )
    const counts = rows.map((row) => senderCountIn(row, from, micros(row['charged'])))
    await replaceIn(trx, dialect, table, { workspace, width, start: from }, counts)
  }
}

const tasks = portTasks('MessageStatistics')
