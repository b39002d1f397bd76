import type { Table } from './schema-changes.js'

/** The table of the audit log; rows are only ever added. */
export const AUDIT: Readonly<Record<string, Table>> = {
  audit_entries: (table) => {
    // Ids are in the order of time, and so are the entries.
    table.string('id', 36).primary()
    table.string('workspace_id', 35)
    table.bigInteger('created_at').notNullable()
    table.string('act', 64).notNullable()
    table.string('outcome', 16).notNullable()
    table.string('actor_type', 16).notNullable()
    // A member's id or a key's id.
    table.string('actor_id', 64)
    // A member's email, or the account of the operating system.
    table.string('actor_name', 255)
    table.string('address', 64)
    table.string('subject', 255)
    // JSON.
    table.text('details')
    table.index(['workspace_id', 'id'], 'audit_entries_workspace')
  },
}
