import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Balance, Currency } from '../../../core/kernel/money.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { NewWorkspace, UnknownWorkspace, Workspace, Workspaces } from '../../../core/kernel/workspace.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import { sqlErrorKind } from '../engine/dialect.js'
import { type Bound, execute, insert, instant, instantOrNone, micros, type Row, select } from '../engine/sql.js'
import type { TransactEvents } from '../events/entries.js'
import type { SecretBox } from '../secret-box.js'

/** The workspaces over SQL. */
export const makeWorkspaces = (database: Database, transactEvents: TransactEvents): Workspaces => ({
  create: (workspace, outboxEntries) => tasks.value(() => create(database, transactEvents, workspace, outboxEntries)),
  find: (id) =>
    tasks.value(async () => {
      const [row] = await select(database.db, 'SELECT * FROM workspaces WHERE id = ?', [id])
      return row === undefined ? O.none : O.some(workspaceIn(row))
    }),
  named: (name) =>
    tasks.value(async () => {
      const rows = await select(database.db, 'SELECT * FROM workspaces WHERE name = ? ORDER BY created_at, id', [name])
      // MySQL treats texts as equal if they differ only in spaces at the end.
      return rows.map(workspaceIn).filter((workspace) => workspace.name === name)
    }),
  list: () =>
    tasks.value(async () => (await select(database.db, 'SELECT * FROM workspaces ORDER BY created_at, id')).map(workspaceIn)),
  rename: (id, name, outboxEntries) => tasks.either(() => change(transactEvents, id, { set: 'name = ?', value: name }, outboxEntries)),
  archive: (id, at, outboxEntries) =>
    tasks.either(() => change(transactEvents, id, { set: 'archived_at = coalesce(archived_at, ?)', value: at }, outboxEntries)),
})

const create = async (
  { dialect }: Database, transactEvents: TransactEvents, workspace: NewWorkspace,
  outboxEntries: MakeOutboxEntries<NewWorkspace> | undefined,
): Promise<void> => {
  const { id, name, currency, createdAt } = workspace
  try {
    await transactEvents(async (trx, emit) => {
      await insert(trx, dialect, 'workspaces', ['id', 'name', 'currency', 'created_at'], [[id, name, currency, createdAt]])
      await insert(trx, dialect, 'wallets', ['workspace_id', 'currency', 'available', 'held'], [[id, currency, 0, 0]])
      emit(outboxEntries?.(workspace) ?? [])
    })
  } catch (error) {
    if (sqlErrorKind(error) !== 'conflict') throw error
  }
}

const change = (
  transactEvents: TransactEvents, id: WorkspaceId, { set, value }: { readonly set: string; readonly value: Bound },
  outboxEntries: MakeOutboxEntries<WorkspaceId> | undefined,
): Promise<E.Either<UnknownWorkspace, void>> =>
  transactEvents(async (trx, emit) => {
    const touched = await execute(trx, `UPDATE workspaces SET ${set} WHERE id = ?`, [value, id])
    if (touched === 0) return E.left({ _tag: 'UnknownWorkspace' })
    emit(outboxEntries?.(id) ?? [])
    return E.right(undefined)
  })

/** The workspace in a row of `workspaces`. */
export const workspaceIn = (row: Row): Workspace => {
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

/** A workspace and the balance of its wallet. */
export type WorkspaceBalance = Balance & { readonly workspace: WorkspaceId }

/** The wallets with the least available money, lowest first. */
export const lowestBalances = async ({ db }: Database, limit: number): Promise<ReadonlyArray<WorkspaceBalance>> => {
  const rows = await select(
    db, 'SELECT workspace_id, currency, available, held FROM wallets ORDER BY available, workspace_id LIMIT ?', [limit],
  )
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
