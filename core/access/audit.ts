import * as E from 'fp-ts/lib/Either.js'
import type { Actor, AuditActor, AuditEntry } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import { csvLine } from '../kernel/csv.js'
import type { JsonObject } from '../kernel/json.js'
import type { Page } from '../kernel/page.js'
import { type Clock, DAY_MS, iso, MINUTE_MS } from '../kernel/time.js'
import type { Forbidden } from './access.js'
import { type ActDeps, type AuditLog, type AuditQuery, checkView } from './acting.js'

/** An entry of the audit log as JSON. */
export type AuditEntryView = {
  readonly id: string
  readonly at: string
  readonly by: AuditActor
  readonly address: string | null
  readonly act: string
  readonly outcome: AuditEntry['outcome']
  readonly workspace: string | null
  readonly subject: string | null
  readonly details: JsonObject | null
}

/** An entry of the audit log as JSON; absent fields are null. */
export const auditEntryView = ({ id, at, by, address, act, outcome, workspace, subject, details }: AuditEntry): AuditEntryView => ({
  id, at: iso(at), by, address: address ?? null, act, outcome, workspace: workspace ?? null, subject: subject ?? null,
  details: details ?? null,
})

const COLUMNS = ['id', 'at', 'actor_type', 'actor', 'address', 'act', 'outcome', 'workspace', 'subject', 'details'] as const

/** The first line of a CSV file of audit entries, with its line end. */
export const AUDIT_CSV_HEADER = csvLine(COLUMNS)

/** One line of a CSV file of audit entries, with its line end. The timestamp is in UTC (ISO 8601), the details are JSON. */
export const auditCsvLine = ({ id, at, by, address = '', act, outcome, workspace, subject = '', details }: AuditEntry): string =>
  csvLine([
    id, new Date(at).toISOString(), by.type, actorOf(by), address, act, outcome, workspace ?? '', subject,
    details === undefined ? '' : JSON.stringify(details),
  ])

/** The actor as one text: an email, a key's id, or an account of the operating system; empty if there is none. */
export const actorOf = (by: AuditActor): string => {
  switch (by.type) {
    case 'member': return by.email
    case 'key': return by.id
    case 'command_line': return by.user ?? ''
    case 'system': return ''
    case 'unknown': return by.email ?? ''
  }
}

/** How long the entries of people who could not sign in are kept: they contain emails and addresses of people who never had access. */
export const ANONYMOUS_RETENTION_MS = 90 * DAY_MS

/** The number of their entries that are recorded one by one in a minute. */
export const MAX_ANONYMOUS_PER_MINUTE = 30

/**
 * The audit log for a gateway that unauthenticated people can reach. Above a limit per minute, failed sign-ins are only counted, so that a flood does not fill
 * the database. The next entry contains in `details.left_out` how many were left out before it.
 */
export const limitAnonymousEntries = ({ append }: Pick<AuditLog, 'append'>, now: Clock): Pick<AuditLog, 'append'> => {
  let [minute, noted, leftOut] = [0, 0, 0]
  return {
    append: (entries) => {
      const current = Math.floor(now() / MINUTE_MS)
      if (current !== minute) [minute, noted] = [current, 0]
      return append(entries.flatMap((entry) => {
        if (entry.by.type !== 'unknown') return [entry]
        if (noted >= MAX_ANONYMOUS_PER_MINUTE) {
          leftOut += 1
          return []
        }
        const before = leftOut
        noted += 1
        leftOut = 0
        return [before === 0 ? entry : { ...entry, details: { ...entry.details, left_out: before } }]
      }))
    },
  }
}

/**
 * Lists audit entries, newest first: those of a workspace, or all entries, which only operators may see.
 *
 * No index supports the act and the actor, so a page looks at `LOOKED_AT` entries at most. It may have fewer entries than requested, or none, and still a `next`.
 */
export type ListAudit = (command: ListAuditCommand) => Promise<E.Either<Forbidden | PortFailure, Page<AuditEntry>>>

/** The actor, and the entries to list: of an act, and of a person by email, a key by id, or an account of the operating system. */
export type ListAuditCommand = AuditQuery & { readonly by: Actor; readonly act?: AuditEntry['act']; readonly person?: string }

/** The maximum number of entries that one page looks at. */
const LOOKED_AT = 2_000
const READ_AT_ONCE = 500

/** The dependencies of listing audit entries. */
export type ListAuditDeps = ActDeps & { readonly auditLog: Pick<AuditLog, 'list'> }

/** Only a refusal is recorded. */
export const makeListAudit =
  (deps: ListAuditDeps): ListAudit =>
  async ({ by, act, person, ...query }) => {
    const allowed = await checkView(deps, { by, act: 'audit.view', workspace: query.workspace })
    if (E.isLeft(allowed)) return allowed
    if (act === undefined && person === undefined) return deps.auditLog.list(query)
    const found: Array<AuditEntry> = []
    let { cursor } = query
    for (let looked = 0; looked < LOOKED_AT; looked += READ_AT_ONCE) {
      const read = await deps.auditLog.list({ ...query, limit: READ_AT_ONCE, ...(cursor !== undefined && { cursor }) })
      if (E.isLeft(read)) return read
      found.push(...read.right.items.filter((entry) =>
        (act === undefined || entry.act === act) && (person === undefined || actorOf(entry.by) === person)))
      if (found.length > query.limit) return E.right({ items: found.slice(0, query.limit), next: found[query.limit - 1]?.id })
      cursor = read.right.next
      if (cursor === undefined) break
    }
    return E.right({ items: found, next: cursor })
  }
