import type { Knex } from 'knex'
import { createAll } from './changes.js'
import { CUSTOMER_ID, exactText, type Table } from './tables.js'

/**
 * The texts by which customers are found by their names, and how far the names of all customers were compared with them. A row is deleted with its customer, even by the
 * release before, which does not know it.
 */
const CUSTOMER_NAMES: Readonly<Record<string, Table>> = {
  named_customers: (table, db) => {
    table.string('workspace_id', 35).notNullable()
    exactText(db, table, 'starts_with', 64)
    table.string('customer_id', CUSTOMER_ID).notNullable()
    table.primary(['workspace_id', 'starts_with', 'customer_id'])
    table.index(['workspace_id', 'customer_id'], 'named_customers_customer')
    table.foreign(['workspace_id', 'customer_id'], 'named_customers_of').references(['workspace_id', 'customer_id']).inTable('customers')
      .onDelete('CASCADE')
  },
  named_customers_progress: (table) => {
    table.integer('id').primary()
    table.string('workspace_id', 35).notNullable()
    table.string('customer_id', CUSTOMER_ID).notNullable()
    table.bigInteger('ended_at')
  },
}

/** Creates the tables. If there are customers, the names of all of them are compared in the background. */
export const createCustomerNames = async (db: Knex): Promise<void> => {
  await createAll(db, CUSTOMER_NAMES)
  const progress: ReadonlyArray<unknown> = await db('named_customers_progress').select('id')
  if (progress.length > 0) return
  const customers: ReadonlyArray<unknown> = await db('customers').select('customer_id').limit(1)
  await db('named_customers_progress').insert({ id: 1, workspace_id: '', customer_id: '', ended_at: customers.length === 0 ? 0 : null })
}
