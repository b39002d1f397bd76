import type { Access, Attempts, Digest, Member, Session, SessionId } from '../../core/access/members.js'
import type { Email } from '../../core/kernel/actor.js'
import type { MemberId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'

/** Who may sign in, who is signed in, and who tried. */
export type AccessState = {
  readonly members: Map<MemberId, MemberRecord>
  readonly links: Map<Digest, LinkRecord>
  /** The member of each identity, by its issuer and subject as JSON. */
  readonly identities: Map<string, { readonly member: MemberId; readonly issuer: string }>
  readonly sessions: Map<SessionId, SessionRecord>
  readonly attempts: Map<string, Attempts>
}

/** A member with the digest of her password. */
export type MemberRecord = { member: Member; passwordDigest: string | undefined }

/** Whom a link signs in, until when, and for what; the first operator without an invitation. */
export type LinkRecord = { readonly expiresAt: Instant; readonly invitation: LinkInvitation | undefined }

/** What a link gives, and who made it. */
export type LinkInvitation = { readonly member: MemberId; readonly access: Access; readonly invitedBy: string; readonly onlyHere: boolean }

/** A session by the digest of its token. */
export type SessionRecord = { session: Session; readonly digest: Digest }

/** Without a member. */
export const openAccessState = (): AccessState => ({ members: new Map(), links: new Map(), identities: new Map(), sessions: new Map(), attempts: new Map() })

/** The member with an email. */
export const memberWithEmail = ({ members }: AccessState, email: Email): MemberRecord | undefined =>
  [...members.values()].find(({ member }) => member.email === email)

/** Deletes what a filter finds of a map. */
export const deleteWhere = <Key, Value>(map: Map<Key, Value>, isOne: (value: Value, key: Key) => boolean): void => {
  for (const [key, value] of map) if (isOne(value, key)) map.delete(key)
}
