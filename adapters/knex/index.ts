/**
 * Every storage port over SQL: SQLite, MySQL and MariaDB, PostgreSQL.
 *
 * @packageDocumentation
 */
export { openStorage, type Readiness, type KnexStorage, type KnexStorageOptions } from './storage.js'
export type { Migrated } from './migrate.js'
