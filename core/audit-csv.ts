import type { AuditActor, AuditEntry } from './audit-entry.js'
import { csvLine } from './csv.js'

const COLUMNS = ['id', 'at', 'actor_type', 'actor', 'address', 'act', 'outcome', 'workspace', 'subject', 'details'] as const

/** The first line of a CSV file of audit entries, with its line end. */
export const AUDIT_CSV_HEADER = csvLine(COLUMNS)

/** One line of a CSV file of audit entries, with its line end. The moment is in UTC (ISO 8601), the details are JSON. */
export const auditCsvLine = ({ id, at, by, address = '', act, outcome, workspace, subject = '', details }: AuditEntry): string =>
  csvLine([
    id, new Date(at).toISOString(), by.type, actorOf(by), address, act, outcome, workspace ?? '', subject, details === undefined ? '' : JSON.stringify(details),
  ])

/** Who acted, in one text: an email, a key's id, or an account of the operating system; empty where there is none. */
export const actorOf = (by: AuditActor): string => {
  switch (by.type) {
    case 'member': return by.email
    case 'key': return by.id
    case 'command_line': return by.user ?? ''
    case 'system': return ''
    case 'unknown': return by.email ?? ''
  }
}
