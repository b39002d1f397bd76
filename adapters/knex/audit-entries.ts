import type { AuditActor, AuditedAct, AuditEntry } from '../../core/kernel/actor.js'
import type { AuditId, MemberId, WorkspaceId } from '../../core/kernel/ids.js'
import type { JsonObject } from '../../core/kernel/json.js'
import { insert } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { instant, type Queryable, type Row, textOrNone } from './sql.js'
import { storableText } from './storable-text.js'

/** Stores audit entries; one whose id is stored already changes nothing. */
export const writeAuditEntries = (dialect: Dialect, trx: Queryable, entries: ReadonlyArray<AuditEntry>): Promise<void> =>
  insert(trx, dialect, 'audit_entries', COLUMNS, entries.map(rowOf), keepFirst(dialect))

/** The columns of an audit entry. */
export const AUDIT_COLUMNS = 'id, workspace_id, created_at, act, outcome, actor_type, actor_id, actor_name, address, subject, details'

/** The entry of a row of `AUDIT_COLUMNS`. */
export const auditEntryIn = (row: Row): AuditEntry => {
  const [workspace, address, subject, details] = ['workspace_id', 'address', 'subject', 'details'].map((column) => textOrNone(row[column]))
  return {
    id: row['id'] as AuditId,
    at: instant(row['created_at']),
    by: actorIn(row),
    ...(address !== undefined && { address }),
    act: row['act'] as AuditedAct,
    outcome: row['outcome'] as AuditEntry['outcome'],
    ...(workspace !== undefined && { workspace: workspace as WorkspaceId }),
    ...(subject !== undefined && { subject }),
    ...(details !== undefined && { details: JSON.parse(details) as JsonObject }),
  }
}

const COLUMNS = AUDIT_COLUMNS.split(', ')

/** The lengths of the columns. */
const SUBJECT_LENGTH = 255
const NAME_LENGTH = 255
const ADDRESS_LENGTH = 64

const rowOf = ({ id, workspace, at, act, outcome, by, address, subject, details }: AuditEntry) => [
  id, workspace ?? null, at, act, outcome, by.type, 'id' in by ? by.id : null, optional(nameOf(by), NAME_LENGTH), optional(address, ADDRESS_LENGTH),
  optional(subject, SUBJECT_LENGTH), details === undefined ? null : JSON.stringify(details),
]

const optional = (text: string | undefined, length: number): string | null => (text === undefined ? null : storableText(text, length))

const nameOf = (by: AuditActor): string | undefined => {
  switch (by.type) {
    case 'member':
    case 'unknown':
      return by.email
    case 'command_line':
      return by.user
    case 'key':
    case 'system':
      return undefined
  }
}

const actorIn = (row: Row): AuditActor => {
  const [id, name] = [textOrNone(row['actor_id']) ?? '', textOrNone(row['actor_name'])]
  switch (String(row['actor_type'])) {
    case 'member':
      return { type: 'member', id: id as MemberId, email: name ?? '' }
    case 'key':
      return { type: 'key', id }
    case 'command_line':
      return { type: 'command_line', ...(name !== undefined && { user: name }) }
    case 'unknown':
      return { type: 'unknown', ...(name !== undefined && { email: name }) }
    default:
      return { type: 'system' }
  }
}

const keepFirst = (dialect: Dialect): string =>
  dialect.name === 'mysql' ? 'ON DUPLICATE KEY UPDATE audit_entries.id = audit_entries.id' : 'ON CONFLICT (id) DO NOTHING'
