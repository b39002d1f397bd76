import type { Knex } from 'knex'
import { addColumn } from './schema-changes.js'

/** Adds what limits a key: its scopes, its end and its spending limit, and the key that replaced it. */
export const limitKeys = async (db: Knex): Promise<void> => {
  // Names with spaces between them; null for all, which the release before stores.
  await addColumn(db, 'api_keys', 'scopes', (table) => table.string('scopes', 255))
  await addColumn(db, 'api_keys', 'expires_at', (table) => table.bigInteger('expires_at'))
  await addColumn(db, 'api_keys', 'spending_limit', (table) => table.bigInteger('spending_limit'))
  await addColumn(db, 'api_keys', 'replaced_by', (table) => table.string('replaced_by', 32))
}
