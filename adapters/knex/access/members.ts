import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  type Access, addsTo, type Digest, type Identity, type Invitation, isElsewhere, isForSame, type LastOperator, type LinkPurpose,
  type LinkUnusable, type Member, type MemberNotFound, type Members, type PendingInvitation, type SessionId,
} from '../../../core/access/members.js'
import type { Email, Role } from '../../../core/kernel/actor.js'
import type { MemberId, WorkspaceId } from '../../../core/kernel/ids.js'
import { type Language, parseLanguage } from '../../../core/kernel/language.js'
import type { MakeOutboxEntries } from '../../../core/kernel/outbox.js'
import type { Instant } from '../../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../../core/kernel/workspace.js'
import { portTasks } from '../engine/batches.js'
import type { Database } from '../engine/database.js'
import type { Dialect } from '../engine/dialect.js'
import { type Bound, execute, insert, instant, instantOrNone, type Queryable, type Row, select } from '../engine/sql.js'
import type { Emit, TransactEvents } from '../events/entries.js'

/** A member with their password digest. */
export type StoredMember = { readonly member: Member; readonly passwordDigest: string | undefined }

/** The columns of members `m` and their roles `r`, one row for each role. */
export const MEMBER_COLUMNS =
  'm.id AS member_id, m.email, m.is_operator, m.created_at AS member_since, m.last_sign_in_at, m.password_digest, m.invited_by, m.credentials_version, m.language, r.workspace_id, r.role'

/** The join with the roles. */
export const JOIN_ROLES = 'LEFT JOIN member_roles r ON r.member_id = m.id'

/** The members of rows of `MEMBER_COLUMNS`, in the order of their first rows. */
export const membersIn = (rows: ReadonlyArray<Row>): ReadonlyArray<StoredMember> => {
  const byId = new Map<string, Array<Row>>()
  for (const row of rows) byId.set(String(row['member_id']), [...byId.get(String(row['member_id'])) ?? [], row])
  return [...byId.values()].flatMap((ofOne) => ofOne.slice(0, 1).map((row) => storedMember(row, ofOne)))
}

const storedMember = (row: Row, all: ReadonlyArray<Row>): StoredMember => ({
  member: {
    id: row['member_id'] as MemberId,
    email: row['email'] as Email,
    isOperator: Number(row['is_operator']) === 1,
    roles: new Map(all.filter(({ role }) => role !== null).map((one) => [one['workspace_id'] as WorkspaceId, one['role'] as Role])),
    createdAt: instant(row['member_since']),
    lastSignInAt: instantOrNone(row['last_sign_in_at']),
    hasPassword: row['password_digest'] !== null,
    credentialsVersion: Number(row['credentials_version'] ?? 0),
    ...(row['invited_by'] !== null && { invitedBy: String(row['invited_by']) }),
    ...inLanguage(languageIn(row)),
  },
  passwordDigest: row['password_digest'] === null ? undefined : String(row['password_digest']),
})

const inLanguage = (language: Language | undefined): Pick<Member, 'language'> => (language === undefined ? {} : { language })

/** The language of a member's row. One that this release does not know counts as absent. */
export const languageIn = (row: Row): Language | undefined => parseLanguage(row['language'] === null ? undefined : String(row['language']))

/** The members that match a condition on `m`, in the order of their ids. */
export const findMembers = async (db: Queryable, condition: string, bindings: ReadonlyArray<Bound>): Promise<ReadonlyArray<StoredMember>> =>
  membersIn(
    await select(db, `SELECT ${MEMBER_COLUMNS} FROM members m ${JOIN_ROLES} WHERE ${condition} ORDER BY m.id, r.workspace_id`, bindings),
  )

/**
 * Allows only one transaction at a time to change members: there are few changes, and some depend on all members, for example whether the last operator may be removed.
 * SQLite has one writer anyway.
 */
export const lockMembers = async (trx: Queryable, dialect: Dialect): Promise<void> => {
  await select(trx, `SELECT id FROM member_guard WHERE id = 1 ${dialect.forUpdate}`)
  if (dialect.name !== 'mysql') return
  // A Galera node does not report its locks to the other nodes, but if two transactions on two nodes write one row, the second fails.
  await execute(trx, 'DELETE FROM member_guard WHERE id = 1')
  await execute(trx, 'INSERT INTO member_guard (id) VALUES (1)')
}

