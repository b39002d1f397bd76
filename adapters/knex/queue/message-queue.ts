import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Instant } from '../../../core/kernel/time.js'
import type { Draft } from '../../../core/messages/message-log.js'
import type { MessageId } from '../../../core/messages/message.js'
import {
  type ClaimedRef, type DueSender, inDueOrder, type MessageQueue, type PlacedMessage, type QueuedCount, type QueuedMessage, type QueuedRef,
  type QueueTimes, readQueued, type Waiting, writeQueued,
} from '../../../core/messages/queue.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import {
  type EachUpdate, execute, inList, insert, instant, micros, type Queryable, type Row, select, together, updateAll, updateEach,
} from '../engine/sql.js'
import { deleteQueued, recordOf } from '../messages/message-changes.js'
import type { SecretBox } from '../secret-box.js'
import type { GroupCommit, Write } from '../writes.js'

/** Stores the places and the contents of the drafts that are queued. */
export type StoreQueued = (dialect: Dialect, trx: Queryable, drafts: ReadonlyArray<Draft>) => Promise<void>

const contextOf = (workspace: string, message: string): string => `queued ${workspace} ${message}`

/** Creates the function that stores them. The contents are encrypted, so that a reader of the database cannot read them. */
export const storeQueued = (box: SecretBox): StoreQueued => async (dialect, trx, drafts) => {
  const queued = drafts.flatMap((draft) => (draft.queue === undefined ? [] : [{ ...draft, queue: draft.queue }]))
  if (queued.length === 0) return
  await together([
    insert(
      trx, dialect, 'queued_messages', ['workspace_id', 'message_id', 'sender', 'due_at', 'ends_at', 'priority', 'unheld'],
      queued.map(({ workspace, id, sender, price, queue: { dueAt, endsAt, isBatch, isHeld = false } }) =>
        [workspace, id, sender ?? '', dueAt, endsAt, priorityOf(isBatch), isHeld ? null : price.micros]),
    ),
    insert(
      trx, dialect, 'queued_contents', ['workspace_id', 'message_id', 'content'],
      queued.map(({ workspace, id, message, queue }) => [workspace, id, box.seal(writeQueued(message, queue), contextOf(workspace, id))]),
    ),
  ])
}

/** Of one sender, messages of a lower priority number are read first. */
const priorityOf = (isBatch = false): number => (isBatch ? 1 : 0)

