import { MOST_REDELIVERED } from '../../core/events/delivery.js'
import type { EndpointId } from '../../core/events/endpoint.js'
import type { EventId } from '../../core/kernel/ids.js'
import { EVENT_TYPES, type EventPosition, wantsEvent } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import { inList } from './bulk-sql.js'
import type { Database } from './database.js'
import { endpointIn, lockEndpoint } from './endpoint-rows.js'
import { insertRetries } from './record-progress.js'
import { select } from './sql.js'
import { transact } from './transact.js'

/** Has one event delivered again; `false` if the endpoint's workspace has no such event, or there is no such endpoint. */
export const redeliver = (database: Database, id: EndpointId, event: EventId, at: Instant): Promise<boolean> =>
  transact(database, async (trx) => {
    const endpoint = await lockEndpoint(trx, database.dialect, id)
    if (endpoint === undefined) return false
    const [known] = await select(trx, 'SELECT id FROM events WHERE id = ? AND workspace_id = ?', [event, String(endpoint['workspace_id'])])
    if (known === undefined) return false
    await insertRetries(trx, database.dialect, [askedFor(id, event, at)])
    return true
  })

/** How many events one transaction takes. */
const BATCH = 1_000

/** Has the events since a moment delivered again, in short transactions, so that other writes of the endpoint do not wait long. */
export const redeliverSince = async (database: Database, id: EndpointId, since: Instant, at: Instant): Promise<number> => {
  let total = 0
  let position: EventPosition | undefined = 0
  while (position !== undefined && total < MOST_REDELIVERED) {
    const batch: Batch = await redeliverBatch(database, { id, since, at, position, limit: Math.min(BATCH, MOST_REDELIVERED - total) })
    total += batch.count
    position = batch.next
  }
  return total
}

/** How many events were taken, and the position to go on from; none at the end. */
type Batch = { readonly count: number; readonly next: EventPosition | undefined }

/** Events since a moment, after a position. */
type BatchQuery = { readonly id: EndpointId; readonly since: Instant; readonly at: Instant; readonly position: EventPosition; readonly limit: number }

const redeliverBatch = (database: Database, { id, since, at, position, limit }: BatchQuery): Promise<Batch> =>
  transact(database, async (trx) => {
    const row = await lockEndpoint(trx, database.dialect, id)
    if (row === undefined) return { count: 0, next: undefined }
    const { workspace, types } = endpointIn(row)
    const wanted = inList(database.dialect, ['type'], EVENT_TYPES.filter((type) => wantsEvent(types, type)).map((type) => [type]))
    const events = await select(
      trx,
      `SELECT id, position FROM events WHERE workspace_id = ? AND position > ? AND position <= ? AND created_at >= ? AND ${wanted.sql}
       ORDER BY position LIMIT ?`,
      [workspace, position, Number(row['position']), since, ...wanted.bindings, limit],
    )
    await insertRetries(trx, database.dialect, events.map((event) => askedFor(id, String(event['id']), at)))
    return { count: events.length, next: events.length < limit ? undefined : Number(events.at(-1)?.['position']) }
  })

const askedFor = (id: EndpointId, event: string, at: Instant): ReadonlyArray<string | number> => [id, event, 0, at, at, at]