/** The SHA-256 digest of a text, in hexadecimal digits. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A link for a member: the access that it grants, if the release that created it stored that, and who created it. */
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

/** The valid links that match a condition, in the order of their members. */
export const linksWhere = async (
  db: Queryable, at: Instant, condition: string, bindings: ReadonlyArray<Bound>,
): Promise<ReadonlyArray<StoredLink>> =>
  (await select(
    db, `SELECT * FROM member_links WHERE expires_at > ? AND ${condition} ORDER BY member_id, expires_at, digest`, [at, ...bindings],
  )).map(linkIn)

const linkIn = (row: Row): StoredLink =>
  (row['member_id'] === null
    ? { _tag: 'FirstOperator' }
    : {
        _tag: 'Member', digest: row['digest'] as Digest, member: row['member_id'] as MemberId, access: accessIn(row),
        expiresAt: instant(row['expires_at']), invitedBy: row['invited_by'] === null ? '' : String(row['invited_by']),
        onlyHere: Number(row['only_here'] ?? 0) === 1,
      })

const OPERATOR = 'operator'

const accessIn = ({ access, workspace_id: workspace }: Row): Access | undefined => {
  if (access === null) return undefined
  return access === OPERATOR ? { _tag: 'Operator' } : { _tag: 'Role', workspace: workspace as WorkspaceId, role: access as Role }
}

/** The data of a valid link; undefined if it has expired or never existed. */
export const linkOf = async (db: Queryable, digest: Digest, at: Instant): Promise<StoredLink | undefined> =>
  (await linksWhere(db, at, 'digest = ?', [digest]))[0]

/** Stores the link of an invitation. It replaces the previous link for the same access. */
export const storeLink = async (
  trx: Queryable, dialect: Dialect, member: MemberId, { access, link, invitedBy, onlyHere }: Omit<Invitation, 'id' | 'email'>,
): Promise<void> => {
  // Links of the previous release have no access of their own; they are removed, as in that release.
  const replaced = (await linksOf(trx, member)).filter((other) => other.access === undefined || isForSame(other.access, access))
  await deleteLinks(trx, replaced)
  const [given, workspace] = access._tag === 'Operator' ? [OPERATOR, null] : [access.role, access.workspace]
  await insert(trx, dialect, 'member_links', ['digest', 'member_id', 'expires_at', 'access', 'workspace_id', 'invited_by', 'only_here'], [
    [link.digest, member, link.expiresAt, given, workspace, invitedBy, onlyHere ? 1 : 0],
  ])
}

/** All links of a member, including expired ones. */
export const linksOf = async (db: Queryable, member: MemberId): Promise<ReadonlyArray<MemberLink>> =>
  (await linksWhere(db, 0, 'member_id = ?', [member])).filter((link) => link._tag === 'Member')

/** Deletes links. */
export const deleteLinks = async (trx: Queryable, links: ReadonlyArray<MemberLink>): Promise<void> => {
  for (const { digest } of links) await execute(trx, 'DELETE FROM member_links WHERE digest = ?', [digest])
}

/** Whether a link is invalid because it is for a person without access elsewhere. */
export const isBarred = (member: Member, { access, onlyHere }: MemberLink): boolean =>
  onlyHere && access !== undefined && isElsewhere(member, access)

/** The purpose of a link; none if it is invalid. */
export const purposeOf = async (
  db: Queryable, link: StoredLink | undefined, hasOperator: () => Promise<boolean>,
): Promise<O.Option<LinkPurpose>> => {
  if (link === undefined) return O.none
  if (link._tag === 'FirstOperator') return (await hasOperator()) ? O.none : O.some({ _tag: 'FirstOperator' })
  const [found] = await findMembers(db, 'm.id = ?', [link.member])
  return found === undefined || isBarred(found.member, link) ? O.none : O.some({ _tag: 'Member', email: found.member.email })
}

