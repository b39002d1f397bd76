import { createHash } from 'node:crypto'
import type { Member } from '../../core/access/members.js'
import type { Email, Role } from '../../core/kernel/actor.js'
import type { MemberId, WorkspaceId } from '../../core/kernel/ids.js'
import type { Dialect } from './dialect.js'
import { type Bound, execute, instant, instantOrNone, type Queryable, type Row, select } from './sql.js'

/** A member with the digest of her password. */
export type StoredMember = { readonly member: Member; readonly passwordDigest: string | undefined }

/** The columns of members `m` and their roles `r`, one row for each role. */
export const MEMBER_COLUMNS =
  'm.id AS member_id, m.email, m.is_operator, m.created_at AS member_since, m.last_sign_in_at, m.password_digest, m.invited_by, m.credentials_version, r.workspace_id, r.role'

/** What joins the roles. */
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
  },
  passwordDigest: row['password_digest'] === null ? undefined : String(row['password_digest']),
})

/** The members that a condition on `m` finds, in the order of their ids. */
export const findMembers = async (db: Queryable, condition: string, bindings: ReadonlyArray<Bound>): Promise<ReadonlyArray<StoredMember>> =>
  membersIn(await select(db, `SELECT ${MEMBER_COLUMNS} FROM members m ${JOIN_ROLES} WHERE ${condition} ORDER BY m.id, r.workspace_id`, bindings))

/**
 * Lets one transaction at a time change members: there are few changes, and some depend on all members, such as whether the last operator may go.
 * SQLite has one writer anyway.
 */
export const lockMembers = async (trx: Queryable, dialect: Dialect): Promise<void> => {
  await select(trx, `SELECT id FROM member_guard WHERE id = 1 ${dialect.forUpdate}`)
  if (dialect.name !== 'mysql') return
  // A Galera node does not tell the others of its locks, but of two transactions on two nodes that write one row it fails the second.
  await execute(trx, 'DELETE FROM member_guard WHERE id = 1')
  await execute(trx, 'INSERT INTO member_guard (id) VALUES (1)')
}

/** The SHA-256 digest of a text, in hexadecimal digits. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
