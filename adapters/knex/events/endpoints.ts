import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type DeliveryTask, type DueQuery, MAX_STORED_PAUSE_MS, shardOf } from '../../../core/events/delivery.js'
import type {
  ChangedEndpoint, EndpointChange, EndpointId, EndpointSecret, EndpointSecrets, EndpointStatus, EventEndpoint, EventEndpoints, NewEndpoint,
} from '../../../core/events/endpoint.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { MakeOutboxEntries, EventFilter } from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../../core/kernel/workspace.js'
import { portTasks } from '../engine/batches.js'
import { type Database, transact } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { execute, insert, instant, instantOrNone, type Queryable, type Row, select, textOrNone } from '../engine/sql.js'
import type { TransactEvents } from './entries.js'
import type { EventListeners } from './events.js'
import type { SecretBox } from '../secret-box.js'

/** The endpoint of a row of `event_endpoints`. */
export const endpointIn = (row: Row): EventEndpoint => {
  const lastAt = instantOrNone(row['last_at'])
  return {
    id: row['id'] as EndpointId,
    workspace: row['workspace_id'] as WorkspaceId,
    url: String(row['url']),
    types: JSON.parse(String(row['types'])) as EventFilter,
    description: String(row['description']),
    status: row['status'] as EndpointStatus,
    createdAt: instant(row['created_at']),
    failingSince: instantOrNone(row['failing_since']),
    lastDelivery: lastAt === undefined
      ? undefined
      : { at: lastAt, delivered: Number(row['last_delivered']) === 1, httpStatus: instantOrNone(row['last_http_status']) },
  }
}

/** The secrets of a row of `event_endpoints`; throws if they cannot be decrypted. Each was encrypted for its endpoint. */
export const secretsIn = (box: SecretBox, row: Row): EndpointSecrets => {
  const open = (sealed: string): EndpointSecret => box.open(sealed, String(row['id'])) as EndpointSecret
  const previous = textOrNone(row['previous_secret'])
  return {
    current: open(String(row['secret'])),
    previous: previous === undefined ? undefined : { secret: open(previous), until: instant(row['previous_until']) },
  }
}

/** Reads an endpoint's row and locks it until the transaction ends; `undefined` if there is none. */
export const lockEndpoint = async (trx: Queryable, { forUpdate }: Dialect, id: EndpointId): Promise<Row | undefined> =>
  (await select(trx, `SELECT * FROM event_endpoints WHERE id = ? ${forUpdate}`, [id]))[0]

/** The position of the latest event of a workspace. */
export const lastPosition = async (db: Queryable, workspace: WorkspaceId): Promise<number> => {
  const [stream] = await select(db, 'SELECT last_position FROM event_streams WHERE workspace_id = ?', [workspace])
  return Number(stream?.['last_position'] ?? 0)
}

/** Reads the endpoints that have something to deliver. Each costs at most two look-ups in an index; an endpoint without a new event costs only one. */
export const dueEndpoints = async (db: Queryable, box: SecretBox, query: DueQuery): Promise<ReadonlyArray<DeliveryTask>> => {
  const { shards, at, limit, except, exceptWorkspaces = [], failing } = query
  if (shards.length === 0) return []
  const rows = await select(
    db,
    `SELECT due.* FROM (
       SELECT p.*, CASE WHEN s.last_position > p.position THEN ${FIRST_EVENT} END AS event_at, ${FIRST_RETRY} AS retry_at
       FROM event_endpoints p LEFT JOIN event_streams s ON s.workspace_id = p.workspace_id
       WHERE p.status = 'enabled' AND p.shard IN (${placeholders(shards)}) AND (p.paused_until IS NULL OR p.paused_until <= ? OR p.paused_until > ?)
         ${failing === undefined ? '' : `AND p.failures ${failing ? '> 0' : '= 0'}`} ${notIn('p.id', except)} ${notIn('p.workspace_id', exceptWorkspaces)}
       LIMIT ${KEEPS_APART}
     ) due
     WHERE due.event_at IS NOT NULL OR due.retry_at IS NOT NULL
     ORDER BY CASE WHEN due.paused_until > ${WAITS_SINCE} AND due.paused_until <= ? THEN due.paused_until ELSE ${WAITS_SINCE} END, due.id LIMIT ?`,
    [at, ...shards, at, at + MAX_STORED_PAUSE_MS, ...except, ...exceptWorkspaces, at, limit],
  )
  return tasksIn(box, rows)
}

