import {
  type BrokerProgress, type BrokerTask, type DeliveryAttempt, type DeliveryProgress, type EventDeliveries, type FailedEvents,
  type FailedFilter, type FailedPass, isFailedMatch, MAX_PENDING, MAX_REDELIVERED, type PendingEvents, type Retry,
} from '../../../core/events/delivery.js'
import type { EndpointId, EventEndpoint } from '../../../core/events/endpoint.js'
import type { EventId, WorkspaceId } from '../../../core/kernel/ids.js'
import { pageOf, type PageQuery } from '../../../core/kernel/page.js'
import {
  type MakeOutboxEntries, EVENT_TYPES, type EventPosition, type EventType, PLATFORM_NOTIFICATION, wantsEvent,
} from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import { dueEndpoints, endpointIn, type EventEndpointsParts, lockEndpoint } from './endpoints.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import { type Dialect, sqlErrorKind, storableText } from '../engine/dialect.js'
import {
  type Bound, type EachUpdate, execute, inList, insert, instant, instantOrNone, type Queryable, type Row, select, textOrNone, updateAll,
} from '../engine/sql.js'
import { type Emit, EVENT_COLUMNS, EVENT_TABLES, eventIn } from './entries.js'
import type { GroupCommit, Write } from '../writes.js'

/** Records the results of deliveries, in a transaction; `false` if the endpoint is at another position, disabled or removed. */
export const recordProgress = async (trx: Queryable, dialect: Dialect, progress: DeliveryProgress): Promise<boolean> => {
  const { endpoint, from, to, attempts, retry, done, failures, failingSince, pausedUntil, retryAtOnceSince, disabled } = progress
  const moved = await execute(
    trx,
    `UPDATE event_endpoints SET position = ?, failures = ?, failing_since = ?, paused_until = ?, status = ?
     WHERE id = ? AND position = ? AND status = 'enabled'`,
    [to, failures, failingSince ?? null, pausedUntil ?? null, disabled === true ? 'disabled' : 'enabled', endpoint, from],
  )
  if (moved === 0) return false
  // They run in this order and share round trips. Retries of this progress must not become due immediately.
  await Promise.all([
    addAttempts(trx, dialect, endpoint, attempts),
    ...(retryAtOnceSince === undefined ? [] : [execute(trx, RETRY_AT_ONCE, [endpoint, retryAtOnceSince])]),
    ...(disabled === true ? [execute(trx, DROP, [endpoint])] : changeRetries(trx, dialect, { endpoint, attempts, retry, done })),
  ])
  return true
}

/** Adds attempts to the log of an endpoint, and shows the latest of them in the endpoint. */
export const addAttempts = async (
  trx: Queryable, dialect: Dialect, endpoint: EndpointId, attempts: ReadonlyArray<DeliveryAttempt>,
): Promise<void> => {
  const latest = latestOf(attempts)
  if (latest === undefined) return
  await Promise.all([
    insert(trx, dialect, 'event_attempts', ATTEMPT_COLUMNS, attempts.map(attemptValues)),
    execute(
      trx, 'UPDATE event_endpoints SET last_at = ?, last_delivered = ?, last_http_status = ? WHERE id = ? AND (last_at IS NULL OR last_at <= ?)',
      [latest.at, Number(latest.delivered), latest.httpStatus ?? null, endpoint, latest.at],
    ),
  ])
}

/** The latest of the given attempts; `undefined` if there are none. */
export const latestOf = (attempts: ReadonlyArray<DeliveryAttempt>): DeliveryAttempt | undefined =>
  attempts.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).at(-1)

/** The columns of an attempt, in the order of `attemptValues`. */
export const ATTEMPT_COLUMNS = [
  'endpoint_id', 'id', 'event_id', 'type', 'attempted_at', 'delivered', 'http_status', 'error', 'answer', 'duration_ms', 'next_at',
]

/** The maximum number of stored characters of an error or an answer. */
const TEXT_LENGTH = 8_192

/** The values of an attempt, in the order of `ATTEMPT_COLUMNS`. */
export const attemptValues = (attempt: DeliveryAttempt): ReadonlyArray<Bound> => [
  attempt.endpoint, attempt.id, attempt.event, attempt.type, attempt.at, Number(attempt.delivered), attempt.httpStatus ?? null,
  textOf(attempt.error), textOf(attempt.answer), Math.round(attempt.durationMs), attempt.nextAttemptAt ?? null,
]

