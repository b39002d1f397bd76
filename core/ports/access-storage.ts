import type { AuditLog } from './audit-log.js'

/** The ports that store who may sign in and who did what; an adapter of `StoragePorts` may leave them out. */
export type AccessPorts = {
  readonly auditLog: AuditLog
}
