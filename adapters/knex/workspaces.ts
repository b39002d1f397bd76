import * as O from 'fp-ts/lib/Option.js'
import type { Currency } from '../../core/money.js'
import type { Workspaces } from '../../core/ports/workspaces.js'
import type { Workspace, WorkspaceId } from '../../core/workspace.js'
import { attemptOf } from './attempt.js'
import type { Database } from './database.js'
import { sqlErrorKind } from './sql-error.js'
import { insert } from './many-rows.js'
import { instant, select, type Row } from './sql.js'
import { transact } from './transact.js'

/** The workspaces over SQL. */
export const makeWorkspaces = (database: Database): Workspaces => ({
  create: (workspace) => attempt.value(() => create(database, workspace)),
  find: (id) =>
    attempt.value(async () => {
      const [row] = await select(database.knex, 'SELECT * FROM workspaces WHERE id = ?', [id])
      return row === undefined ? O.none : O.some(workspaceIn(row))
    }),
  list: () =>
    attempt.value(async () => (await select(database.knex, 'SELECT * FROM workspaces ORDER BY created_at, id')).map(workspaceIn)),
})

const create = async (database: Database, { id, name, currency, createdAt }: Workspace): Promise<void> => {
  try {
    await transact(database, async (trx) => {
      await insert(trx, database.dialect, 'workspaces', ['id', 'name', 'currency', 'created_at'], [[id, name, currency, createdAt]])
      await insert(trx, database.dialect, 'wallets', ['workspace_id', 'currency', 'available', 'held'], [[id, currency, 0, 0]])
    })
  } catch (error) {
    if (sqlErrorKind(error) !== 'conflict') throw error
  }
}

const workspaceIn = (row: Row): Workspace => ({
  id: row['id'] as WorkspaceId,
  name: String(row['name']),
  currency: row['currency'] as Currency,
  createdAt: instant(row['created_at']),
})

const attempt = attemptOf('Workspaces')
