import type { DeliveryAttempt } from '../../../core/events/delivery.js'
import type { EventId } from '../../../core/kernel/ids.js'
import type { EventType, StoredEvent } from '../../../core/kernel/outbox.js'
import { type Instant, MINUTE_MS, SECOND_MS, uuidPrefixOf } from '../../../core/kernel/time.js'
import type { Entry } from '../../../core/money/ledger.js'
import { LOOKED_AT_NEAR, type MessageTimeline, type ReceivedQuery, type TimelineEvent, type TimelineQuery } from '../../../core/timeline.js'
import { attemptIn } from '../events/deliveries.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { inList, instant, type Queryable, type Row, select } from '../engine/sql.js'
import { EVENT_COLUMNS, EVENT_TABLES, eventIn } from '../events/entries.js'
import { entryOf, HOLD_ENTRY_COLUMNS, holdEntryOf } from '../ledger/ledger.js'

/** The stored data of a message in addition to its record, over SQL. Only a hold has an index by its message. */
export const makeMessageTimeline = (database: Database): MessageTimeline => ({
  entries: (query) => tasks.value(() => readEntries(database.db, query)),
  events: (query) => tasks.value(() => readEvents(database, query)),
  received: (query) => tasks.value(() => readReceived(database, query)),
})

const ENTRY = 'id, kind, amount, message_id, reference, note, created_at'

const readEntries = async (db: Queryable, { workspace, message, moments }: TimelineQuery): Promise<ReadonlyArray<Entry>> => {
  const look = (where: string, order: string, ...values: ReadonlyArray<string>): Promise<ReadonlyArray<Row>> => select(
    db,
    `SELECT * FROM (SELECT ${ENTRY} FROM wallet_entries WHERE workspace_id = ? ${where} ORDER BY id ${order} LIMIT ${LOOKED_AT_NEAR}) looked WHERE message_id = ?`,
    [workspace, ...values, message],
  )
  const [holds, ...looks] = await Promise.all([
    select(db, `SELECT ${HOLD_ENTRY_COLUMNS} FROM holds WHERE workspace_id = ? AND message_id = ?`, [workspace, message]),
    look('', 'DESC'), ...startsOf(moments).map((from) => look('AND id >= ?', 'ASC', uuidPrefixOf(from))),
  ])
  return distinct([...holds.map(holdEntryOf), ...looks.flat().map(entryOf)])
}

const readEvents = async (database: Database, { workspace, message, moments }: TimelineQuery): Promise<ReadonlyArray<TimelineEvent>> => {
  const look = (where: string, order: string, ...values: ReadonlyArray<string | number>): Promise<ReadonlyArray<Row>> => select(
    database.db,
    `SELECT * FROM (SELECT id, type, workspace_id, subject, created_at, position FROM events WHERE ${where} ORDER BY ${order} LIMIT ${LOOKED_AT_NEAR}) looked
     WHERE workspace_id = ? AND subject = ?`,
    [...values, workspace, message],
  )
  const looks = await Promise.all([
    look('workspace_id = ?', 'position DESC', workspace), ...startsOf(moments).map((from) => look('created_at >= ?', 'created_at', from)),
  ])
  const rows = looks.flat().toSorted((a, b) => Number(a['position']) - Number(b['position']))
  const events = [...new Map(rows.map((row) => [String(row['id']), row])).values()]
    .map((row) => ({ id: row['id'] as EventId, type: row['type'] as EventType, at: instant(row['created_at']) }))
  const attempts = await readAttempts(database, workspace, events)
  return events.map((event) => ({ ...event, attempts: attempts.filter((attempt) => attempt.event === event.id) }))
}

/** The events are searched by their narrow columns, and only the matching events are read completely. */
const readReceived = async (
  { db, dialect }: Database, { workspace, customer, moments, limit }: ReceivedQuery,
): Promise<ReadonlyArray<StoredEvent>> => {
  if (customer.length === 0) return []
  const about = inList(dialect, ['subject'], customer.map((id) => [id]))
  const look = (where: string, order: string, ...values: ReadonlyArray<string | number>): Promise<ReadonlyArray<Row>> => select(
    db,
    `SELECT position FROM (SELECT workspace_id, type, subject, position FROM events WHERE ${where} ORDER BY ${order} LIMIT ${LOOKED_AT_NEAR}) looked
     WHERE workspace_id = ? AND type = 'message.received' AND ${about.sql}`,
    [...values, workspace, ...about.bindings],
  )
  const looks = await Promise.all([
    look('workspace_id = ?', 'position DESC', workspace), ...startsOf(moments).map((from) => look('created_at >= ?', 'created_at', from)),
  ])
  const positions = [...new Set(looks.flat().map(({ position }) => Number(position)))].sort((a, b) => b - a).slice(0, limit)
  if (positions.length === 0) return []
  const wanted = inList(dialect, ['e.position'], positions.map((position) => [position]), 'integer')
  const rows = await select(
    db, `SELECT ${EVENT_COLUMNS} FROM ${EVENT_TABLES} WHERE e.workspace_id = ? AND ${wanted.sql} ORDER BY e.position DESC`,
    [workspace, ...wanted.bindings],
  )
  return rows.map(eventIn)
}

/** The log is wide, so fewer of its rows are read. */
const ATTEMPTS_NEAR = 1_000

const readAttempts = async (
  { db, dialect }: Database, workspace: string, events: ReadonlyArray<Pick<TimelineEvent, 'id' | 'at'>>,
): Promise<ReadonlyArray<DeliveryAttempt>> => {
  if (events.length === 0) return []
  const endpoints = await select(db, 'SELECT id FROM event_endpoints WHERE workspace_id = ?', [workspace])
  const wanted = inList(dialect, ['event_id'], events.map(({ id }) => [id]))
  const look = async (
    endpoint: string, where: string, order: string, ...values: ReadonlyArray<string>
  ): Promise<ReadonlyArray<DeliveryAttempt>> => (await select(
    db,
    `SELECT * FROM event_attempts WHERE endpoint_id = ? AND id IN (SELECT id FROM (
       SELECT id, event_id FROM event_attempts WHERE endpoint_id = ? ${where} ORDER BY id ${order} LIMIT ${ATTEMPTS_NEAR}) looked WHERE ${wanted.sql}) ORDER BY id`,
    [endpoint, endpoint, ...values, ...wanted.bindings],
  )).map(attemptIn)
  const starts = startsOf(events.map(({ at }) => at))
  return distinct((await Promise.all(endpoints.flatMap(({ id }) =>
    [look(String(id), '', 'DESC'), ...starts.map((from) => look(String(id), 'AND id >= ?', 'ASC', uuidPrefixOf(from)))]))).flat())
}

/** The start positions of the search: a second before each time, and only one for the times of a minute. */
const startsOf = (moments: ReadonlyArray<Instant>): ReadonlyArray<Instant> =>
  moments.toSorted((a, b) => a - b).reduce<ReadonlyArray<Instant>>(
    (starts, at) => (at - SECOND_MS < (starts.at(-1) ?? -Infinity) + MINUTE_MS ? starts : [...starts, at - SECOND_MS]), [],
  )

const distinct = <Item extends { readonly id: string }>(items: ReadonlyArray<Item>): ReadonlyArray<Item> =>
  [...new Map(items.map((item) => [item.id, item])).values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))

const tasks = portTasks('MessageTimeline')
