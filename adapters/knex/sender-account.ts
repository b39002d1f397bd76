import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { TemplateAccount } from '../../core/kernel/sender.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Dialect } from './dialect.js'
import type { SecretBox } from './secret-box.js'
import { execute, instantOrNone, type Queryable, select } from './sql.js'

/** A note that a token may not read its business account, or may again. */
export type AccountNote = { readonly workspace: WorkspaceId; readonly asked: TemplateAccount; readonly isRefused: boolean; readonly at: Instant }

/**
 * Notes in the caller's transaction whether a token may read its business account, and answers whether that has changed. A token is compared as it is, because
 * the same one is stored as other bytes each time.
 */
export const noteSenderAccount = async (
  trx: Queryable, { dialect, box }: { readonly dialect: Dialect; readonly box: SecretBox }, { workspace, asked, isRefused, at }: AccountNote,
): Promise<boolean> => {
  const [row] = await select(trx, `SELECT business_account_id, access_token, account_refused_since FROM senders WHERE workspace_id = ? ${dialect.forUpdate}`, [workspace])
  if (row === undefined || isRefused === (instantOrNone(row['account_refused_since']) !== undefined)) return false
  if (row['business_account_id'] !== asked.businessAccountId || box.open(String(row['access_token']), workspace) !== asked.accessToken) return false
  await execute(trx, 'UPDATE senders SET account_refused_since = ? WHERE workspace_id = ?', [isRefused ? at : null, workspace])
  return true
}
