import { type CustomerId, recordKeyOf } from '../../core/customers/customer.js'
import { FORGOTTEN_PLATFORM_ID } from '../../core/messages/message.js'
import { inList } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { type DigestOf, groupsOf } from './forget-messages.js'
import { execute, type Queryable, type Row } from './sql.js'

/** Removes those of some lost messages whose first status is older than a moment, settled or not, and gives how many. */
export const removeOldLost = async (trx: Queryable, dialect: Dialect, before: number, rows: ReadonlyArray<Row>): Promise<number> => {
  let count = 0
  for (const [workspace, ids] of groupsOf(rows, 'workspace_id', 'message_id')) {
    const { sql, bindings } = inList(dialect, ['message_id'], ids.map((id) => [id]))
    count += await execute(trx, `DELETE FROM lost_messages WHERE workspace_id = ? AND first_at < ? AND ${sql}`, [workspace, before, ...bindings])
  }
  return count
}

/** Takes a person out of the lost messages of a workspace, which stay to be settled, and gives how many there were. */
export const eraseLost = async (trx: Queryable, workspace: string, ids: ReadonlyArray<CustomerId>, digestOf: DigestOf): Promise<number> => {
  let count = 0
  for (const id of ids) {
    count += await execute(
      trx, 'UPDATE lost_messages SET customer = ?, platform_id = ? WHERE workspace_id = ? AND customer = ?',
      [digestOf(workspace, recordKeyOf(id)), FORGOTTEN_PLATFORM_ID, workspace, id],
    )
  }
  return count
}