const textOf = (text: string | undefined): string | null => (text === undefined ? null : storableText(text, TEXT_LENGTH))

const DROP = 'DELETE FROM event_retries WHERE endpoint_id = ?'
const RETRY_AT_ONCE = 'UPDATE event_retries SET next_at = noted_at WHERE endpoint_id = ? AND noted_at >= ? AND next_at > noted_at'

type RetryChanges = Pick<DeliveryProgress, 'endpoint' | 'attempts' | 'retry' | 'done'>

const changeRetries = (
  trx: Queryable, dialect: Dialect, { endpoint, attempts, retry, done }: RetryChanges,
): ReadonlyArray<Promise<unknown>> => {
  const notedAt = new Map(attempts.toSorted((a, b) => a.at - b.at).map(({ event, at }) => [event, at]))
  // A later retry replaces an earlier retry of the same event, but one statement may not change a row twice.
  const rows = new Map(
    retry.map(({ event, attempts: count, firstAttemptAt, at }) =>
      [event, [endpoint, event, count, firstAttemptAt, notedAt.get(event) ?? at, at]]),
  )
  const gone = inList(dialect, ['event_id'], done.map((event) => [event]))
  return [
    insertRetries(trx, dialect, [...rows.values()]),
    ...(done.length === 0
      ? []
      : [execute(trx, `DELETE FROM event_retries WHERE endpoint_id = ? AND ${gone.sql}`, [endpoint, ...gone.bindings])]),
  ]
}

const RETRY_COLUMNS = ['endpoint_id', 'event_id', 'attempts', 'first_attempt_at', 'noted_at', 'next_at']

/** Inserts or replaces retries: endpoint, event, number of attempts, the time of the first, when it failed or was requested, and when it is due. */
export const insertRetries = (trx: Queryable, dialect: Dialect, rows: ReadonlyArray<ReadonlyArray<Bound>>): Promise<void> =>
  insert(trx, dialect, 'event_retries', RETRY_COLUMNS, rows, dialect.upsert(RETRY_COLUMNS.slice(0, 2), RETRY_COLUMNS.slice(2)))

/** The results of deliveries to an endpoint, and the function that creates the event if the endpoint is disabled. */
export type ProgressItem = { readonly progress: DeliveryProgress; readonly outboxEntries: MakeOutboxEntries<EventEndpoint> | undefined }

/**
 * Records the results of deliveries to many endpoints in one transaction.
 *
 * Usually every attempt has delivered its event at the first try: then a few statements record them for all endpoints. If another gateway has moved one of these
 * endpoints, the update matches too few rows, and the second try records each endpoint separately.
 */
export const recordDeliveries = (dialect: Dialect): Write<ProgressItem, boolean> => ({
  kind: 'record-deliveries',
  run: async (trx, items, verifyReads, emit) => {
    const plain = verifyReads ? [] : items.filter(({ progress }) => isPlain(progress))
    await recordPlain(trx, dialect, plain.map(({ progress }) => progress))
    const answers: Array<boolean> = []
    for (const item of items) answers.push(plain.includes(item) || (await recordOne(trx, dialect, item, emit)))
    return answers
  },
})

/** Whether there were no retries and none are needed. */
const isPlain = ({ retry, done, retryAtOnceSince, disabled }: DeliveryProgress): boolean =>
  retry.length === 0 && done.length === 0 && retryAtOnceSince === undefined && disabled === undefined

const recordPlain = async (trx: Queryable, dialect: Dialect, progress: ReadonlyArray<DeliveryProgress>): Promise<void> => {
  if (progress.length === 0) return
  await Promise.all([
    updateAll(trx, dialect, MOVE, progress.map(moveValues), 'an endpoint was moved by another transaction'),
    insert(trx, dialect, 'event_attempts', ATTEMPT_COLUMNS, progress.flatMap(({ attempts }) => attempts.map(attemptValues))),
  ])
}

const recordOne = async (trx: Queryable, dialect: Dialect, { progress, outboxEntries }: ProgressItem, emit: Emit): Promise<boolean> => {
  if (!(await recordProgress(trx, dialect, progress))) return false
  if (progress.disabled === true && outboxEntries !== undefined) {
    const disabled = await lockEndpoint(trx, dialect, progress.endpoint)
    if (disabled !== undefined) emit(outboxEntries(endpointIn(disabled)))
  }
  return true
}

