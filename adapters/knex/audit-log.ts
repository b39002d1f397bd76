import type { AuditLog, AuditQuery } from '../../core/access/acting.js'
import type { AuditEntry } from '../../core/kernel/actor.js'
import { type Page, pageOf } from '../../core/kernel/json.js'
import type { Instant } from '../../core/kernel/time.js'
import { AUDIT_COLUMNS, auditEntryIn, writeAuditEntries } from './audit-entries.js'
import { inList } from './bulk-sql.js'
import type { Database } from './database.js'
import { portTasks } from './port-tasks.js'
import { execute, select } from './sql.js'
import { transact } from './transact.js'

/** The audit log over SQL. */
export const makeAuditLog = (database: Database): AuditLog => ({
  append: (entries) => tasks.value(() => transact(database, (trx) => writeAuditEntries(database.dialect, trx, entries))),
  list: (query) => tasks.value(() => list(database, query)),
  removeStrangers: (before, limit) => tasks.value(() => removeStrangers(database, before, limit)),
})

const removeStrangers = async ({ db, dialect }: Database, before: Instant, limit: number): Promise<number> => {
  const rows = await select(db, `SELECT id FROM audit_entries WHERE actor_type = 'unknown' AND created_at < ? LIMIT ?`, [before, limit])
  if (rows.length === 0) return 0
  const { sql, bindings } = inList(dialect, ['id'], rows.map(({ id }) => [String(id)]))
  return execute(db, `DELETE FROM audit_entries WHERE ${sql}`, bindings)
}

const list = async ({ db, dialect }: Database, { limit, cursor, workspace, since, until }: AuditQuery): Promise<Page<AuditEntry>> => {
  const conditions = ([['workspace_id = ?', workspace], ['created_at >= ?', since], ['created_at < ?', until], ['id < ?', cursor]] as const)
    .flatMap(([condition, value]) => (value === undefined ? [] : [[condition, value] as const]))
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`
  const rows = await select(
    db, `SELECT ${AUDIT_COLUMNS} FROM ${workspace === undefined ? 'audit_entries' : dialect.byWorkspace('audit_entries')} ${where} ORDER BY id DESC LIMIT ?`, [...conditions.map(([, value]) => value), limit + 1],
  )
  return pageOf(rows.map(auditEntryIn), limit, ({ id }) => id)
}

const tasks = portTasks('AuditLog')