/** More than exist. Because of the limit, no database merges the inner query into the outer one, which would look the times up at each use. */
const KEEPS_APART = 1_000_000_000

const FIRST_EVENT = '(SELECT e.created_at FROM events e WHERE e.workspace_id = p.workspace_id AND e.position > p.position ORDER BY e.position LIMIT 1)'
const FIRST_RETRY = '(SELECT r.next_at FROM event_retries r WHERE r.endpoint_id = p.id AND r.next_at <= ? ORDER BY r.next_at LIMIT 1)'
const WAITS_SINCE = 'CASE WHEN due.event_at IS NULL OR due.retry_at < due.event_at THEN due.retry_at ELSE due.event_at END'

const notIn = (column: string, values: ReadonlyArray<unknown>): string => (values.length === 0 ? '' : `AND ${column} NOT IN (${placeholders(values)})`)

const placeholders = (values: ReadonlyArray<unknown>): string => values.map(() => '?').join(', ')

/** If the secrets of an endpoint cannot be decrypted, the other endpoints must still get their events. If none can be decrypted, the operator's secret is wrong. */
const tasksIn = (box: SecretBox, rows: ReadonlyArray<Row>): ReadonlyArray<DeliveryTask> => {
  const read = rows.map((row): DeliveryTask | { readonly fault: unknown } => {
    try {
      return {
        endpoint: endpointIn(row), secrets: secretsIn(box, row), position: Number(row['position']), failures: Number(row['failures']),
      }
    } catch (fault) {
      return { fault }
    }
  })
  const tasks = read.flatMap((one) => ('fault' in one ? [] : [one]))
  const fault = read.find((one) => 'fault' in one)
  if (tasks.length === 0 && fault !== undefined) throw fault.fault
  return tasks
}

/** The parts that the endpoints share with the rest of the storage. */
export type EventEndpointsParts = {
  readonly database: Database
  readonly box: SecretBox
  readonly transactEvents: TransactEvents
  readonly listeners: EventListeners
}