const moveValues = (progress: DeliveryProgress) => {
  const { endpoint, from, to, failures, failingSince, pausedUntil, attempts } = progress
  const latest = latestOf(attempts)
  return [
    endpoint, from, to, failures, failingSince ?? null, pausedUntil ?? null,
    latest?.at ?? null, latest === undefined ? null : Number(latest.delivered), latest?.httpStatus ?? null,
  ]
}

/** A test of the endpoint may have been later. MySQL assigns in this order, so the time with which the others are compared is last. */
const IS_LATEST = 'v.new_last_at IS NOT NULL AND (t.last_at IS NULL OR t.last_at <= v.new_last_at)'

const MOVE: EachUpdate = {
  table: 'event_endpoints',
  key: ['id'],
  columns: [
    'from_position', 'to_position', 'new_failures', 'new_failing_since', 'new_paused_until', 'new_last_at', 'new_last_delivered',
    'new_last_http_status',
  ].map((name) => ({ name, type: 'integer' })),
  set: [
    ['position', 'v.to_position'], ['failures', 'v.new_failures'], ['failing_since', 'v.new_failing_since'],
    ['paused_until', 'v.new_paused_until'],
    ['last_delivered', `CASE WHEN ${IS_LATEST} THEN v.new_last_delivered ELSE t.last_delivered END`],
    ['last_http_status', `CASE WHEN ${IS_LATEST} THEN v.new_last_http_status ELSE t.last_http_status END`],
    ['last_at', `CASE WHEN ${IS_LATEST} THEN v.new_last_at ELSE t.last_at END`],
  ],
  where: "t.position = v.from_position AND t.status = 'enabled'",
}

/** Schedules one event for redelivery; `false` if the endpoint's workspace has no such event, or there is no such endpoint. */
export const redeliver = (database: Database, id: EndpointId, event: EventId, at: Instant): Promise<boolean> =>
  transact(database, async (trx) => {
    const endpoint = await lockEndpoint(trx, database.dialect, id)
    if (endpoint === undefined) return false
    const [known] = await select(trx, 'SELECT id FROM events WHERE id = ? AND workspace_id = ?', [event, String(endpoint['workspace_id'])])
    if (known === undefined) return false
    await insertRetries(trx, database.dialect, [askedFor(id, event, at)])
    return true
  })

/** How many events one transaction processes. */
const BATCH = 1_000

/** Schedules the events since a given time for redelivery, in short transactions, so that other writes of the endpoint do not wait long. */
export const redeliverSince = async (database: Database, id: EndpointId, since: Instant, at: Instant): Promise<number> => {
  let total = 0
  let position: EventPosition | undefined = 0
  while (position !== undefined && total < MAX_REDELIVERED) {
    const batch: Batch = await redeliverBatch(database, { id, since, at, position, limit: Math.min(BATCH, MAX_REDELIVERED - total) })
    total += batch.count
    position = batch.next
  }
  return total
}

/** How many events were processed, and the position to continue from; none at the end. */
type Batch = { readonly count: number; readonly next: EventPosition | undefined }

/** Events since a given time, after a position. */
type BatchQuery = {
  readonly id: EndpointId
  readonly since: Instant
  readonly at: Instant
  readonly position: EventPosition
  readonly limit: number
}

const TYPES: ReadonlyArray<EventType> = [...EVENT_TYPES, PLATFORM_NOTIFICATION]

const redeliverBatch = (database: Database, { id, since, at, position, limit }: BatchQuery): Promise<Batch> =>
  transact(database, async (trx) => {
    const row = await lockEndpoint(trx, database.dialect, id)
    if (row === undefined) return { count: 0, next: undefined }
    const { workspace, types } = endpointIn(row)
    const wanted = inList(database.dialect, ['type'], TYPES.filter((type) => wantsEvent(types, type)).map((type) => [type]))
    const events = await select(
      trx,
      `SELECT id, position FROM events WHERE workspace_id = ? AND position > ? AND position <= ? AND created_at >= ? AND ${wanted.sql}
       ORDER BY position LIMIT ?`,
      [workspace, position, Number(row['position']), since, ...wanted.bindings, limit],
    )
    await insertRetries(trx, database.dialect, events.map((event) => askedFor(id, String(event['id']), at)))
    return { count: events.length, next: events.length < limit ? undefined : Number(events.at(-1)?.['position']) }
  })