/** The queue of messages over SQL. Only the narrow table of the places is searched; the content is read by its key. */
export const makeMessageQueue = (database: Database, { write }: GroupCommit, box: SecretBox): MessageQueue => {
  const { db, dialect } = database
  const claiming = claimQueued(dialect)
  return {
    sendersDue: ({ at, limit, except = new Set() }) => tasks.value(async () => {
      const others = except.size === 0 ? '' : `AND workspace_id NOT IN (${Array.from(except, () => '?').join(', ')})`
      const rows = await select(
        db,
        `${firstOfSenders(dialect)} SELECT workspace_id, sender, MIN(due_at) AS first_due_at FROM firsts WHERE due_at <= ? ${others}
         GROUP BY workspace_id, sender ORDER BY first_due_at, workspace_id, sender LIMIT ?`,
        [at, ...except, limit],
      )
      return rows.map((row): DueSender => ({
        workspace: row['workspace_id'] as WorkspaceId, sender: String(row['sender']), oldestDueAt: instant(row['first_due_at']),
      }))
    }),
    due: ({ workspace, sender, at, limit, isBatch, after }) => tasks.value(async () => {
      const rows = await select(
        db,
        `SELECT q.due_at, q.ends_at, q.priority, c.content, m.* FROM
           (SELECT workspace_id, message_id, due_at, ends_at, priority FROM ${dialect.byIndex('queued_messages', SENDER_INDEX)}
            WHERE workspace_id = ? AND sender = ? AND priority = ? AND due_at <= ?
              ${after === undefined ? '' : 'AND due_at >= ? AND (due_at > ? OR message_id > ?)'}
            ORDER BY due_at, message_id LIMIT ?) q
         JOIN queued_contents c ON c.workspace_id = q.workspace_id AND c.message_id = q.message_id
         JOIN messages m ON m.workspace_id = q.workspace_id AND m.id = q.message_id
         ORDER BY q.due_at, q.message_id`,
        [workspace, sender, priorityOf(isBatch), at, ...(after === undefined ? [] : [after.dueAt, after.dueAt, after.id]), limit],
      )
      return rows.map((row): QueuedMessage => {
        const record = recordOf(row)
        const { message, firstDueAt, ...kept } = readQueued(box.openOnce(String(row['content']), contextOf(record.workspace, record.id)))
        const [dueAt, isBatch] = [instant(row['due_at']), Number(row['priority']) > 0]
        const isPostponed = firstDueAt !== undefined && firstDueAt !== dueAt
        const place = { dueAt, endsAt: instant(row['ends_at']), ...(isBatch && { isBatch }), ...(isPostponed && { firstDueAt }) }
        return { record, message, place: { ...place, ...kept } }
      })
    }),
    claim: (queued, at) => tasks.value(() => write(claiming, { ...queued, at })),
    postpone: (queued) => tasks.value(async () => {
      if (queued.length === 0) return
      const rows = queued.map(({ workspace, message, dueAt }) => [workspace, message, dueAt])
      await transact(database, (trx) => updateEach(trx, dialect, POSTPONE, rows))
    }),
    waiting: ({ at, workspace }) => tasks.value(async () => {
      const [where, of] = workspace === undefined ? ['', []] : ['WHERE workspace_id = ?', [workspace]]
      // All messages are counted in the index alone. Rows are read only for those that are due later.
      const rows = await select(
        db,
        `SELECT q.workspace_id, q.sender, q.messages, q.first_due_at, coalesce(s.messages, 0) AS scheduled FROM
           (SELECT workspace_id, sender, COUNT(*) AS messages, MIN(due_at) AS first_due_at
            FROM ${dialect.byIndex('queued_messages', SENDER_INDEX)} ${where} GROUP BY workspace_id, sender) q
         LEFT JOIN (SELECT workspace_id, sender, COUNT(*) AS messages FROM queued_messages
            ${where === '' ? 'WHERE' : `${where} AND`} due_at > ? AND unheld IS NOT NULL GROUP BY workspace_id, sender) s
         ON s.workspace_id = q.workspace_id AND s.sender = q.sender`,
        [...of, ...of, at],
      )
      return rows.map((row): Waiting => {
        const [scheduled, first] = [Number(row['scheduled']), instant(row['first_due_at'])]
        return {
          workspace: row['workspace_id'] as WorkspaceId, sender: String(row['sender']), waiting: Number(row['messages']) - scheduled,
          scheduled, oldestDueAt: first <= at ? first : undefined,
        }
      })
    }),
    scheduled: ({ workspace, soonBefore }) => tasks.value(async () => {
      // The index contains all three columns, so no row is read.
      const [row] = await select(
        db,
        `SELECT SUM(CASE WHEN due_at < ? THEN unheld ELSE 0 END) AS soon, SUM(unheld) AS all_unheld FROM queued_messages
         WHERE workspace_id = ? AND unheld IS NOT NULL`,
        [soonBefore, workspace],
      )
      return { soon: micros(row?.['soon'] ?? 0), all: micros(row?.['all_unheld'] ?? 0) }
    }),
    backlog: ({ at, senders: limit, mostOfSender, mostOfAll }) => tasks.value(async () => {
      const firsts = await select(
        db,
        `${firstOfSenders(dialect)} SELECT workspace_id, sender, MIN(due_at) AS first_due_at FROM firsts GROUP BY workspace_id, sender
         ORDER BY first_due_at, workspace_id, sender LIMIT ?`,
        [Math.max(1, limit)],
      )
      const shown = firsts.slice(0, limit).map((row) => ({ workspace: row['workspace_id'] as WorkspaceId, sender: String(row['sender']) }))
      const counts = await countQueued(database, at, [
        { most: mostOfAll, wheres: [''], index: DUE_INDEX, bindings: [] },
        ...shown.map(({ workspace, sender }) => ({
          most: mostOfSender, wheres: [0, 1].map((priority) => `workspace_id = ? AND sender = ? AND priority = ${priority} AND `),
          index: SENDER_INDEX, bindings: [workspace, sender],
        })),
      ])
      const withTime = (count: Omit<QueuedCount, 'oldestDueAt'> | undefined, first: Row | undefined): QueuedCount => {
        const firstDueAt = first === undefined ? Infinity : instant(first['first_due_at'])
        return { due: 0, later: 0, ...count, oldestDueAt: firstDueAt <= at ? firstDueAt : undefined }
      }
      return {
        ...withTime(counts[0], firsts[0]), senders: shown.map((of, index) => ({ ...of, ...withTime(counts[index + 1], firsts[index]) })),
      }
    }),
    next: ({ workspace, sender, limit }) => tasks.value(async () => {
      // The index has the priority before the time, so each priority is read by itself.
      const found = await together([false, true].map((isBatch) => select(
        db,
        `SELECT q.due_at, q.ends_at, m.* FROM
           (SELECT workspace_id, message_id, due_at, ends_at FROM ${dialect.byIndex('queued_messages', SENDER_INDEX)}
            WHERE workspace_id = ? AND sender = ? AND priority = ? ORDER BY due_at, message_id LIMIT ?) q
         JOIN messages m ON m.workspace_id = q.workspace_id AND m.id = q.message_id`,
        [workspace, sender, priorityOf(isBatch), limit],
      )))
      return found.flat().map((row): PlacedMessage => ({ record: recordOf(row), ...timesIn(row) })).sort(inDueOrder).slice(0, limit)
    }),
    timesOf: (workspace, messages) => tasks.value(async () => {
      if (messages.length === 0) return new Map()
      const { sql, bindings } = inList(dialect, ['workspace_id', 'message_id'], messages.map((message) => [workspace, message]))
      const rows = await select(db, `SELECT message_id, due_at, ends_at FROM queued_messages WHERE ${sql}`, bindings)
      return new Map(rows.map((row) => [row['message_id'] as MessageId, timesIn(row)]))
    }),
  }
}

