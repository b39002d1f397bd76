import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  auditIdOf, isAuditId, type AuditActor, type AuditedAct, type AuditEntry, type AuditId, type AuditLog, type AuditQuery, type Instant, type Page,
  type PageQuery, type PortFailure, type WorkspaceId,
} from '../../../core/ports/audit-log.js'

const by: AuditActor = { type: 'system' }
const act: AuditedAct = 'retention.run'
const page: PageQuery = { limit: 1 }

/** The entry of a run of the gateway. */
export const entryOf = (uuid: string, at: Instant, workspace: WorkspaceId): AuditEntry => ({ id: auditIdOf(uuid), at, by, act, outcome: 'done', workspace })

export const auditLog = (all: Map<AuditId, AuditEntry>): AuditLog => ({
  append: (entries: ReadonlyArray<AuditEntry>): TE.TaskEither<PortFailure, void> =>
    TE.fromIO(() => { for (const entry of entries) if (isAuditId(entry.id) && !all.has(entry.id)) all.set(entry.id, entry) }),
  list: ({ limit, workspace }: AuditQuery): TE.TaskEither<PortFailure, Page<AuditEntry>> =>
    TE.right({ items: [...all.values()].filter((entry) => workspace === undefined || entry.workspace === workspace).slice(0, limit), next: page.cursor }),
  removeStrangers: (before: Instant, limit: number): TE.TaskEither<PortFailure, number> => TE.fromIO(() => {
    const found = [...all.values()].filter((entry) => entry.by.type === 'unknown' && entry.at < before).slice(0, limit)
    for (const { id } of found) all.delete(id)
    return found.length
  }),
})