/** The events that have failed, and the latest failed attempt of each, by the index of failed attempts: no pass reads more of them than its limit. */
const FAILED = `SELECT f.event_id, a.http_status, e.type, e.created_at,
    (SELECT MAX(s.id) FROM event_attempts s WHERE s.endpoint_id = p.id AND s.delivered = 1 AND s.event_id = f.event_id) AS delivered_by,
    f.attempt_id, r.attempts
  FROM (SELECT event_id, MAX(id) AS attempt_id FROM event_attempts WHERE endpoint_id = ? AND delivered = 0 AND event_id > ?
      GROUP BY event_id ORDER BY event_id LIMIT ?) f
    JOIN event_endpoints p ON p.id = ?
    JOIN event_attempts a ON a.endpoint_id = p.id AND a.id = f.attempt_id
    LEFT JOIN events e ON e.id = f.event_id AND e.workspace_id = p.workspace_id
    LEFT JOIN event_retries r ON r.endpoint_id = p.id AND r.event_id = f.event_id
  ORDER BY f.event_id`

const readFailed = async (
  db: Queryable, id: EndpointId, filter: FailedFilter, { after = '' as EventId, limit }: FailedPass,
): Promise<FailedEvents> => {
  const rows = await select(db, FAILED, [id, after, limit, id])
  const events = rows.filter((row) => {
    const [event, latest] = [
      { type: row['type'] as EventType, at: instant(row['created_at']) }, { httpStatus: instantOrNone(row['http_status']) },
    ]
    return row['type'] !== null && Number(row['attempts'] ?? 1) > 0 && String(row['delivered_by'] ?? '') < String(row['attempt_id'])
      && isFailedMatch(filter, event, latest)
  })
  const ids = (all: ReadonlyArray<Row>) => all.map((row) => row['event_id'] as EventId)
  return { events: ids(events), next: rows.length < limit ? undefined : ids(rows).at(-1) }
}

/** Schedules the failed events of one pass. The lock of the endpoint keeps its deliveries from being recorded meanwhile. */
const redeliverFailed = (database: Database, id: EndpointId, filter: FailedFilter, pass: FailedPass, at: Instant): Promise<FailedEvents> =>
  transact(database, async (trx) => {
    const row = await lockEndpoint(trx, database.dialect, id)
    if (row?.['status'] !== 'enabled') return { events: [], next: undefined }
    const found = await readFailed(trx, id, filter, pass)
    await insertRetries(trx, database.dialect, found.events.map((event) => askedFor(id, event, at)))
    return found
  })

const askedFor = (id: EndpointId, event: string, at: Instant): ReadonlyArray<string | number> => [id, event, 0, at, at, at]

/** The progress of deliveries, over SQL. */
export const makeEventDeliveries = (
  { database, box, listeners }: Omit<EventEndpointsParts, 'transactEvents'>, { write }: GroupCommit,
): EventDeliveries => {
  const { db, dialect } = database
  const recording = recordDeliveries(dialect)
  return {
    due: (query) => tasks.value(() => dueEndpoints(db, box, query)),
    retries: (id, at, limit) => tasks.value(() => readRetries(db, id, at, limit)),
    record: (progress, outboxEntries) =>
      tasks.value(async () => {
        const recorded = await write(recording, { progress, outboxEntries })
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
    failed: (id, filter, pass) => tasks.value(() => readFailed(db, id, filter, pass)),
    redeliverFailed: (id, filter, pass, at) => tasks.value(() => redeliverFailed(database, id, filter, pass, at)),
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

/** Counts by the primary keys of events and of retries, and stops at the limit. */
const readPending = async (db: Queryable, id: EndpointId): Promise<PendingEvents> => {
  const [row] = await select(
    db,
    `SELECT (SELECT COUNT(*) FROM (SELECT e.position FROM event_endpoints p JOIN events e ON e.workspace_id = p.workspace_id AND e.position > p.position
         WHERE p.id = ? AND p.status = 'enabled' LIMIT ?) AS f) AS fresh,
       (SELECT COUNT(*) FROM (SELECT r.event_id FROM event_endpoints p JOIN event_retries r ON r.endpoint_id = p.id
         WHERE p.id = ? AND p.status = 'enabled' LIMIT ?) AS t) AS retries`,
    [id, MAX_PENDING, id, MAX_PENDING],
  )
  return { fresh: Number(row?.['fresh'] ?? 0), retries: Number(row?.['retries'] ?? 0) }
}

/** Reads one attempt more than the limit, newest first. */
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

/** The first move inserts the row; two simultaneous moves conflict. */
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
