import type { AuditLog } from './audit-log.js'
import type { Members } from './members.js'
import type { Sessions } from './sessions.js'

/** The ports that store who may sign in and who did what; an adapter of `StoragePorts` may leave them out. */
export type AccessPorts = {
  readonly auditLog: AuditLog
  readonly members: Members
  readonly sessions: Sessions
}
