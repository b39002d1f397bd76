import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { FailingSender } from '../../core/kernel/sender.js'
import type { Instant } from '../../core/kernel/time.js'
import { inList } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { execute, instantOrNone, type Queryable, select } from './sql.js'
import type { Emit } from './transact-events.js'

/** A note that the platform refuses the credentials of a workspace's sender, or accepts them again. */
export type HealthNote = { readonly workspace: WorkspaceId; readonly isFailing: boolean; readonly at: Instant; readonly along: Along<FailingSender> | undefined }

/**
 * Notes the health of senders in the caller's transaction, and answers for each note whether it has changed something. Many sends may note the same at once,
 * so each row is written at most once.
 */
export const noteSenderHealth = async (
  trx: Queryable, dialect: Dialect, notes: ReadonlyArray<HealthNote>, emit: Emit,
): Promise<ReadonlyArray<boolean>> => {
  const { sql, bindings } = inList(dialect, ['workspace_id'], Array.from(new Set(notes.map(({ workspace }) => workspace)), (workspace) => [workspace]))
  const rows = await select(
    trx, `SELECT workspace_id, phone_number_id, failing_since FROM senders WHERE ${sql} ORDER BY workspace_id ${dialect.forUpdate}`, bindings,
  )
  const known = new Map(rows.map((row) => [String(row['workspace_id']), { phoneNumberId: String(row['phone_number_id']), since: instantOrNone(row['failing_since']) }]))
  const changed = new Map<string, Instant | undefined>()
  const answers = notes.map(({ workspace, isFailing, at, along }) => {
    const sender = known.get(workspace)
    if (sender === undefined || isFailing === (sender.since !== undefined)) return false
    const failingSince = sender.since ?? at
    known.set(workspace, { ...sender, since: isFailing ? at : undefined })
    changed.set(workspace, isFailing ? at : undefined)
    if (along !== undefined) emit(along({ phoneNumberId: sender.phoneNumberId, failingSince }))
    return true
  })
  for (const [workspace, since] of changed) await execute(trx, 'UPDATE senders SET failing_since = ? WHERE workspace_id = ?', [since ?? null, workspace])
  return answers
}
