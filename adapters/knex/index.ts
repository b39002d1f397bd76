/**
 * Every storage port over SQL: SQLite, MySQL and MariaDB, PostgreSQL.
 *
 * @packageDocumentation
 */
import './require-node.js'
export { openStorage, type KnexStorage, type KnexStorageOptions } from './storage.js'
export type { GatewayProcess, SeenGateway } from './gateways.js'
export type { ConnectionFault } from './connection-fault.js'
export type { HostState, OnHost } from './host-connections.js'
export type { Migrated } from './migrate.js'
export type { Readiness } from './readiness.js'
export type { ReadingPorts } from './reading.js'
export type { WorkspaceBalance } from './overview.js'
