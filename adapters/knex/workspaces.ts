import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { UnknownWorkspace } from '../../core/errors.js'
import type { Currency } from '../../core/money.js'
import type { Workspaces } from '../../core/ports/workspaces.js'
import type { NewWorkspace, Workspace, WorkspaceId } from '../../core/workspace.js'
import { portTasks } from './port-tasks.js'
import type { Database } from './database.js'
import { sqlErrorKind } from './sql-error.js'
import { insert } from './bulk-sql.js'
import { execute, instant, instantOrNone, select, type Bound, type Row } from './sql.js'
import { transact } from './transact.js'

/** The workspaces over SQL. */
export const makeWorkspaces = (database: Database): Workspaces => ({
  create: (workspace) => tasks.value(() => create(database, workspace)),
  find: (id) =>
    tasks.value(async () => {
      const [row] = await select(database.db, 'SELECT * FROM workspaces WHERE id = ?', [id])
      return row === undefined ? O.none : O.some(workspaceIn(row))
    }),
  named: (name) =>
    tasks.value(async () => {
      const rows = await select(database.db, 'SELECT * FROM workspaces WHERE name = ? ORDER BY created_at, id', [name])
      // For MySQL texts are equal if they differ only in spaces at the end.
      return rows.map(workspaceIn).filter((workspace) => workspace.name === name)
    }),
  list: () =>
    tasks.value(async () => (await select(database.db, 'SELECT * FROM workspaces ORDER BY created_at, id')).map(workspaceIn)),
  rename: (id, name) => tasks.either(() => change(database, id, 'name = ?', name)),
  archive: (id, at) => tasks.either(() => change(database, id, 'archived_at = coalesce(archived_at, ?)', at)),
})

const create = async (database: Database, { id, name, currency, createdAt }: NewWorkspace): Promise<void> => {
  try {
    await transact(database, async (trx) => {
      await insert(trx, database.dialect, 'workspaces', ['id', 'name', 'currency', 'created_at'], [[id, name, currency, createdAt]])
      await insert(trx, database.dialect, 'wallets', ['workspace_id', 'currency', 'available', 'held'], [[id, currency, 0, 0]])
    })
  } catch (error) {
    if (sqlErrorKind(error) !== 'conflict') throw error
  }
}

const change = async (database: Database, id: WorkspaceId, set: string, value: Bound): Promise<E.Either<UnknownWorkspace, void>> => {
  const touched = await transact(database, (trx) => execute(trx, `UPDATE workspaces SET ${set} WHERE id = ?`, [value, id]))
  return touched === 0 ? E.left({ _tag: 'UnknownWorkspace' }) : E.right(undefined)
}

const workspaceIn = (row: Row): Workspace => {
  const archivedAt = instantOrNone(row['archived_at'])
  return {
    id: row['id'] as WorkspaceId,
    name: String(row['name']),
    currency: row['currency'] as Currency,
    createdAt: instant(row['created_at']),
    ...(archivedAt !== undefined && { archivedAt }),
  }
}

const tasks = portTasks('Workspaces')
