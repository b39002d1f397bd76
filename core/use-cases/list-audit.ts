import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { AuditEntry } from '../audit-entry.js'
import type { Forbidden, PortFailure } from '../errors.js'
import type { Page } from '../page.js'
import type { AuditLog, AuditQuery } from '../ports/audit-log.js'
import type { Actor } from '../principal.js'
import { type ActDeps, checkView } from './acting.js'

/** Lists audit entries, newest first: those of a workspace, or all, which only operators may see. */
export type ListAudit = (command: ListAuditCommand) => TE.TaskEither<Forbidden | PortFailure, Page<AuditEntry>>

/** Who asks, and for which entries. */
export type ListAuditCommand = AuditQuery & { readonly by: Actor }

/** What listing audit entries needs. */
export type ListAuditDeps = ActDeps & { readonly auditLog: Pick<AuditLog, 'list'> }

/** Makes the use case of what it needs. Only a refusal is noted. */
export const makeListAudit =
  (deps: ListAuditDeps): ListAudit =>
  ({ by, ...query }) =>
  async () => {
    const allowed = await checkView(deps, { by, act: 'audit.view', workspace: query.workspace })
    return E.isLeft(allowed) ? allowed : deps.auditLog.list(query)()
  }