/** The pending invitations. */
export const pendingOf = async (
  db: Queryable, at: Instant, workspace: WorkspaceId | undefined,
): Promise<ReadonlyArray<PendingInvitation>> => {
  const links = workspace === undefined
    ? await linksWhere(db, at, 'access IS NOT NULL', [])
    : await linksWhere(db, at, 'workspace_id = ? AND access IS NOT NULL', [workspace])
  if (links.length === 0) return []
  const members = new Map(
    (await findMembers(db, 'm.id IN (SELECT member_id FROM member_links)', [])).map(({ member }) => [member.id, member]),
  )
  return links.flatMap((link): ReadonlyArray<PendingInvitation> => {
    const member = link._tag === 'Member' ? members.get(link.member) : undefined
    if (link._tag !== 'Member' || member === undefined || link.access === undefined) return []
    const { access, invitedBy, expiresAt } = link
    return [{ member: member.id, email: member.email, access, invitedBy, expiresAt, needsOperator: isBarred(member, link) }]
  })
}

/** The members over SQL. */
export const makeMembers = ({ db, dialect }: Database, transactEvents: TransactEvents): Members => {
  const changing = <Result>(work: (trx: Queryable, emit: Emit) => Promise<Result>): Promise<Result> =>
    transactEvents(async (trx, emit) => {
      await lockMembers(trx, dialect)
      return work(trx, emit)
    })
  return {
    find: (id) => tasks.value(async () => O.fromNullable((await findMembers(db, 'm.id = ?', [id]))[0]?.member)),
    withEmail: (email) => tasks.value(async () => O.fromNullable((await findMembers(db, 'm.email = ?', [email]))[0]?.member)),
    withPassword: (email) => tasks.value(async () => O.fromNullable((await findMembers(db, 'm.email = ?', [email]))[0])),
    list: (workspace) =>
      tasks.value(async () => {
        const found = workspace === undefined
          ? await findMembers(db, '1 = 1', [])
          : await findMembers(db, 'm.id IN (SELECT member_id FROM member_roles WHERE workspace_id = ?)', [workspace])
        return found.map(({ member }) => member)
      }),
    invite: (invitation, outboxEntries) =>
      tasks.either(() => changing((trx, emit) => invite(trx, invitation, (member) => emit(outboxEntries?.(member) ?? [])))),
    pending: (at, workspace) => tasks.value(() => pendingOf(db, at, workspace)),
    remove: (id, from, outboxEntries) =>
      tasks.either(() => changing((trx, emit) => remove(trx, { id, from }, (member) => emit(outboxEntries?.(member) ?? [])))),
    hasOperator: () => tasks.value(async () => (await operators(db)) > 0),
    addFirstLink: ({ digest, expiresAt }) =>
      tasks.value(() => insert(db, dialect, 'member_links', ['digest', 'expires_at'], [[digest, expiresAt]])),
    peekLink: (digest, at) => tasks.value(async () => purposeOf(db, await linkOf(db, digest, at), async () => (await operators(db)) > 0)),
    takeLink: (digest, at, first, outboxEntries) =>
      tasks.either(() => changing(async (trx, emit) => {
        const taken = await takeLink(trx, { digest, at, first })
        if (E.isRight(taken)) emit(outboxEntries?.(taken.right) ?? [])
        return taken
      })),
    acceptAll: (id, at, outboxEntries) =>
      tasks.either(() => changing((trx, emit) => acceptAll(trx, id, at, (member) => emit(outboxEntries?.(member) ?? [])))),
    setPassword: (id, passwordDigest, keep, outboxEntries) =>
      tasks.either(() => changing((trx, emit) => setPassword(trx, { id, passwordDigest, keep }, emit, outboxEntries))),
    setLanguage: (id, language) =>
      tasks.value(async () => {
        await execute(db, 'UPDATE members SET language = ? WHERE id = ?', [language, id])
      }),
    withIdentity: (identity) =>
      tasks.value(async () => {
        const [found] = await findMembers(
          db, 'm.id IN (SELECT member_id FROM member_identities WHERE digest = ?)', [identityDigest(identity)],
        )
        return O.fromNullable(found?.member)
      }),
    joinIdentity: (id, identity) => tasks.either(() => changing((trx) => joinIdentity(trx, id, identity))),
  }

  async function newMember(
    trx: Queryable,
    { id, email, at, invitedBy }: { readonly id: MemberId; readonly email: Email; readonly at: Instant; readonly invitedBy?: string },
  ): Promise<MemberId> {
    await insert(
      trx, dialect, 'members', ['id', 'email', 'is_operator', 'created_at', 'invited_by'], [[id, email, 0, at, invitedBy ?? null]],
    )
    return id
  }

  async function give(trx: Queryable, member: MemberId, access: Access): Promise<void> {
    if (access._tag === 'Operator') {
      await execute(trx, 'UPDATE members SET is_operator = 1 WHERE id = ?', [member])
      return
    }
    await execute(trx, 'DELETE FROM member_roles WHERE member_id = ? AND workspace_id = ?', [member, access.workspace])
    await insert(trx, dialect, 'member_roles', ['member_id', 'workspace_id', 'role'], [[member, access.workspace, access.role]])
  }

  async function invite(
    trx: Queryable, { id, email, ...invitation }: Invitation, note: (member: Member) => void,
  ): Promise<E.Either<UnknownWorkspace, Member>> {
    const { access, at, invitedBy } = invitation
    if (access._tag === 'Role') {
      const [known] = await select(trx, 'SELECT id FROM workspaces WHERE id = ?', [access.workspace])
      if (known === undefined) return E.left({ _tag: 'UnknownWorkspace' })
    }
    const [before] = await findMembers(trx, 'm.email = ?', [email])
    const member = before?.member.id ?? (await newMember(trx, { id, email, at, invitedBy }))
    if (before !== undefined && !addsTo(before.member, access)) await give(trx, member, access)
    await storeLink(trx, dialect, member, invitation)
    const after = await stored(trx, member)
    note(after)
    return E.right(after)
  }

  async function remove(
    trx: Queryable, { id, from }: { readonly id: MemberId; readonly from: 'everywhere' | WorkspaceId }, note: (member: Member) => void,
  ): Promise<E.Either<MemberNotFound | LastOperator, void>> {
    const [found] = await findMembers(trx, 'm.id = ?', [id])
    const links = await linksOf(trx, id)
    const ofThis = links.filter(({ access }) => access?._tag === 'Role' && access.workspace === from)
    if (found === undefined || (from !== 'everywhere' && !found.member.roles.has(from) && ofThis.length === 0)) {
      return E.left({ _tag: 'MemberNotFound', member: id })
    }
    const { isOperator, roles } = found.member
    if (from === 'everywhere' && isOperator && (await operators(trx)) === 1) return E.left({ _tag: 'LastOperator' })
    note(found.member)
    const others = [...roles.keys()].filter((workspace) => workspace !== from).length + links.length - ofThis.length
    if (from !== 'everywhere' && (isOperator || others > 0)) {
      await execute(trx, 'DELETE FROM member_roles WHERE member_id = ? AND workspace_id = ?', [id, from])
      await deleteLinks(trx, ofThis)
      return E.right(undefined)
    }
    // The member is deleted first: a session that is being opened has locked the member's row, and can then be deleted as well.
    await execute(trx, 'DELETE FROM members WHERE id = ?', [id])
    for (const table of ['member_roles', 'member_links', 'member_identities', 'sessions', 'alert_choices']) {
      await execute(trx, `DELETE FROM ${table} WHERE member_id = ?`, [id])
    }
    return E.right(undefined)
  }

  async function takeLink(
    trx: Queryable,
    { digest, at, first }: { readonly digest: Digest; readonly at: Instant; readonly first: Pick<Invitation, 'id' | 'email'> | undefined },
  ): Promise<E.Either<LinkUnusable, Member>> {
    const link = await linkOf(trx, digest, at)
    if (link === undefined) return UNUSABLE
    if (link._tag === 'Member') {
      if (isBarred(await stored(trx, link.member), link)) return UNUSABLE
      await deleteLinks(trx, [link])
      if (link.access !== undefined) await give(trx, link.member, link.access)
      return E.right(await startedAnew(trx, link.member))
    }
    if (first === undefined || (await operators(trx)) > 0) return UNUSABLE
    const [known] = await findMembers(trx, 'm.email = ?', [first.email])
    const id = known?.member.id ?? (await newMember(trx, { ...first, at }))
    await give(trx, id, { _tag: 'Operator' })
    await execute(trx, 'DELETE FROM member_links WHERE member_id IS NULL')
    return E.right(await startedAnew(trx, id))
  }

  async function acceptAll(
    trx: Queryable, id: MemberId, at: Instant, note: (member: Member) => void,
  ): Promise<E.Either<MemberNotFound, Member>> {
    const [known] = await findMembers(trx, 'm.id = ?', [id])
    if (known === undefined) return E.left({ _tag: 'MemberNotFound', member: id })
    const links = (await linksWhere(trx, at, 'member_id = ? AND access IS NOT NULL', [id])).filter((link) => link._tag === 'Member')
    if (links.length === 0) return E.right(known.member)
    for (const { access } of links) if (access !== undefined) await give(trx, id, access)
    await deleteLinks(trx, await linksOf(trx, id))
    const member = await startedAnew(trx, id)
    note(member)
    return E.right(member)
  }

  async function setPassword(
    trx: Queryable, { id, passwordDigest, keep }: { readonly id: MemberId; readonly passwordDigest: string; readonly keep: SessionId },
    emit: Emit, outboxEntries: MakeOutboxEntries<Member> | undefined,
  ): Promise<E.Either<MemberNotFound, void>> {
    const changed = await execute(trx, `UPDATE members SET password_digest = ?, ${NEXT_VERSION} WHERE id = ?`, [passwordDigest, id])
    if (changed === 0) return E.left({ _tag: 'MemberNotFound', member: id })
    await execute(trx, 'DELETE FROM sessions WHERE member_id = ? AND id <> ?', [id, keep])
    const member = await stored(trx, id)
    await deleteLinks(trx, (await linksOf(trx, id)).filter(({ access }) => access === undefined || !addsTo(member, access)))
    emit(outboxEntries?.(member) ?? [])
    return E.right(undefined)
  }

  async function joinIdentity(trx: Queryable, id: MemberId, identity: Identity): Promise<E.Either<MemberNotFound, boolean>> {
    const [known] = await findMembers(trx, 'm.id = ?', [id])
    if (known === undefined) return E.left({ _tag: 'MemberNotFound', member: id })
    const [digest, issuer] = [identityDigest(identity), sha256(identity.issuer)]
    const [joined] = await select(trx, 'SELECT member_id FROM member_identities WHERE digest = ?', [digest])
    if (joined !== undefined) return E.right(joined['member_id'] === id)
    const [other] = await select(trx, 'SELECT digest FROM member_identities WHERE member_id = ? AND issuer_digest = ?', [id, issuer])
    if (other !== undefined) return E.right(false)
    await insert(trx, dialect, 'member_identities', ['digest', 'issuer_digest', 'member_id'], [[digest, issuer, id]])
    return E.right(true)
  }
}

const NEXT_VERSION = 'credentials_version = COALESCE(credentials_version, 0) + 1'

const UNUSABLE: E.Either<LinkUnusable, never> = E.left({ _tag: 'LinkUnusable' })

const operators = async (db: Queryable): Promise<number> =>
  Number((await select(db, 'SELECT count(*) AS operators FROM members WHERE is_operator = 1'))[0]?.['operators'])

const stored = async (trx: Queryable, id: string): Promise<Member> => {
  const [found] = await findMembers(trx, 'm.id = ?', [id])
  if (found === undefined) throw new Error('the member is gone, though its changes wait for each other')
  return found.member
}

/** Deletes the member's password, ends their sessions except those opened by an identity provider, and returns the member. */
const startedAnew = async (trx: Queryable, id: MemberId): Promise<Member> => {
  await execute(trx, `UPDATE members SET password_digest = NULL, ${NEXT_VERSION} WHERE id = ?`, [id])
  await execute(trx, "DELETE FROM sessions WHERE member_id = ? AND opened_by <> 'identity'", [id])
  return stored(trx, id)
}

const identityDigest = ({ issuer, subject }: Identity): string => sha256(JSON.stringify([issuer, subject]))

const tasks = portTasks('Members')