const timesIn = (row: Row): QueueTimes => ({ dueAt: instant(row['due_at']), endsAt: instant(row['ends_at']) })

const SENDER_INDEX = 'queued_messages_sender'
const DUE_INDEX = 'queued_messages_due'

/** A part of the queue: the conditions of its ranges of an index, and up to how many of its messages are counted. */
type Counting = {
  readonly most: number; readonly wheres: ReadonlyArray<string>; readonly index: string; readonly bindings: ReadonlyArray<string>
}

/** Counts parts of the queue in one statement, which reads the index alone, and at most `most` entries of each range. */
const countQueued = async (
  { db, dialect }: Database, at: Instant, countings: ReadonlyArray<Counting>,
): Promise<ReadonlyArray<Omit<QueuedCount, 'oldestDueAt'>>> => {
  const ranges = countings.flatMap(({ wheres, ...rest }, place) => wheres.flatMap((where) =>
    (['due_at <= ?', 'due_at > ?'] as const).map((when) => ({ ...rest, place, where, when }))))
  const rows = await select(
    db,
    ranges.map(({ place, where, when, index }) =>
      `SELECT ${place} AS place, ${when === 'due_at <= ?' ? 1 : 0} AS is_due, COUNT(*) AS messages FROM
         (SELECT 1 AS one FROM ${dialect.byIndex('queued_messages', index)} WHERE ${where}${when} ORDER BY due_at LIMIT ?) q`)
      .join(' UNION ALL '),
    ranges.flatMap(({ bindings, most }) => [...bindings, at, most]),
  )
  const sum = (wanted: number, isDue: number): number => rows.reduce(
    (total, { place, is_due, messages }) => total + (Number(place) === wanted && Number(is_due) === isDue ? Number(messages) : 0), 0,
  )
  return countings.map(({ most }, place) => {
    const due = Math.min(most, sum(place, 1))
    return { due, later: Math.min(most - due, sum(place, 0)) }
  })
}

const POSTPONE: EachUpdate = {
  table: 'queued_messages', key: ['workspace_id', 'message_id'], columns: [{ name: 'later_at', type: 'integer' }],
  set: [['due_at', 'v.later_at']], where: '1 = 1',
}

/**
 * The first message of each sender and priority, as the table `firsts`. It reads one entry of the index for each, and not each message: MySQL does so for a GROUP BY, PostgreSQL
 * and SQLite have to be asked for the next sender again and again.
 */
const firstOfSenders = ({ name }: Dialect): string => {
  if (name === 'mysql') {
    return 'WITH firsts AS (SELECT workspace_id, sender, priority, MIN(due_at) AS due_at FROM queued_messages GROUP BY workspace_id, sender, priority)'
  }
  const id = name === 'postgres' ? 'ctid' : 'rowid'
  const first = `SELECT ${id} FROM queued_messages`
  const ordered = 'ORDER BY workspace_id, sender, priority, due_at, message_id LIMIT 1'
  // SQLite compares only the first column by the index if the three are compared as a row, and then reads all messages of the workspace.
  return `WITH RECURSIVE steps(id) AS (
      SELECT (${first} ${ordered})
      UNION ALL
      SELECT COALESCE(
        (${first} WHERE workspace_id = q.workspace_id AND sender = q.sender AND priority > q.priority ${ordered}),
        (${first} WHERE workspace_id = q.workspace_id AND sender > q.sender ${ordered}),
        (${first} WHERE workspace_id > q.workspace_id ${ordered}))
      FROM steps JOIN queued_messages q ON q.${id} = steps.id
    ), firsts AS (SELECT q.workspace_id, q.sender, q.due_at FROM steps JOIN queued_messages q ON q.${id} = steps.id)`
}

