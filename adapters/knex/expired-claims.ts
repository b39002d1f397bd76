import type { Instant } from '../../core/kernel/time.js'
import { KEY_KEPT_MS } from '../../core/messages/message.js'
import { inList } from './bulk-sql.js'
import type { Database } from './database.js'
import { execute, select } from './sql.js'
import { transact } from './transact.js'

/** The most keys that one transaction removes. */
const BATCH = 500

/** The most batches of one call. */
const BATCHES = 20

/** Removes expired idempotency keys (see `claimStands`), oldest first, up to a limit, and returns how many. */
export const removeExpiredClaims = async (database: Database, now: Instant): Promise<number> => {
  let removed = 0
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const found = await removeBatch(database, now - KEY_KEPT_MS)
    removed += found
    if (found < BATCH) break
  }
  return removed
}

/** Removes one batch. The condition of the DELETE keeps a key that was claimed again after the SELECT. */
const removeBatch = async ({ db, dialect }: Database, expired: Instant): Promise<number> => {
  const rows = await select(
    db,
    `SELECT k.workspace_id, k.idempotency_key FROM idempotency_keys k
     JOIN messages m ON m.workspace_id = k.workspace_id AND m.id = k.message_id
     WHERE k.claimed_at <= ? AND m.open_since IS NULL ORDER BY k.claimed_at LIMIT ?`,
    [expired, BATCH],
  )
  if (rows.length === 0) return 0
  const { sql, bindings } = inList(dialect, ['workspace_id', 'idempotency_key'], rows.map((row) => [String(row['workspace_id']), String(row['idempotency_key'])]))
  await transact({ db }, (trx) => execute(trx, `DELETE FROM idempotency_keys WHERE ${sql} AND claimed_at <= ?`, [...bindings, expired]))
  return rows.length
}