/** The endpoints over SQL. Secrets are stored only encrypted, each for its own endpoint. */
export const makeEventEndpoints = ({ database, box, transactEvents, listeners }: EventEndpointsParts): EventEndpoints => {
  const { db, dialect } = database
  return {
    add: (endpoint, outboxEntries) => tasks.either(() => heard(() => add(endpoint, outboxEntries))),
    find: (id) => tasks.value(async () => O.fromNullable((await rowsOf(id)).map(endpointIn)[0])),
    secretsOf: (id) => tasks.value(async () => O.fromNullable((await rowsOf(id)).map((row) => secretsIn(box, row))[0])),
    list: (workspace) =>
      tasks.value(async () =>
        (await select(db, 'SELECT * FROM event_endpoints WHERE workspace_id = ? ORDER BY id', [workspace])).map(endpointIn)),
    change: (id, change, _at, outboxEntries) => tasks.value(() => heard(() => changeEndpoint(id, change, outboxEntries))),
    rotateSecret: (id, secret, until, outboxEntries) => tasks.value(() => rotateSecret(id, { secret, until }, outboxEntries)),
    remove: (id, outboxEntries) => tasks.value(() => heard(() => remove(id, outboxEntries))),
  }

  function rowsOf(id: EndpointId) {
    return select(db, 'SELECT * FROM event_endpoints WHERE id = ?', [id])
  }

  /** Runs a change after which a workspace may have other listeners. */
  async function heard<Result>(change: () => Promise<Result>): Promise<Result> {
    try {
      return await change()
    } finally {
      listeners.forget()
    }
  }

  async function add(
    { id, workspace, url, types, description, createdAt, secret }: NewEndpoint, outboxEntries: MakeOutboxEntries<EndpointId> | undefined,
  ): Promise<E.Either<UnknownWorkspace, void>> {
    const sealed = box.seal(secret, id)
    return transactEvents(async (trx, emit) => {
      const [known] = await select(trx, 'SELECT id FROM workspaces WHERE id = ?', [workspace])
      if (known === undefined) return E.left<UnknownWorkspace>({ _tag: 'UnknownWorkspace' })
      const position = await lastPosition(trx, workspace)
      const row = [id, workspace, shardOf(id), url, JSON.stringify(types), description, 'enabled', createdAt, sealed, position, 0]
      await insert(trx, dialect, 'event_endpoints', COLUMNS, [row])
      emit(outboxEntries?.(id) ?? [])
      return E.right(undefined)
    })
  }

  function changeEndpoint(
    id: EndpointId, change: EndpointChange, outboxEntries: MakeOutboxEntries<ChangedEndpoint> | undefined,
  ): Promise<O.Option<EventEndpoint>> {
    return transactEvents(async (trx, emit) => {
      const row = await lockEndpoint(trx, dialect, id)
      if (row === undefined) return O.none
      const before = endpointIn(row)
      const { url, types, description, status } = { ...before, ...change }
      await execute(
        trx, 'UPDATE event_endpoints SET url = ?, types = ?, description = ?, status = ? WHERE id = ?',
        [url, JSON.stringify(types), description, status, id],
      )
      const after: EventEndpoint = { ...before, url, types, description, status }
      if (status !== before.status) await execute(trx, 'DELETE FROM event_retries WHERE endpoint_id = ?', [id])
      const changed = status === 'enabled' && before.status !== 'enabled' ? await beginAnew(trx, after) : after
      emit(outboxEntries?.({ from: before.status, endpoint: changed }) ?? [])
      return O.some(changed)
    })
  }

  async function rotateSecret(
    id: EndpointId, { secret, until }: { readonly secret: EndpointSecret; readonly until: Instant },
    outboxEntries: MakeOutboxEntries<EndpointId> | undefined,
  ): Promise<boolean> {
    const sealed = box.seal(secret, id)
    // Not one UPDATE of all columns: MySQL would assign `secret` first and copy the new value.
    return transactEvents(async (trx, emit) => {
      const row = await lockEndpoint(trx, dialect, id)
      if (row === undefined) return false
      const previous = opens(String(row['secret']), id) ? String(row['secret']) : null
      await execute(trx, 'UPDATE event_endpoints SET secret = ?, previous_secret = ?, previous_until = ? WHERE id = ?', [
        sealed, previous, previous === null ? null : until, id,
      ])
      emit(outboxEntries?.(id) ?? [])
      return true
    })
  }

  /** Whether a secret can be decrypted. A secret that was stored with another secret of the operator would prevent deliveries from being signed with the new one. */
  function opens(sealed: string, id: EndpointId): boolean {
    try {
      box.open(sealed, id)
      return true
    } catch {
      return false
    }
  }

  async function remove(id: EndpointId, outboxEntries: MakeOutboxEntries<EndpointId> | undefined): Promise<boolean> {
    const removed = await transactEvents(async (trx, emit) => {
      const touched = await execute(trx, 'DELETE FROM event_endpoints WHERE id = ?', [id])
      if (touched > 0) emit(outboxEntries?.(id) ?? [])
      return touched
    })
    await removeInBatches('event_retries', 'event_id', id)
    await removeInBatches('event_attempts', 'id', id)
    return removed > 0
  }

  /** Removes the rows of a removed endpoint, in short transactions. */
  async function removeInBatches(table: string, key: string, id: EndpointId): Promise<void> {
    for (;;) {
      const [last] = await select(
        db, `SELECT ${key} AS last_key FROM ${table} WHERE endpoint_id = ? ORDER BY ${key} LIMIT 1 OFFSET ${BATCH - 1}`, [id],
      )
      const upTo = last === undefined ? { sql: '', bindings: [] } : { sql: `AND ${key} <= ?`, bindings: [String(last['last_key'])] }
      await transact(database, (trx) => execute(trx, `DELETE FROM ${table} WHERE endpoint_id = ? ${upTo.sql}`, [id, ...upTo.bindings]))
      if (last === undefined) return
    }
  }
}

/** How many rows of a removed endpoint one transaction removes. */
const BATCH = 5_000

const COLUMNS = [
  'id', 'workspace_id', 'shard', 'url', 'types', 'description', 'status', 'created_at', 'secret', 'position', 'failures',
]

/** Moves an endpoint behind the latest event and marks it as healthy. */
const beginAnew = async (trx: Queryable, endpoint: EventEndpoint): Promise<EventEndpoint> => {
  const position = await lastPosition(trx, endpoint.workspace)
  await execute(
    trx, 'UPDATE event_endpoints SET position = ?, failures = 0, failing_since = NULL, paused_until = NULL WHERE id = ?',
    [position, endpoint.id],
  )
  return { ...endpoint, failingSince: undefined }
}

const tasks = portTasks('EventEndpoints')
