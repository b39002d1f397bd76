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

/** Adds the id for which the spending of a successor counts; null for a key that succeeds none, which counts for itself. */
export const shareLimits = (db: Knex): Promise<void> => addColumn(db, 'api_keys', 'spending_id', (table) => table.string('spending_id', 32))
