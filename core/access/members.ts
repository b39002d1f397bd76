import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { type Email, type Role, ROLES } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { MemberId, WorkspaceId } from '../kernel/ids.js'
import type { EntriesOf } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'

/** No member has this id or email; `member` is what was given. */
export type MemberNotFound = { readonly _tag: 'MemberNotFound'; readonly member: string }

/** Without this member there would be no operator left. */
export type LastOperator = { readonly _tag: 'LastOperator' }

/** A link that was used, has expired, or never was; which of them is never said. */
export type LinkUnusable = { readonly _tag: 'LinkUnusable' }

/** An email and a password that do not belong together; whether the email is a member's is never said. */
export type SignInRefused = { readonly _tag: 'SignInRefused' }

/** An identity provider vouches for a person who may not sign in; `reason` is a sentence for people. */
export type IdentityRefused = { readonly _tag: 'IdentityRefused'; readonly reason: string }

/** Too many attempts to sign in, with one email or from one address; `retryAt` is when the next one is looked at. */
export type TooManyAttempts = { readonly _tag: 'TooManyAttempts'; readonly retryAt: Instant }

/** A session that was ended, has expired, or never was. */
export type NotSignedIn = { readonly _tag: 'NotSignedIn' }

/** A text that is not an email address of printable ASCII characters, of at most 254. */
export type InvalidEmail = { readonly _tag: 'InvalidEmail' }

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

/** A session's id, which may be shown: `ses_` and 32 lowercase hexadecimal digits of a UUIDv7. The cookie has a token of its own. */
export type SessionId = string & { readonly SessionId: unique symbol }

/** 256 random bits in base64url: what a session's cookie or a sign-in link has. Only its SHA-256 digest is stored. */
export type Token = string & { readonly Token: unique symbol }

/** A SHA-256 digest in lowercase hexadecimal digits. */
export type Digest = string & { readonly Digest: unique symbol }

/** How a member signed in: with her password, by a link, or with an identity provider. */
export type SessionOpening = 'password' | 'link' | 'identity'

/** A member who is signed in, in one browser. */
export type Session = {
  readonly id: SessionId
  readonly member: MemberId
  readonly openedBy: SessionOpening
  readonly createdAt: Instant
  /** When a request last came with it, exact to a minute. */
  readonly lastSeenAt: Instant
  /** When it ends at the latest, however busy it is. */
  readonly expiresAt: Instant
  readonly address?: string
  /** What the browser says of itself, at most 255 characters. */
  readonly userAgent?: string
}

/** How long a session lasts without a request: 12 hours. */
export const SESSION_IDLE_MS = 12 * 3_600_000
/** How long a session lasts at most: 7 days. */
export const SESSION_MS = 7 * 24 * 3_600_000
/** How long an invitation's link can be used: 24 hours. */
export const INVITATION_MS = 24 * 3_600_000
/** How long the link for the first operator can be used: 15 minutes. */
export const FIRST_LINK_MS = 15 * 60_000
/** How long after signing in by a link a password can be set without the current one: 15 minutes. */
export const FRESH_LINK_MS = 15 * 60_000
/** By how much the clocks of two gateways may differ, in milliseconds: a moment so far ahead still counts as the present. */
export const CLOCK_SKEW_MS = 60_000

/** The form of a session's id. */
export const SESSION_ID_FORM = /^ses_[0-9a-f]{32}$/

/** Whether a text has the form of a session's id. */
export const isSessionId = (text: string): text is SessionId => SESSION_ID_FORM.test(text)

/** The session id made of a UUIDv7; its dashes are dropped. */
export const sessionIdOf = (uuid: string): SessionId => `ses_${uuid.replaceAll('-', '')}` as SessionId

/** For what wrong attempts are counted, and how long the next one must wait after them. */
export type AttemptName = {
  readonly name: string
  /** How many wrong attempts may follow each other without a delay. */
  readonly free: number
  /** The delay after as many; each further one doubles it. */
  readonly firstDelayMs: number
  readonly longestDelayMs: number
  /** In which time one wrong attempt is forgotten. */
  readonly forgetOneMs: number
}

