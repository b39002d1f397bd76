import { CUSTOMER_ID, type Table } from './tables.js'

/** What customers allowed and stopped, the facts that changed it, and the settings of workspaces. */
export const CONSENTS: Readonly<Record<string, Table>> = {
  consents: (table) => {
    consentColumns(table)
    table.primary(['workspace_id', 'customer_key', 'topic'])
    table.index(['workspace_id', 'status'], 'consents_status')
  },
  consent_history: (table) => {
    consentColumns(table)
    table.primary(['workspace_id', 'customer_key', 'topic', 'since', 'status'])
  },
  consent_settings: (table) => {
    table.string('workspace_id', 35).primary()
    table.integer('marketing_needs_consent').notNullable()
    table.string('topic', 16)
    table.text('words', 'mediumtext')
    table.text('reply')
  },
}

const consentColumns = (table: Parameters<Table>[0]): void => {
  table.string('workspace_id', 35).notNullable()
  table.string('customer_key', CUSTOMER_ID).notNullable()
  table.string('topic', 16).notNullable()
  table.bigInteger('since').notNullable()
  table.string('status', 16).notNullable()
  table.string('source', 100).notNullable()
  table.text('note')
}
