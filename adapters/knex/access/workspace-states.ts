import type { WorkspaceState, WorkspaceStates } from '../../../core/all-workspaces.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import { ALERT_COLUMNS, readAlerts } from '../ledger/balances.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { inList, instant, instantOrNone, micros, type Row, select } from '../engine/sql.js'
import { workspaceIn } from './workspaces.js'

/** The state of all workspaces over SQL: one statement for each of its reads. */
export const makeWorkspaceStates = ({ db, dialect }: Database): WorkspaceStates => ({
  states: () => tasks.value(async () => {
    const rows = await select(
      db,
      `SELECT w.*, b.available, b.held, ${ALERT_COLUMNS.map((column) => `b.${column}`).join(', ')}, s.failing_since FROM workspaces w
       JOIN wallets b ON b.workspace_id = w.id
       LEFT JOIN (SELECT workspace_id, MIN(failing_since) AS failing_since FROM senders GROUP BY workspace_id) s ON s.workspace_id = w.id
       ORDER BY w.created_at, w.id`,
    )
    return rows.map(stateIn)
  }),
  sums: (width, { from, to }) => tasks.value(async () => {
    const rows = await select(
      db,
      `SELECT workspace_id, SUM(messages) AS messages, SUM(CASE WHEN ${FAILED} THEN messages ELSE 0 END) AS failed, SUM(charged) AS charged
       FROM message_counts WHERE width = ? AND bucket_start >= ? AND bucket_start < ? GROUP BY workspace_id`,
      [width, from, to],
    )
    return rows.map((row) => ({
      workspace: row['workspace_id'] as WorkspaceId, messages: Number(row['messages']), failed: Number(row['failed']),
      micros: micros(row['charged']),
    }))
  }),
  buckets: (workspaces, width, span) => tasks.value(async () => {
    if (workspaces.length === 0) return []
    const { sql, bindings } = inList(dialect, ['workspace_id'], workspaces.map((id) => [id]))
    const rows = await select(
      db,
      `SELECT workspace_id, bucket_start, SUM(messages) AS messages FROM message_counts
       WHERE ${sql} AND width = ? AND bucket_start >= ? AND bucket_start < ? GROUP BY workspace_id, bucket_start ORDER BY bucket_start`,
      [...bindings, width, span.from, span.to],
    )
    return rows.map((row) => ({
      workspace: row['workspace_id'] as WorkspaceId, start: instant(row['bucket_start']), messages: Number(row['messages']),
    }))
  }),
})

/** The states whose group is `failed` (`groupOf`). */
const FAILED = "state IN ('failed', 'refused', 'released')"

const stateIn = (row: Row): WorkspaceState => {
  const workspace = workspaceIn(row)
  return {
    workspace, balance: { available: micros(row['available']), held: micros(row['held']), currency: workspace.currency },
    alerts: readAlerts(row), failingSince: instantOrNone(row['failing_since']),
  }
}

const tasks = portTasks('WorkspaceStates')
