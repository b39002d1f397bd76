import { type CustomerDigest, type CustomerId, recordKeyOf } from '../../core/customers/customer.js'
import type { JsonObject } from '../../core/kernel/json.js'
import { FORGOTTEN_PLATFORM_ID, forgottenError } from '../../core/messages/message.js'
import { inList, updateEach } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { execute, type Queryable, type Row, textOrNone } from './sql.js'

/** The digest of a record's key in a workspace. */
export type DigestOf = (workspace: string, key: string) => CustomerDigest

/** The columns of a message that `forgetMessages` needs. */
export const FORGET_COLUMNS = 'workspace_id, id, customer, state, error, platform_id, open_since, created_at'

/** Whether a row is of a message that has an outcome and is not forgotten yet. */
export const canForget = (row: Row): boolean => row['open_since'] === null && row['platform_id'] !== FORGOTTEN_PLATFORM_ID

/** Forgets the recipients of messages, and gives how many. One that another transaction has moved in between is left as it is. */
export const forgetMessages = async (trx: Queryable, dialect: Dialect, rows: ReadonlyArray<Row>, digestOf: DigestOf): Promise<number> => {
  if (rows.length === 0) return 0
  const [, forgotten] = await Promise.all([
    blankClaims(trx, dialect, rows),
    updateEach(
      trx, dialect,
      {
        table: 'messages',
        key: ['workspace_id', 'id'],
        columns: [{ name: 'old_state', type: 'text' }, { name: 'new_customer', type: 'text' }, { name: 'new_error', type: 'text' }],
        set: [['customer', 'v.new_customer'], ['error', 'v.new_error'], ['platform_id', `'${FORGOTTEN_PLATFORM_ID}'`]],
        where: 't.state = v.old_state AND t.open_since IS NULL',
      },
      rows.map((row) => [
        String(row['workspace_id']), String(row['id']), String(row['state']),
        digestOf(String(row['workspace_id']), recordKeyOf(row['customer'] as CustomerId)), errorLeft(textOrNone(row['error'])),
      ]),
    ),
  ])
  return forgotten
}

const errorLeft = (error: string | undefined): string | null => {
  const left = error === undefined ? undefined : forgottenError(JSON.parse(error) as JsonObject)
  return left === undefined ? null : JSON.stringify(left)
}

/** The digest of a request could be found by trying numbers and texts. Without it the key still guards its message, and no request is the same. */
const blankClaims = async (trx: Queryable, dialect: Dialect, rows: ReadonlyArray<Row>): Promise<void> => {
  for (const [workspace, messages] of groupsOf(rows, 'workspace_id', 'id')) {
    const { sql, bindings } = inList(dialect, ['message_id'], messages.map((id) => [id]))
    await execute(trx, `UPDATE idempotency_keys SET request_digest = '' WHERE workspace_id = ? AND ${sql}`, [workspace, ...bindings])
  }
}

/** The texts of a column by those of another one, such as ids by their workspaces: MariaDB finds no index for a list of pairs. */
export const groupsOf = (rows: ReadonlyArray<Row>, group: string, key: string): ReadonlyArray<readonly [group: string, keys: ReadonlyArray<string>]> => {
  const groups = new Map<string, Array<string>>()
  for (const row of rows) groups.set(String(row[group]), [...groups.get(String(row[group])) ?? [], String(row[key])])
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
}
