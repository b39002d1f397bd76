import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { shardOf } from '../../core/events/delivery.js'
import type { ChangedEndpoint, EndpointChange, EndpointId, EndpointSecret, EventEndpoint, EventEndpoints, NewEndpoint } from '../../core/events/endpoint.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import { insert } from './bulk-sql.js'
import type { Database } from './database.js'
import { endpointIn, lastPosition, lockEndpoint, secretsIn } from './endpoint-rows.js'
import type { EventListeners } from './event-listeners.js'
import { portTasks } from './port-tasks.js'
import type { SecretBox } from './secret-box.js'
import { execute, type Queryable, select } from './sql.js'
import type { TransactEvents } from './transact-events.js'
import { transact } from './transact.js'

/** What the endpoints share with the rest of the storage. */
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
    add: (endpoint, along) => tasks.either(() => heard(() => add(endpoint, along))),
    find: (id) => tasks.value(async () => O.fromNullable((await rowsOf(id)).map(endpointIn)[0])),
    secretsOf: (id) => tasks.value(async () => O.fromNullable((await rowsOf(id)).map((row) => secretsIn(box, row))[0])),
    list: (workspace) =>
      tasks.value(async () => (await select(db, 'SELECT * FROM event_endpoints WHERE workspace_id = ? ORDER BY id', [workspace])).map(endpointIn)),
    change: (id, change, _at, along) => tasks.value(() => heard(() => changeEndpoint(id, change, along))),
    rotateSecret: (id, secret, until, along) => tasks.value(() => rotateSecret(id, { secret, until }, along)),
    remove: (id, along) => tasks.value(() => heard(() => remove(id, along))),
  }

  function rowsOf(id: EndpointId) {
    return select(db, 'SELECT * FROM event_endpoints WHERE id = ?', [id])
  }

  /** Runs a change after which something else may listen to a workspace. */
  async function heard<Result>(change: () => Promise<Result>): Promise<Result> {
    try {
      return await change()
    } finally {
      listeners.forget()
    }
  }

  async function add(
    { id, workspace, url, types, description, createdAt, secret }: NewEndpoint, along: Along<EndpointId> | undefined,
  ): Promise<E.Either<UnknownWorkspace, void>> {
    const sealed = box.seal(secret, id)
    return transactEvents(async (trx, emit) => {
      const [known] = await select(trx, 'SELECT id FROM workspaces WHERE id = ?', [workspace])
      if (known === undefined) return E.left<UnknownWorkspace>({ _tag: 'UnknownWorkspace' })
      const position = await lastPosition(trx, workspace)
      const row = [id, workspace, shardOf(id), url, JSON.stringify(types), description, 'enabled', createdAt, sealed, position, 0]
      await insert(trx, dialect, 'event_endpoints', COLUMNS, [row])
      emit(along?.(id) ?? [])
      return E.right(undefined)
    })
  }

  function changeEndpoint(id: EndpointId, change: EndpointChange, along: Along<ChangedEndpoint> | undefined): Promise<O.Option<EventEndpoint>> {
    return transactEvents(async (trx, emit) => {
      const row = await lockEndpoint(trx, dialect, id)
      if (row === undefined) return O.none
      const before = endpointIn(row)
      const { url, types, description, status } = { ...before, ...change }
      await execute(
        trx, 'UPDATE event_endpoints SET url = ?, types = ?, description = ?, status = ? WHERE id = ?', [url, JSON.stringify(types), description, status, id],
      )
      const after: EventEndpoint = { ...before, url, types, description, status }
      if (status !== before.status) await execute(trx, 'DELETE FROM event_retries WHERE endpoint_id = ?', [id])
      const changed = status === 'enabled' && before.status !== 'enabled' ? await beginAnew(trx, after) : after
      emit(along?.({ from: before.status, endpoint: changed }) ?? [])
      return O.some(changed)
    })
  }

  async function rotateSecret(
    id: EndpointId, { secret, until }: { readonly secret: EndpointSecret; readonly until: Instant }, along: Along<EndpointId> | undefined,
  ): Promise<boolean> {
    const sealed = box.seal(secret, id)
    // Not one UPDATE of all columns: MySQL would assign `secret` first and copy the new one.
    return transactEvents(async (trx, emit) => {
      const row = await lockEndpoint(trx, dialect, id)
      if (row === undefined) return false
      const previous = String(row['secret'])
      await execute(trx, 'UPDATE event_endpoints SET secret = ?, previous_secret = ?, previous_until = ? WHERE id = ?', [sealed, previous, until, id])
      emit(along?.(id) ?? [])
      return true
    })
  }

  async function remove(id: EndpointId, along: Along<EndpointId> | undefined): Promise<boolean> {
    const removed = await transactEvents(async (trx, emit) => {
      const touched = await execute(trx, 'DELETE FROM event_endpoints WHERE id = ?', [id])
      if (touched > 0) emit(along?.(id) ?? [])
      return touched
    })
    await removeInBatches('event_retries', 'event_id', id)
    await removeInBatches('event_attempts', 'id', id)
    return removed > 0
  }

  /** Removes the rows of an endpoint that is gone, in short transactions. */
  async function removeInBatches(table: string, key: string, id: EndpointId): Promise<void> {
    for (;;) {
      const [last] = await select(db, `SELECT ${key} AS last_key FROM ${table} WHERE endpoint_id = ? ORDER BY ${key} LIMIT 1 OFFSET ${BATCH - 1}`, [id])
      const upTo = last === undefined ? { sql: '', bindings: [] } : { sql: `AND ${key} <= ?`, bindings: [String(last['last_key'])] }
      await transact(database, (trx) => execute(trx, `DELETE FROM ${table} WHERE endpoint_id = ? ${upTo.sql}`, [id, ...upTo.bindings]))
      if (last === undefined) return
    }
  }
}

/** How many rows of an endpoint that is gone are removed in one transaction. */
const BATCH = 5_000

const COLUMNS = [
  'id', 'workspace_id', 'shard', 'url', 'types', 'description', 'status', 'created_at', 'secret', 'position', 'failures',
]

/** Moves an endpoint behind the latest event, healthy. */
const beginAnew = async (trx: Queryable, endpoint: EventEndpoint): Promise<EventEndpoint> => {
  const position = await lastPosition(trx, endpoint.workspace)
  await execute(
    trx, 'UPDATE event_endpoints SET position = ?, failures = 0, failing_since = NULL, paused_until = NULL WHERE id = ?', [position, endpoint.id],
  )
  return { ...endpoint, failingSince: undefined }
}

const tasks = portTasks('EventEndpoints')
