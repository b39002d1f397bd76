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

/** Whether a text is a role. */
export const isRole = (text: string): text is Role => (ROLES as ReadonlyArray<string>).includes(text)

/** The form of a member's id. */
export const MEMBER_ID_FORM = /^mbr_[0-9a-f]{32}$/

/** Whether a text has the form of a member's id. */
export const isMemberId = (text: string): text is MemberId => MEMBER_ID_FORM.test(text)

/** The member id made of a UUIDv7; its dashes are dropped. */
export const memberIdOf = (uuid: string): MemberId => `mbr_${uuid.replaceAll('-', '')}` as MemberId
