import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { EventBacklog } from '../../core/kernel/outbox.js'
import type { Database } from './database.js'
import { instant, select } from './sql.js'

/** Counts the stored events, and finds the workspaces whose events have waited longest for an enabled endpoint or the broker. */
export const readBacklog = async ({ db }: Database, limit: number, hasBroker: boolean): Promise<EventBacklog> => {
  const [counted, oldest] = await Promise.all([
    select(db, 'SELECT COUNT(*) AS stored FROM events'),
    select(
      db,
      `SELECT workspace_id, MIN(created_at) AS oldest_at FROM (${[...WAITING, ...(hasBroker ? [WAITING_FOR_BROKER] : [])].join(' UNION ALL ')}) AS waiting
       WHERE created_at IS NOT NULL GROUP BY workspace_id ORDER BY oldest_at, workspace_id LIMIT ?`,
      [limit],
    ),
  ])
  return {
    stored: Number(counted[0]?.['stored'] ?? 0),
    oldest: oldest.map((row) => ({ workspace: row['workspace_id'] as WorkspaceId, at: instant(row['oldest_at']) })),
  }
}

const firstAfter = (workspace: string, position: string): string =>
  `(SELECT e.created_at FROM events e WHERE e.workspace_id = ${workspace} AND e.position > ${position} ORDER BY e.position LIMIT 1)`

const WAITING: ReadonlyArray<string> = [
  `SELECT p.workspace_id, ${firstAfter('p.workspace_id', 'p.position')} AS created_at FROM event_endpoints p WHERE p.status = 'enabled'`,
  `SELECT p.workspace_id, e.created_at FROM event_endpoints p JOIN event_retries r ON r.endpoint_id = p.id JOIN events e ON e.id = r.event_id
   WHERE p.status = 'enabled'`,
]

const WAITING_FOR_BROKER = `SELECT s.workspace_id, ${firstAfter('s.workspace_id', 'coalesce(b.position, 0)')} AS created_at
  FROM event_streams s LEFT JOIN event_cursors b ON b.workspace_id = s.workspace_id AND b.consumer = 'broker'`