/** The wrong attempts with a name: when all of them are forgotten, and when the next one may be made. */
export type Attempts = { readonly endsAt: Instant; readonly retryAt: Instant }

/** No attempt that counts. */
export const NO_ATTEMPTS: Attempts = { endsAt: 0, retryAt: 0 }

/** How many attempts are not forgotten at a moment. */
export const levelOf = ({ forgetOneMs }: AttemptName, { endsAt }: Attempts, at: Instant): number => Math.max(0, Math.ceil((endsAt - at) / forgetOneMs))

/**
 * The attempts after one more. They never count beyond the longest delay, so that it ends soon after the last of them.
 *
 * One that brings no delay leaves no moment behind: that of a gateway whose clock is ahead would be a delay at the others.
 */
export const withAttempt = (limit: AttemptName, before: Attempts, at: Instant): Attempts => {
  const endsAt = Math.min(Math.max(before.endsAt, at) + limit.forgetOneMs, at + mostOf(limit) * limit.forgetOneMs)
  const delayMs = delayOf(limit, { ...before, endsAt }, at)
  return { endsAt, retryAt: delayMs === 0 ? NO_ATTEMPTS.retryAt : at + delayMs }
}

/** The attempts without one that was counted at a moment; its delay ends unless a later one has brought another. */
export const withoutAttempt = (limit: AttemptName, before: Attempts, at: Instant): Attempts => ({
  endsAt: before.endsAt - limit.forgetOneMs,
  retryAt: before.retryAt === at + delayOf(limit, before, at) ? NO_ATTEMPTS.retryAt : before.retryAt,
})

/** Until when the next attempt must wait, of names with their attempts; undefined where it need not. */
export const delayedUntil = (all: ReadonlyArray<Attempts>, at: Instant): Instant | undefined => {
  const delays = all.filter(({ endsAt, retryAt }) => at < retryAt && at < endsAt).map(({ retryAt }) => retryAt)
  return delays.length === 0 ? undefined : Math.max(...delays)
}

const delayOf = (limit: AttemptName, attempts: Attempts, at: Instant): number => {
  const beyond = levelOf(limit, attempts, at) - limit.free
  return beyond < 0 ? 0 : Math.min(limit.longestDelayMs, limit.firstDelayMs * 2 ** beyond)
}

/** With how many attempts the delay has become the longest. */
const mostOf = ({ free, firstDelayMs, longestDelayMs }: AttemptName): number => free + Math.max(0, Math.ceil(Math.log2(longestDelayMs / firstDelayMs)))

