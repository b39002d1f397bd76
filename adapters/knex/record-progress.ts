import type { DeliveryAttempt, DeliveryProgress } from '../../core/events/delivery.js'
import type { EndpointId } from '../../core/events/endpoint.js'
import { inList, insert } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { type Bound, execute, type Queryable } from './sql.js'
import { storableText } from './storable-text.js'

/** Notes what came of deliveries, in a transaction; `false` if the endpoint is at another position, disabled or gone. */
export const recordProgress = async (trx: Queryable, dialect: Dialect, progress: DeliveryProgress): Promise<boolean> => {
  const { endpoint, from, to, attempts, retry, done, failures, failingSince, pausedUntil, hastenSince, disabled } = progress
  const moved = await execute(
    trx,
    `UPDATE event_endpoints SET position = ?, failures = ?, failing_since = ?, paused_until = ?, status = ?
     WHERE id = ? AND position = ? AND status = 'enabled'`,
    [to, failures, failingSince ?? null, pausedUntil ?? null, disabled === true ? 'disabled' : 'enabled', endpoint, from],
  )
  if (moved === 0) return false
  // They run in this order and share round trips. What was hastened must not include the retries of this progress.
  await Promise.all([
    addAttempts(trx, dialect, endpoint, attempts),
    ...(hastenSince === undefined ? [] : [execute(trx, HASTEN, [endpoint, hastenSince])]),
    ...(disabled === true ? [execute(trx, DROP, [endpoint])] : changeRetries(trx, dialect, { endpoint, attempts, retry, done })),
  ])
  return true
}

/** Adds attempts to the log of an endpoint, and shows the latest of them at the endpoint. */
export const addAttempts = async (trx: Queryable, dialect: Dialect, endpoint: EndpointId, attempts: ReadonlyArray<DeliveryAttempt>): Promise<void> => {
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

/** The latest of some attempts; `undefined` where there are none. */
export const latestOf = (attempts: ReadonlyArray<DeliveryAttempt>): DeliveryAttempt | undefined =>
  attempts.toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).at(-1)

/** The columns of an attempt, in the order of `attemptValues`. */
export const ATTEMPT_COLUMNS = ['endpoint_id', 'id', 'event_id', 'type', 'attempted_at', 'delivered', 'http_status', 'error', 'answer', 'duration_ms', 'next_at']

/** The most characters of an error or an answer that are stored. */
const TEXT_LENGTH = 8_192

/** The values of an attempt, in the order of `ATTEMPT_COLUMNS`. */
export const attemptValues = (attempt: DeliveryAttempt): ReadonlyArray<Bound> => [
  attempt.endpoint, attempt.id, attempt.event, attempt.type, attempt.at, Number(attempt.delivered), attempt.httpStatus ?? null, textOf(attempt.error),
  textOf(attempt.answer), Math.round(attempt.durationMs), attempt.nextAttemptAt ?? null,
]

const textOf = (text: string | undefined): string | null => (text === undefined ? null : storableText(text, TEXT_LENGTH))

const DROP = 'DELETE FROM event_retries WHERE endpoint_id = ?'
const HASTEN = 'UPDATE event_retries SET next_at = noted_at WHERE endpoint_id = ? AND noted_at >= ? AND next_at > noted_at'

type RetryChanges = Pick<DeliveryProgress, 'endpoint' | 'attempts' | 'retry' | 'done'>

const changeRetries = (trx: Queryable, dialect: Dialect, { endpoint, attempts, retry, done }: RetryChanges): ReadonlyArray<Promise<unknown>> => {
  const notedAt = new Map(attempts.toSorted((a, b) => a.at - b.at).map(({ event, at }) => [event, at]))
  // A later retry replaces an earlier one of the same event, but one statement may not change a row twice.
  const rows = new Map(
    retry.map(({ event, attempts: count, firstAttemptAt, at }) => [event, [endpoint, event, count, firstAttemptAt, notedAt.get(event) ?? at, at]]),
  )
  const gone = inList(dialect, ['event_id'], done.map((event) => [event]))
  return [
    insertRetries(trx, dialect, [...rows.values()]),
    ...(done.length === 0 ? [] : [execute(trx, `DELETE FROM event_retries WHERE endpoint_id = ? AND ${gone.sql}`, [endpoint, ...gone.bindings])]),
  ]
}

const RETRY_COLUMNS = ['endpoint_id', 'event_id', 'attempts', 'first_attempt_at', 'noted_at', 'next_at']

/** Inserts or replaces retries: endpoint, event, attempts made, the first one's moment, when it failed or was asked for, and when it is due. */
export const insertRetries = (trx: Queryable, dialect: Dialect, rows: ReadonlyArray<ReadonlyArray<Bound>>): Promise<void> => {
  const set = RETRY_COLUMNS.slice(2).map((column) => `${column} = ${dialect.inserted(column)}`).join(', ')
  const upsert = dialect.name === 'mysql' ? `ON DUPLICATE KEY UPDATE ${set}` : `ON CONFLICT (endpoint_id, event_id) DO UPDATE SET ${set}`
  return insert(trx, dialect, 'event_retries', RETRY_COLUMNS, rows, upsert)
}
