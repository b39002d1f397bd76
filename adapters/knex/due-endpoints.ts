import type { DeliveryTask, DueQuery } from '../../core/events/delivery.js'
import { endpointIn, secretsIn } from './endpoint-rows.js'
import type { SecretBox } from './secret-box.js'
import { type Queryable, type Row, select } from './sql.js'

/** Reads the endpoints that have something to deliver. Each costs at most two look-ups in an index, and one without a new event only one. */
export const dueEndpoints = async (db: Queryable, box: SecretBox, query: DueQuery): Promise<ReadonlyArray<DeliveryTask>> => {
  const { shards, at, limit, except, exceptWorkspaces = [], failing } = query
  if (shards.length === 0) return []
  const rows = await select(
    db,
    `SELECT due.* FROM (
       SELECT p.*, CASE WHEN s.last_position > p.position THEN ${FIRST_EVENT} END AS event_at, ${FIRST_RETRY} AS retry_at
       FROM event_endpoints p LEFT JOIN event_streams s ON s.workspace_id = p.workspace_id
       WHERE p.status = 'enabled' AND p.shard IN (${placeholders(shards)}) AND (p.paused_until IS NULL OR p.paused_until <= ?)
         ${failing === undefined ? '' : `AND p.failures ${failing ? '> 0' : '= 0'}`} ${notIn('p.id', except)} ${notIn('p.workspace_id', exceptWorkspaces)}
       LIMIT ${KEEPS_APART}
     ) due
     WHERE due.event_at IS NOT NULL OR due.retry_at IS NOT NULL
     ORDER BY CASE WHEN due.paused_until > ${WAITS_SINCE} THEN due.paused_until ELSE ${WAITS_SINCE} END, due.id LIMIT ?`,
    [at, ...shards, at, ...except, ...exceptWorkspaces, limit],
  )
  return tasksIn(box, rows)
}

/** More than there are. With a limit, no database merges the inner query into the outer one and then looks the moments up at each use of them. */
const KEEPS_APART = 1_000_000_000

const FIRST_EVENT = '(SELECT e.created_at FROM events e WHERE e.workspace_id = p.workspace_id AND e.position > p.position ORDER BY e.position LIMIT 1)'
const FIRST_RETRY = '(SELECT r.next_at FROM event_retries r WHERE r.endpoint_id = p.id AND r.next_at <= ? ORDER BY r.next_at LIMIT 1)'
const WAITS_SINCE = 'CASE WHEN due.event_at IS NULL OR due.retry_at < due.event_at THEN due.retry_at ELSE due.event_at END'

const notIn = (column: string, values: ReadonlyArray<unknown>): string => (values.length === 0 ? '' : `AND ${column} NOT IN (${placeholders(values)})`)

const placeholders = (values: ReadonlyArray<unknown>): string => values.map(() => '?').join(', ')

/** An endpoint whose secrets cannot be decrypted must not keep the others from their events. If none can be, the operator's secret is wrong. */
const tasksIn = (box: SecretBox, rows: ReadonlyArray<Row>): ReadonlyArray<DeliveryTask> => {
  const read = rows.map((row): DeliveryTask | { readonly fault: unknown } => {
    try {
      return { endpoint: endpointIn(row), secrets: secretsIn(box, row), position: Number(row['position']), failures: Number(row['failures']) }
    } catch (fault) {
      return { fault }
    }
  })
  const tasks = read.flatMap((one) => ('fault' in one ? [] : [one]))
  const fault = read.find((one) => 'fault' in one)
  if (tasks.length === 0 && fault !== undefined) throw fault.fault
  return tasks
}