/** The people who may sign in, the links by which they first do, and their passwords. Links and passwords are stored as digests only. */
export interface Members {
  /** One member; none if none has that id. */
  readonly find: (id: MemberId) => Promise<E.Either<PortFailure, Option<Member>>>
  /** The member with an email; none if none has it. */
  readonly withEmail: (email: Email) => Promise<E.Either<PortFailure, Option<Member>>>
  /** All members, or those with a role in a workspace, oldest first by their ids. */
  readonly list: (workspace?: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<Member>>>
  /**
   * Makes a link that signs the person with an email in once and gives her an access. A person who is no member yet becomes one with the given id, and without
   * any access. What the invitation adds to her rights waits until this link is taken; what it takes away, a higher role in the same workspace, is gone at once.
   * The link of an earlier invitation for the same (the same workspace, or all) no longer works; those for others do.
   *
   * The answer is the same whatever access the person has elsewhere. `entriesOf` is called with the member afterwards.
   * `UnknownWorkspace`: the role is in a workspace that does not exist.
   */
  readonly invite: (invitation: Invitation, entriesOf?: EntriesOf<Member>) => Promise<E.Either<UnknownWorkspace | PortFailure, Member>>
  /** The invitations whose links were not taken and have not expired: all, or those into a workspace, in the order of the members' ids. */
  readonly pending: (at: Instant, workspace?: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<PendingInvitation>>>
  /**
   * Takes access away, and invitations that wait for it: all of it, with the member and everything of hers, or that of one workspace; a member with none left
   * and none that waits is removed. Her sessions and links end where the member is removed. `entriesOf` is called with the member as she was.
   *
   * `MemberNotFound`: there is no such member, or she has no role in the workspace and no invitation into it. `LastOperator`: no operator would be left; concurrent removals leave one.
   */
  readonly remove: (id: MemberId, from: 'everywhere' | WorkspaceId, entriesOf?: EntriesOf<Member>) => Promise<E.Either<MemberNotFound | LastOperator | PortFailure, void>>
  /** Whether there is an operator. */
  readonly hasOperator: () => Promise<E.Either<PortFailure, boolean>>
  /** Stores a link that makes the first operator. It works only while there is no operator. */
  readonly addFirstLink: (link: Link) => Promise<E.Either<PortFailure, void>>
  /** What a link is for, without using it up; none if it is unusable, as `takeLink` says. */
  readonly peekLink: (digest: Digest, at: Instant) => Promise<E.Either<PortFailure, Option<LinkPurpose>>>
  /**
   * Uses a link up. Right: the member whom it signs in, with the access of its invitation. A link for the first operator makes the person of `first` an
   * operator, and a member if she is none; of concurrent uses of one link, and of all links for the first operator, exactly one succeeds.
   *
   * Whoever used the member before need not be the person who has this link, so her password is forgotten and her sessions end in the same step. Only those
   * that an identity provider vouched for stay.
   *
   * `LinkUnusable`: it was used, was replaced, has expired or never was; it is for the first operator and there is an operator or no `first`; its invitation
   * is `onlyHere` and the member has access elsewhere by now: the link stays as it is then.
   */
  readonly takeLink: (
    digest: Digest, at: Instant, first: { readonly id: MemberId; readonly email: Email } | undefined, entriesOf?: EntriesOf<Member>,
  ) => Promise<E.Either<LinkUnusable | PortFailure, Member>>
  /**
   * Accepts every invitation of a member that waits, for an identity provider vouches for the person. Right: the member with their accesses. If there was one,
   * her password is forgotten and her sessions end as by a link; `entriesOf` is called with her then. `MemberNotFound`: there is no such member.
   */
  readonly acceptAll: (id: MemberId, at: Instant, entriesOf?: EntriesOf<Member>) => Promise<E.Either<MemberNotFound | PortFailure, Member>>
  /** The member with an email, with the digest of her password if she has one; none if none has the email. */
  readonly withPassword: (email: Email) => Promise<E.Either<PortFailure, Option<{ readonly member: Member; readonly passwordDigest: string | undefined }>>>
  /**
   * Replaces a member's password and ends her sessions but `keep`, and those of her links that would add nothing to her rights, in the same step.
   * Invitations that still wait stay. `entriesOf` is called with the member.
   */
  readonly setPassword: (id: MemberId, passwordDigest: string, keep: SessionId, entriesOf?: EntriesOf<Member>) => Promise<E.Either<MemberNotFound | PortFailure, void>>
  /** The member of a person at an identity provider; none if no member has that identity. */
  readonly withIdentity: (identity: Identity) => Promise<E.Either<PortFailure, Option<Member>>>
  /**
   * Joins a member to a person at an identity provider. Right: whether the identity is the member's now. It is not where the identity was joined to another
   * member, and where the member was joined to another person of the same issuer: an email that got a new owner does not take its member along.
   */
  readonly joinIdentity: (id: MemberId, identity: Identity) => Promise<E.Either<MemberNotFound | PortFailure, boolean>>
}

/** Access for the person with an email, with a link. */
export type Invitation = {
  readonly id: MemberId
  readonly email: Email
  readonly access: Access
  readonly at: Instant
  readonly link: Link
  /** Who invites, in words, at most 254 characters. */
  readonly invitedBy: string
  /** Whether the link works only for a person without access elsewhere: the owner who invites sees the link, and could sign in as that person. */
  readonly onlyHere: boolean
}

/** A link that signs in once, by the digest of its token. It no longer works at `expiresAt`. */
export type Link = { readonly digest: Digest; readonly expiresAt: Instant }

/** Whom a link signs in. */
export type LinkPurpose = { readonly _tag: 'Member'; readonly email: Email } | { readonly _tag: 'FirstOperator' }

/** A person at an identity provider: the provider's issuer, and its name for the person (`sub`). */
export type Identity = { readonly issuer: string; readonly subject: string }

/** Who is signed in. The token of a session is stored as a digest only. */
export interface Sessions {
  /**
   * Begins a session of a member, whose last sign-in it is from then on. `entriesOf` is called in the same step. `MemberNotFound`: there is no such member, or her
   * credentials were changed since they had the given version, so that a sign-in with the old credentials opens none.
   */
  readonly open: (session: Session, digest: Digest, entriesOf?: EntriesOf<Session>, credentialsVersion?: number) => Promise<E.Either<MemberNotFound | PortFailure, void>>
  /**
   * The session of a token with its member as she is now; none if it was ended, has expired or was idle for too long, or the member was removed.
   * It notes the request, exact to a minute. The moment of a gateway whose clock is up to `CLOCK_SKEW_MS` behind changes nothing for the worse.
   */
  readonly find: (digest: Digest, at: Instant) => Promise<E.Either<PortFailure, Option<{ readonly session: Session; readonly member: Member }>>>
  /**
   * What sessions may do now, asked for many in one step: the rights of those that have not ended, but only in the given workspaces, and which of those are
   * archived. It is no request of theirs, so it is not noted as one.
   */
  readonly standing: (sessions: ReadonlyArray<SessionId>, workspaces: ReadonlyArray<WorkspaceId>, at: Instant) => Promise<E.Either<PortFailure, Standing>>
  /** A member's sessions that have not ended, the one last seen first. */
  readonly list: (member: MemberId, at: Instant) => Promise<E.Either<PortFailure, ReadonlyArray<Session>>>
  /** Ends sessions of a member: the given ones, or all but `except`. Right: how many it ended. `entriesOf` is called with those that it ended, if any. */
  readonly end: (
    member: MemberId, which: { readonly only: ReadonlyArray<SessionId> } | { readonly except: SessionId | undefined }, at: Instant,
    entriesOf?: EntriesOf<ReadonlyArray<Session>>,
  ) => Promise<E.Either<PortFailure, number>>
  /**
   * Counts an attempt for each name (of an email, of a network address) as a wrong one, before it is known to be; `TooManyAttempts` if one of them must wait
   * for the end of a delay, and then none counts. `withAttempt` says what each makes of a name. Concurrent attempts, on any gateway, never pass a delay.
   */
  readonly countAttempt: (names: ReadonlyArray<AttemptName>, at: Instant) => Promise<E.Either<TooManyAttempts | PortFailure, void>>
  /** Whether an attempt with each name may be made now: refuses as `countAttempt` would, and counts nothing. So what must wait is known before any work is done for it. */
  readonly mayAttempt: (names: ReadonlyArray<AttemptName>, at: Instant) => Promise<E.Either<TooManyAttempts | PortFailure, void>>
  /** Takes back an attempt that was counted at a moment and turned out not to be wrong, by `withoutAttempt`. A name that has none is passed over. */
  readonly uncountAttempt: (names: ReadonlyArray<AttemptName>, at: Instant) => Promise<E.Either<PortFailure, void>>
  /** Forgets all attempts of names. */
  readonly clearAttempts: (names: ReadonlyArray<AttemptName>) => Promise<E.Either<PortFailure, void>>
  /** Deletes what has ended: sessions, links and attempts; at most `limit` of each. Right: how many. */
  readonly removeOld: (at: Instant, limit: number) => Promise<E.Either<PortFailure, number>>
}

/** What sessions may do at a moment, and which of their workspaces can only be read. */
export type Standing = {
  readonly rights: ReadonlyMap<SessionId, { readonly isOperator: boolean; readonly roles: ReadonlyMap<WorkspaceId, Role> }>
  readonly archived: ReadonlySet<WorkspaceId>
}
