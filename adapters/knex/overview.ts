import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Balance, Currency } from '../../core/kernel/money.js'
import type { Database } from './database.js'
import type { SecretBox } from './secret-box.js'
import { micros, select } from './sql.js'

/** A workspace and the balance of its wallet. */
export type WorkspaceBalance = Balance & { readonly workspace: WorkspaceId }

/** The wallets with the least to spend, least first. */
export const lowestBalances = async ({ db }: Database, limit: number): Promise<ReadonlyArray<WorkspaceBalance>> => {
  const rows = await select(db, 'SELECT workspace_id, currency, available, held FROM wallets ORDER BY available, workspace_id LIMIT ?', [limit])
  return rows.map((row) => ({
    workspace: row['workspace_id'] as WorkspaceId,
    currency: row['currency'] as Currency,
    available: micros(row['available']),
    held: micros(row['held']),
  }))
}

/** Tries to decrypt one stored sender. Returns a sentence with the reason if that fails, `undefined` if it works or no sender is stored. */
export const senderFault = async ({ db }: Database, box: SecretBox): Promise<string | undefined> => {
  const [row] = await select(db, 'SELECT workspace_id, access_token FROM senders LIMIT 1', [])
  if (row === undefined) return undefined
  try {
    box.open(String(row['access_token']), String(row['workspace_id']))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'a stored access token cannot be read'
  }
}
