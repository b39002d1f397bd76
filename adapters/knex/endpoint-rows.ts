import type { EndpointId, EndpointSecret, EndpointSecrets, EndpointStatus, EventEndpoint } from '../../core/events/endpoint.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { EventFilter } from '../../core/kernel/outbox.js'
import type { Dialect } from './dialect.js'
import type { SecretBox } from './secret-box.js'
import { instant, instantOrNone, type Queryable, type Row, select, textOrNone } from './sql.js'

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
