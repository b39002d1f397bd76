import * as O from 'fp-ts/lib/Option.js'
import {
  type Access, type Digest, type Invitation, isElsewhere, isForSame, type LinkPurpose, type Member, type PendingInvitation,
} from '../../core/access/members.js'
import type { Role } from '../../core/kernel/actor.js'
import type { MemberId, WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import { insert } from './bulk-sql.js'
import type { Dialect } from './dialect.js'
import { findMembers } from './member-rows.js'
import { type Bound, execute, instant, type Queryable, type Row, select } from './sql.js'

/** A link for a member: what it gives, if the release that made it kept that, and who made it. */
export type MemberLink = {
  readonly _tag: 'Member'
  readonly digest: Digest
  readonly member: MemberId
  readonly access: Access | undefined
  readonly invitedBy: string
  readonly expiresAt: Instant
  readonly onlyHere: boolean
}

/** A link for a member, or for the first operator. */
export type StoredLink = MemberLink | { readonly _tag: 'FirstOperator' }

/** The links of a condition that work at a moment, in the order of their members. */
export const linksWhere = async (db: Queryable, at: Instant, condition: string, bindings: ReadonlyArray<Bound>): Promise<ReadonlyArray<StoredLink>> =>
  (await select(db, `SELECT * FROM member_links WHERE expires_at > ? AND ${condition} ORDER BY member_id, expires_at, digest`, [at, ...bindings])).map(linkIn)

const linkIn = (row: Row): StoredLink =>
  (row['member_id'] === null
    ? { _tag: 'FirstOperator' }
    : {
        _tag: 'Member', digest: row['digest'] as Digest, member: row['member_id'] as MemberId, access: accessIn(row), expiresAt: instant(row['expires_at']),
        invitedBy: row['invited_by'] === null ? '' : String(row['invited_by']), onlyHere: Number(row['only_here'] ?? 0) === 1,
      })

const OPERATOR = 'operator'

const accessIn = ({ access, workspace_id: workspace }: Row): Access | undefined => {
  if (access === null) return undefined
  return access === OPERATOR ? { _tag: 'Operator' } : { _tag: 'Role', workspace: workspace as WorkspaceId, role: access as Role }
}

/** What is known of a link that works; undefined of one that has expired or never was. */
export const linkOf = async (db: Queryable, digest: Digest, at: Instant): Promise<StoredLink | undefined> => (await linksWhere(db, at, 'digest = ?', [digest]))[0]

/** Stores the link of an invitation in place of the one before for the same. */
export const storeLink = async (
  trx: Queryable, dialect: Dialect, member: MemberId, { access, link, invitedBy, onlyHere }: Omit<Invitation, 'id' | 'email'>,
): Promise<void> => {
  // Those of the release before have no access of their own; they end, as they did there.
  const replaced = (await linksOf(trx, member)).filter((other) => other.access === undefined || isForSame(other.access, access))
  await deleteLinks(trx, replaced)
  const [given, workspace] = access._tag === 'Operator' ? [OPERATOR, null] : [access.role, access.workspace]
  await insert(trx, dialect, 'member_links', ['digest', 'member_id', 'expires_at', 'access', 'workspace_id', 'invited_by', 'only_here'], [
    [link.digest, member, link.expiresAt, given, workspace, invitedBy, onlyHere ? 1 : 0],
  ])
}

/** All links of a member, also those that have expired. */
export const linksOf = async (db: Queryable, member: MemberId): Promise<ReadonlyArray<MemberLink>> =>
  (await linksWhere(db, 0, 'member_id = ?', [member])).filter((link) => link._tag === 'Member')

/** Deletes links. */
export const deleteLinks = async (trx: Queryable, links: ReadonlyArray<MemberLink>): Promise<void> => {
  for (const { digest } of links) await execute(trx, 'DELETE FROM member_links WHERE digest = ?', [digest])
}

/** Whether a link does not work because it is for a person without access elsewhere. */
export const isBarred = (member: Member, { access, onlyHere }: MemberLink): boolean => onlyHere && access !== undefined && isElsewhere(member, access)

/** What a link is for; none if it does not work. */
export const purposeOf = async (db: Queryable, link: StoredLink | undefined, hasOperator: () => Promise<boolean>): Promise<O.Option<LinkPurpose>> => {
  if (link === undefined) return O.none
  if (link._tag === 'FirstOperator') return (await hasOperator()) ? O.none : O.some({ _tag: 'FirstOperator' })
  const [found] = await findMembers(db, 'm.id = ?', [link.member])
  return found === undefined || isBarred(found.member, link) ? O.none : O.some({ _tag: 'Member', email: found.member.email })
}

/** The invitations that wait. */
export const pendingOf = async (db: Queryable, at: Instant, workspace: WorkspaceId | undefined): Promise<ReadonlyArray<PendingInvitation>> => {
  const links = workspace === undefined
    ? await linksWhere(db, at, 'access IS NOT NULL', [])
    : await linksWhere(db, at, 'workspace_id = ? AND access IS NOT NULL', [workspace])
  if (links.length === 0) return []
  const members = new Map((await findMembers(db, 'm.id IN (SELECT member_id FROM member_links)', [])).map(({ member }) => [member.id, member]))
  return links.flatMap((link): ReadonlyArray<PendingInvitation> => {
    const member = link._tag === 'Member' ? members.get(link.member) : undefined
    if (link._tag !== 'Member' || member === undefined || link.access === undefined) return []
    const { access, invitedBy, expiresAt } = link
    return [{ member: member.id, email: member.email, access, invitedBy, expiresAt, needsOperator: isBarred(member, link) }]
  })
}
