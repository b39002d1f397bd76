import * as E from 'fp-ts/lib/Either.js'
import type { InvalidEmail } from './invalid.js'
import type { Instant } from './time.js'
import type { WorkspaceId } from './workspace.js'

/** A member's id: `mbr_` and 32 lowercase hexadecimal digits of a UUIDv7. */
export type MemberId = string & { readonly MemberId: unique symbol }

/** What a member may be in a workspace, from the one who may do most. */
export const ROLES = ['owner', 'developer', 'viewer'] as const

/** What a member is in a workspace. */
export type Role = (typeof ROLES)[number]

/** An email address as `parseEmail` gives it: lower case, without spaces around it. */
export type Email = string & { readonly Email: unique symbol }

/** What a member may do: everything everywhere, or what a role allows in a workspace. */
export type Access = { readonly _tag: 'Operator' } | { readonly _tag: 'Role'; readonly workspace: WorkspaceId; readonly role: Role }

/** A person who may sign in. */
export type Member = {
  readonly id: MemberId
  readonly email: Email
  readonly isOperator: boolean
  readonly roles: ReadonlyMap<WorkspaceId, Role>
  readonly createdAt: Instant
  /** When the member last signed in; never, where it is undefined. */
  readonly lastSignInAt: Instant | undefined
  readonly hasPassword: boolean
  /** Counts the changes of her credentials, so that what was proven before one begins no session after it. */
  readonly credentialsVersion: number
  /** Who made the person known first, in words; absent where that was not kept. It tells an operator how far to trust what is there already. */
  readonly invitedBy?: string
}

/** An invitation whose link was not taken. Until it is, the person has nothing of its access. */
export type PendingInvitation = {
  readonly member: MemberId
  readonly email: Email
  readonly access: Access
  /** Who invites, in words. */
  readonly invitedBy: string
  readonly expiresAt: Instant
  /** Whether the link does not work because the person has access elsewhere; an operator's own invitation does. */
  readonly needsOperator: boolean
}

/** The longest email address, in characters (RFC 5321, section 4.5.3.1.3). */
export const MAX_EMAIL_LENGTH = 254

const EMAIL = /^[^\s@<>,;:"()[\]\\]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Reads an email address. Letter case does not count: no provider in use tells two people apart by it, and one person must not be two members.
 * Only printable ASCII is taken, because letters that look alike would let one person pass for another.
 */
export const parseEmail = (given: string): E.Either<InvalidEmail, Email> => {
  const typed = given.trim()
  // Before letter case is dropped: the Kelvin sign would become a k.
  const isAscii = /^[!-~]+$/.test(typed)
  const email = typed.toLowerCase()
  return isAscii && email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email) ? E.right(email as Email) : E.left({ _tag: 'InvalidEmail' })
}

/** Whether a member has access to more than the workspace of an access. */
export const isElsewhere = ({ isOperator, roles }: Member, access: Access): boolean =>
  isOperator || [...roles.keys()].some((workspace) => access._tag === 'Operator' || workspace !== access.workspace)

/** Whether an access lets a member do more than she may now. What lets her do less counts at once; what adds waits until she accepts it. */
export const addsTo = ({ isOperator, roles }: Member, access: Access): boolean => {
  if (access._tag === 'Operator') return !isOperator
  const role = roles.get(access.workspace)
  return role === undefined || ROLES.indexOf(access.role) < ROLES.indexOf(role)
}

/** A member with an access; it replaces the role that she has in the same workspace. */
export const withAccess = (member: Member, access: Access): Member =>
  (access._tag === 'Operator' ? { ...member, isOperator: true } : { ...member, roles: new Map([...member.roles, [access.workspace, access.role]]) })

/** Whether two accesses are for the same: everything, or one workspace. */
export const isForSame = (one: Access, other: Access): boolean =>
  (one._tag === 'Operator' ? other._tag === 'Operator' : other._tag === 'Role' && one.workspace === other.workspace)

/** Whether a text is a role. */
export const isRole = (text: string): text is Role => (ROLES as ReadonlyArray<string>).includes(text)

/** The form of a member's id. */
export const MEMBER_ID_FORM = /^mbr_[0-9a-f]{32}$/

/** Whether a text has the form of a member's id. */
export const isMemberId = (text: string): text is MemberId => MEMBER_ID_FORM.test(text)

/** The member id made of a UUIDv7; its dashes are dropped. */
export const memberIdOf = (uuid: string): MemberId => `mbr_${uuid.replaceAll('-', '')}` as MemberId