type ClaimItem = ClaimedRef & { readonly at: Instant }

/** Stands for a claim that names no sender. */
const ANY_SENDER = '*'

/**
 * Claims queued messages. The first try assumes that each is queued, and its guarded update fails if one is not. Then each item runs in a separate transaction, which reads
 * the state first.
 */
const claimQueued = (dialect: Dialect): Write<ClaimItem, boolean> => ({
  kind: 'claim-queued',
  run: async (trx, items, verifyReads) => {
    const firsts = new Map(items.map((item) => [keyOf(item), item]))
    const isRepeated = firsts.size < items.length
    const queued = verifyReads || isRepeated ? await readQueuedKeys(dialect, trx, items) : new Set(firsts.keys())
    const claimed = [...firsts.values()].filter((item) => queued.has(keyOf(item)))
    if (claimed.length > 0) {
      await together([
        updateAll(
          trx, dialect,
          {
            table: 'messages', key: ['workspace_id', 'id'],
            columns: [{ name: 'left_at', type: 'integer' }, { name: 'through', type: 'text' }],
            set: [['state', "'pending'"], ['pending_at', 'v.left_at'], ['open_since', 'v.left_at']],
            where: `t.state = 'queued' AND (v.through = '${ANY_SENDER}' OR coalesce(t.sender, '') = v.through)`,
          },
          claimed.map(({ workspace, message, at, sender = ANY_SENDER }) => [workspace, message, at, sender]), 'a message was taken from the queue by another transaction',
        ),
        deleteQueued(dialect, trx, claimed.map(({ workspace, message: id }) => ({ workspace, id }))),
      ])
    }
    // If one batch claims a message twice, the first claim has it.
    return items.map((item) => firsts.get(keyOf(item)) === item && queued.has(keyOf(item)))
  },
})

const keyOf = ({ workspace, message }: QueuedRef): string => `${workspace} ${message}`

const readQueuedKeys = async (dialect: Dialect, trx: Queryable, items: ReadonlyArray<ClaimItem>): Promise<ReadonlySet<string>> => {
  const firsts = new Map(items.toReversed().map((item) => [keyOf(item), item]))
  const ids = Array.from(firsts.values(), ({ workspace, message }) => [workspace, message])
  const { sql, bindings } = inList(dialect, ['workspace_id', 'id'], ids)
  const rows = await select(trx, `SELECT workspace_id, id, sender FROM messages WHERE ${sql} AND state = 'queued'`, bindings)
  return new Set(rows.flatMap((row) => {
    const key = `${row['workspace_id']} ${row['id']}`
    const sender = firsts.get(key)?.sender
    return sender === undefined || sender === (row['sender'] ?? '') ? [key] : []
  }))
}

/** The messages of a sender that are queued; user ids begin with a letter, and numbers with a digit. */
const queuedTo = (which: 'numbers' | 'user ids'): string =>
  `workspace_id = ? AND sender = ? AND open_since IS NOT NULL AND state = 'queued' AND customer ${which === 'numbers' ? '<' : '>='} 'A'`

/** How many messages of a sender are queued for user ids. */
export const countQueuedToUserIds = async (trx: Queryable, workspace: string, sender: string): Promise<number> => {
  const [found] = await select(trx, `SELECT COUNT(*) AS count FROM messages WHERE ${queuedTo('user ids')}`, [workspace, sender])
  return Number(found?.['count'])
}

/**
 * Moves what a sender has queued for numbers to another one in the caller's transaction. What it has queued for user ids is due at the given time.
 *
 * As in a claim, the messages are written before their places.
 */
export const moveQueued = async (trx: Queryable, workspace: string, from: string, to: string, at: Instant): Promise<void> => {
  const ofSender = 'workspace_id = ? AND sender = ? AND message_id IN'
  await execute(trx, `UPDATE messages SET sender = ? WHERE ${queuedTo('numbers')}`, [to, workspace, from])
  await execute(
    trx, `UPDATE queued_messages SET sender = ? WHERE ${ofSender} (SELECT id FROM messages WHERE ${queuedTo('numbers')})`,
    [to, workspace, from, workspace, to],
  )
  await execute(
    trx, `UPDATE queued_messages SET due_at = ? WHERE due_at > ? AND ${ofSender} (SELECT id FROM messages WHERE ${queuedTo('user ids')})`,
    [at, at, workspace, from, workspace, from],
  )
}

const tasks = portTasks('MessageQueue')
