/**
 * Every storage port over SQL: SQLite, MySQL and MariaDB, PostgreSQL.
 *
 * @packageDocumentation
 */
import './require-node.js'
export type { ReadingPorts } from '../../core/ports.js'
export { type KnexStorage, type KnexStorageOptions, openStorage } from './storage.js'
export type { GatewayProcess, SeenGateway } from './gateways.js'
export { type ConnectionFault, sayFault } from './engine/faults.js'
export type { HostState, OnHost } from './engine/hosts.js'
export type { Migrated, Readiness } from './schema/migrate.js'
export type { WorkspaceBalance } from './access/workspaces.js'
