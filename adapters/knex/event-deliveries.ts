import {
  type BrokerProgress, type BrokerTask, type DeliveryAttempt, type EventDeliveries, MOST_PENDING, type PendingEvents, type Retry,
} from '../../core/events/delivery.js'
import type { EndpointId } from '../../core/events/endpoint.js'
import type { EventId, WorkspaceId } from '../../core/kernel/ids.js'
import { pageOf, type PageQuery } from '../../core/kernel/json.js'
import type { EventType } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import { insert } from './bulk-sql.js'
import type { Database } from './database.js'
import { dueEndpoints } from './due-endpoints.js'
import { lockEndpoint } from './endpoint-rows.js'
import type { EventEndpointsParts } from './event-endpoints.js'
import { EVENT_COLUMNS, EVENT_TABLES, eventIn } from './events.js'
import type { GroupCommit } from './group-commit.js'
import { portTasks } from './port-tasks.js'
import { recordDeliveries } from './record-deliveries.js'
import { addAttempts } from './record-progress.js'
import { redeliver, redeliverSince } from './redeliver.js'
import { sqlErrorKind } from './sql-error.js'
import { execute, instant, instantOrNone, type Queryable, type Row, select, textOrNone } from './sql.js'
import { transact } from './transact.js'

/** How far events were delivered, over SQL. */
export const makeEventDeliveries = (
  { database, box, listeners }: Omit<EventEndpointsParts, 'transactEvents'>, { write }: GroupCommit,
): EventDeliveries => {
  const { db, dialect } = database
  const recording = recordDeliveries(dialect)
  return {
    due: (query) => tasks.value(() => dueEndpoints(db, box, query)),
    retries: (id, at, limit) => tasks.value(() => readRetries(db, id, at, limit)),
    record: (progress, along) =>
      tasks.value(async () => {
        const recorded = await write(recording, { progress, along })
        if (progress.disabled === true) listeners.forget()
        return recorded
      }),
    log: (attempt) =>
      tasks.value(() =>
        transact(database, async (trx) => {
          const endpoint = await lockEndpoint(trx, dialect, attempt.endpoint)
          if (endpoint !== undefined) await addAttempts(trx, dialect, attempt.endpoint, [attempt])
        })),
    pending: (id) => tasks.value(() => readPending(db, id)),
    attempts: (id, query) => tasks.value(async () => pageOf(await readAttempts(db, id, query), query.limit, (attempt) => attempt.id)),
    redeliver: (id, event, at) => tasks.value(() => redeliver(database, id, event, at)),
    redeliverSince: (id, since, at) => tasks.value(() => redeliverSince(database, id, since, at)),
    brokerDue: (limit) => tasks.value(() => readBrokerDue(db, limit)),
    recordBroker: (progress) => tasks.value(() => moveBroker(database, progress)),
  }
}

const readRetries = async (db: Queryable, id: EndpointId, at: Instant, limit: number): Promise<ReadonlyArray<Retry>> => {
  const rows = await select(
    db,
    `SELECT r.attempts, r.first_attempt_at, ${EVENT_COLUMNS} FROM event_retries r JOIN (${EVENT_TABLES}) ON e.id = r.event_id
     WHERE r.endpoint_id = ? AND r.next_at <= ? ORDER BY r.next_at, r.event_id LIMIT ?`,
    [id, at, limit],
  )
  return rows.map((row) => ({ event: eventIn(row), attempts: Number(row['attempts']), firstAttemptAt: instant(row['first_attempt_at']) }))
}

/** Counts by the primary keys of events and of retries, and never further than the limit. */
const readPending = async (db: Queryable, id: EndpointId): Promise<PendingEvents> => {
  const [row] = await select(
    db,
    `SELECT (SELECT COUNT(*) FROM (SELECT e.position FROM event_endpoints p JOIN events e ON e.workspace_id = p.workspace_id AND e.position > p.position
         WHERE p.id = ? AND p.status = 'enabled' LIMIT ?) AS f) AS fresh,
       (SELECT COUNT(*) FROM (SELECT r.event_id FROM event_endpoints p JOIN event_retries r ON r.endpoint_id = p.id
         WHERE p.id = ? AND p.status = 'enabled' LIMIT ?) AS t) AS retries`,
    [id, MOST_PENDING, id, MOST_PENDING],
  )
  return { fresh: Number(row?.['fresh'] ?? 0), retries: Number(row?.['retries'] ?? 0) }
}

/** Reads one attempt past the limit, newest first. */
const readAttempts = async (db: Queryable, id: EndpointId, { limit, cursor }: PageQuery): Promise<ReadonlyArray<DeliveryAttempt>> => {
  const rows = await select(
    db, `SELECT * FROM event_attempts WHERE endpoint_id = ? ${cursor === undefined ? '' : 'AND id < ?'} ORDER BY id DESC LIMIT ?`,
    [id, ...(cursor === undefined ? [] : [cursor]), limit + 1],
  )
  return rows.map(attemptIn)
}

/** The attempt of a row of `event_attempts`. */
export const attemptIn = (row: Row): DeliveryAttempt => ({
  id: String(row['id']),
  endpoint: row['endpoint_id'] as EndpointId,
  event: row['event_id'] as EventId,
  type: row['type'] as EventType,
  at: instant(row['attempted_at']),
  delivered: Number(row['delivered']) === 1,
  httpStatus: instantOrNone(row['http_status']),
  error: textOrNone(row['error']),
  answer: textOrNone(row['answer']),
  durationMs: Number(row['duration_ms']),
  nextAttemptAt: instantOrNone(row['next_at']),
})

const readBrokerDue = async (db: Queryable, limit: number): Promise<ReadonlyArray<BrokerTask>> => {
  const rows = await select(
    db,
    `SELECT due.workspace_id, due.reached FROM (
       SELECT s.workspace_id, coalesce(b.position, 0) AS reached,
         (SELECT e.created_at FROM events e WHERE e.workspace_id = s.workspace_id AND e.position > coalesce(b.position, 0)
          ORDER BY e.position LIMIT 1) AS event_at
       FROM event_streams s LEFT JOIN event_cursors b ON b.workspace_id = s.workspace_id AND b.consumer = 'broker'
       WHERE s.last_position > coalesce(b.position, 0)
     ) due
     WHERE due.event_at IS NOT NULL ORDER BY due.event_at, due.workspace_id LIMIT ?`,
    [limit],
  )
  return rows.map((row) => ({ workspace: row['workspace_id'] as WorkspaceId, position: Number(row['reached']) }))
}

/** The first move inserts the row; of two at once, one conflicts with the other. */
const moveBroker = async (database: Database, { workspace, from, to }: BrokerProgress): Promise<boolean> => {
  try {
    return await transact(database, async (trx) => {
      const moved = await execute(
        trx, "UPDATE event_cursors SET position = ? WHERE consumer = 'broker' AND workspace_id = ? AND position = ?", [to, workspace, from],
      )
      if (moved > 0 || from > 0) return moved > 0
      await insert(trx, database.dialect, 'event_cursors', ['consumer', 'workspace_id', 'position'], [['broker', workspace, to]])
      return true
    })
  } catch (error) {
    if (sqlErrorKind(error) === 'conflict') return false
    throw error
  }
}

const tasks = portTasks('EventDeliveries')
