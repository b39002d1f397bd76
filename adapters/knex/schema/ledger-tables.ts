import type { Table } from './tables.js'

/** The sums of the movements of wallets by day, up to which id they are added up, and the ids of the top-ups and adjustments among them. */
export const LEDGER_SUMS: Readonly<Record<string, Table>> = {
  ledger_sums: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.bigInteger('day').notNullable()
    table.string('kind', 12).notNullable()
    table.bigInteger('entries').notNullable()
    table.bigInteger('free').notNullable()
    table.bigInteger('amount').notNullable()
    table.primary(['workspace_id', 'day', 'kind'])
  },
  ledger_progress: (table) => {
    table.string('workspace_id', 35).primary()
    table.string('added_until', 32).notNullable()
    table.bigInteger('since').notNullable()
  },
  ledger_paid: (table) => {
    table.string('workspace_id', 35).notNullable()
    table.string('id', 32).notNullable()
    table.primary(['workspace_id', 'id'])
  },
}
