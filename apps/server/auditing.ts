import { uuidv7 } from 'uuidv7'
import type { Auditing } from '../../core/access/acting.js'
import { type AuditId, auditIdOf } from '../../core/kernel/ids.js'

/** A new id of an audit entry; ids sort by time. */
export const newAuditId = (): AuditId => auditIdOf(uuidv7())

/** What use cases need to note who did what. */
export const auditingOf = ({ auditLog }: Pick<Auditing, 'auditLog'>): Auditing => ({ auditLog, newAuditId, now: Date.now })
