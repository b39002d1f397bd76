import * as E from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { type Email, type Role, ROLES } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { MemberId, WorkspaceId } from '../kernel/ids.js'
import type { Language } from '../kernel/language.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'
import type { UnknownWorkspace } from '../kernel/workspace.js'

/** No member has this id or email; `member` is the given text. */
export type MemberNotFound = { readonly _tag: 'MemberNotFound'; readonly member: string }

/** Without this member no operator would be left. */
export type LastOperator = { readonly _tag: 'LastOperator' }

/** A link that was used, has expired, or never existed; which of these is never revealed. */
export type LinkUnusable = { readonly _tag: 'LinkUnusable' }

/** An email and a password that do not match; whether the email belongs to a member is never revealed. */
export type SignInRefused = { readonly _tag: 'SignInRefused' }

/** An identity provider confirms a person who may not sign in; `reason` is a sentence for people. */
export type IdentityRefused = { readonly _tag: 'IdentityRefused'; readonly reason: string }

/** Too many attempts to sign in, with one email or from one address; `retryAt` is when the next attempt is accepted. */
export type TooManyAttempts = { readonly _tag: 'TooManyAttempts'; readonly retryAt: Instant }

/** A session that was ended, has expired, or never existed. */
export type NotSignedIn = { readonly _tag: 'NotSignedIn' }

/** A text that is not an email address of printable ASCII characters, of at most 254. */
export type InvalidEmail = { readonly _tag: 'InvalidEmail' }

/** The access of a member: everything everywhere, or the rights of a role in a workspace. */
export type Access = { readonly _tag: 'Operator' } | { readonly _tag: 'Role'; readonly workspace: WorkspaceId; readonly role: Role }

/** A person who may sign in. */
export type Member = {
  readonly id: MemberId
  readonly email: Email
  readonly isOperator: boolean
  readonly roles: ReadonlyMap<WorkspaceId, Role>
  readonly createdAt: Instant
  /** When the member last signed in; undefined if never. */
  readonly lastSignInAt: Instant | undefined
  readonly hasPassword: boolean
  /** Counts the changes of the member's credentials. A proof from before a change opens no session after it. */
  readonly credentialsVersion: number
  /** The inviter of this person, as text; absent if that was not stored. It tells an operator how far to trust the existing access. */
  readonly invitedBy?: string
  /** The language in which the member gets e-mails; absent if it is not known. */
  readonly language?: Language
}

/** An invitation whose link was not used yet. Until then, the person does not have its access. */
export type PendingInvitation = {
  readonly member: MemberId
  readonly email: Email
  readonly access: Access
  /** The inviter, as text. */
  readonly invitedBy: string
  readonly expiresAt: Instant
  /** Whether the link does not work because the person has access elsewhere; an operator's own invitation always works. */
  readonly needsOperator: boolean
}

/** The maximum length of an email address, in characters (RFC 5321, section 4.5.3.1.3). */
export const MAX_EMAIL_LENGTH = 254

const EMAIL = /^[^\s@<>,;:"()[\]\\]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Reads an email address. Letter case does not count: no provider in use distinguishes people by it, and one person must not become two members.
 * Only printable ASCII is accepted, because similar-looking letters would let one person pose as another.
 */
export const parseEmail = (given: string): E.Either<InvalidEmail, Email> => {
  const typed = given.trim()
  // Checked before the text is lower-cased: the Kelvin sign would become a k.
  const isAscii = /^[!-~]+$/.test(typed)
  const email = typed.toLowerCase()
  return isAscii && email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email) ? E.right(email as Email) : E.left({ _tag: 'InvalidEmail' })
}

/** Whether a member has access to more than the workspace of an access. */
export const isElsewhere = ({ isOperator, roles }: Member, access: Access): boolean =>
  isOperator || [...roles.keys()].some((workspace) => access._tag === 'Operator' || workspace !== access.workspace)

/** Whether an access lets a member do more than before. A reduction takes effect immediately; an addition waits until the member accepts it. */
export const addsTo = ({ isOperator, roles }: Member, access: Access): boolean => {
  if (access._tag === 'Operator') return !isOperator
  const role = roles.get(access.workspace)
  return role === undefined || ROLES.indexOf(access.role) < ROLES.indexOf(role)
}

/** A member with an added access; it replaces the member's role in the same workspace. */
export const withAccess = (member: Member, access: Access): Member =>
  access._tag === 'Operator'
    ? { ...member, isOperator: true }
    : { ...member, roles: new Map([...member.roles, [access.workspace, access.role]]) }

/** Whether two accesses have the same scope: everything, or the same workspace. */
export const isForSame = (one: Access, other: Access): boolean =>
  (one._tag === 'Operator' ? other._tag === 'Operator' : other._tag === 'Role' && one.workspace === other.workspace)

/** A session's id, which may be shown: `ses_` and 32 lowercase hexadecimal digits of a UUIDv7. The cookie contains a separate token. */
export type SessionId = string & { readonly SessionId: unique symbol }

/** 256 random bits in base64url, in a session's cookie or a sign-in link. Only its SHA-256 digest is stored. */
export type Token = string & { readonly Token: unique symbol }

/** A SHA-256 digest in lowercase hexadecimal digits. */
export type Digest = string & { readonly Digest: unique symbol }

/** How a member signed in: with a password, by a link, or with an identity provider. */
export type SessionOpening = 'password' | 'link' | 'identity'

/** A member who is signed in, in one browser. */
export type Session = {
  readonly id: SessionId
  readonly member: MemberId
  readonly openedBy: SessionOpening
  readonly createdAt: Instant
  /** When the last request used it, exact to a minute. */
  readonly lastSeenAt: Instant
  /** When it ends at the latest, even if it is in use. */
  readonly expiresAt: Instant
  readonly address?: string
  /** The browser's User-Agent, at most 255 characters. */
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
/** The maximum difference between the clocks of two gateways, in milliseconds: a timestamp this far ahead still counts as the present. */
export const CLOCK_SKEW_MS = 60_000

/** The form of a session's id. */
export const SESSION_ID_FORM = /^ses_[0-9a-f]{32}$/

/** Whether a text has the form of a session's id. */
export const isSessionId = (text: string): text is SessionId => SESSION_ID_FORM.test(text)

/** The session id of a UUIDv7, without its dashes. */
export const sessionIdOf = (uuid: string): SessionId => `ses_${uuid.replaceAll('-', '')}` as SessionId

/** The name under which wrong attempts are counted, and the delays that follow them. */
export type AttemptName = {
  readonly name: string
  /** The number of wrong attempts in a row without a delay. */
  readonly free: number
  /** The delay after that number; each further attempt doubles it. */
  readonly firstDelayMs: number
  readonly longestDelayMs: number
  /** The time after which one wrong attempt is forgotten. */
  readonly forgetOneMs: number
}

/** The wrong attempts with a name: when all of them are forgotten, and when the next attempt may be made. */
export type Attempts = { readonly endsAt: Instant; readonly retryAt: Instant }

/** No attempt that counts. */
export const NO_ATTEMPTS: Attempts = { endsAt: 0, retryAt: 0 }

/** The number of attempts that are not forgotten at a given time. */
export const levelOf = ({ forgetOneMs }: AttemptName, { endsAt }: Attempts, at: Instant): number =>
  Math.max(0, Math.ceil((endsAt - at) / forgetOneMs))

/**
 * The attempts after another one. They never count beyond the longest delay, so that the delay ends soon after the last attempt.
 *
 * An attempt without a delay stores no time: the time of a gateway whose clock is ahead would be a delay on the other gateways.
 */
export const withAttempt = (limit: AttemptName, before: Attempts, at: Instant): Attempts => {
  const endsAt = Math.min(Math.max(before.endsAt, at) + limit.forgetOneMs, at + mostOf(limit) * limit.forgetOneMs)
  const delayMs = delayOf(limit, { ...before, endsAt }, at)
  return { endsAt, retryAt: delayMs === 0 ? NO_ATTEMPTS.retryAt : at + delayMs }
}

/** The attempts without an attempt that was counted at a given time; its delay ends unless a later attempt has caused another. */
export const withoutAttempt = (limit: AttemptName, before: Attempts, at: Instant): Attempts => ({
  endsAt: before.endsAt - limit.forgetOneMs,
  retryAt: before.retryAt === at + delayOf(limit, before, at) ? NO_ATTEMPTS.retryAt : before.retryAt,
})

/** Until when the next attempt must wait, given names with their attempts; undefined if it need not wait. */
export const delayedUntil = (all: ReadonlyArray<Attempts>, at: Instant): Instant | undefined => {
  const delays = all.filter(({ endsAt, retryAt }) => at < retryAt && at < endsAt).map(({ retryAt }) => retryAt)
  return delays.length === 0 ? undefined : Math.max(...delays)
}

const delayOf = (limit: AttemptName, attempts: Attempts, at: Instant): number => {
  const beyond = levelOf(limit, attempts, at) - limit.free
  return beyond < 0 ? 0 : Math.min(limit.longestDelayMs, limit.firstDelayMs * 2 ** beyond)
}

/** The number of attempts at which the delay reaches its maximum. */
const mostOf = ({ free, firstDelayMs, longestDelayMs }: AttemptName): number =>
  free + Math.max(0, Math.ceil(Math.log2(longestDelayMs / firstDelayMs)))

/** The people who may sign in, the links with which they first sign in, and their passwords. Links and passwords are stored only as digests. */
export interface Members {
  /** One member; none if no member has that id. */
  readonly find: (id: MemberId) => Promise<E.Either<PortFailure, Option<Member>>>
  /** The member with an email; none if no member has it. */
  readonly withEmail: (email: Email) => Promise<E.Either<PortFailure, Option<Member>>>
  /** All members, or those with a role in a workspace, oldest first by their ids. */
  readonly list: (workspace?: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<Member>>>
  /**
   * Creates a link that signs in the person with an email once and grants an access. A person who is not a member yet becomes one with the given id, and without
   * any access. Rights that the invitation adds wait until this link is used. Rights that it removes, such as a higher role in the same workspace, end immediately.
   * The link of an earlier invitation with the same scope (the same workspace, or all) no longer works; links of other scopes do.
   *
   * The result is the same whatever access the person has elsewhere. `outboxEntries` is called with the resulting member.
   * `UnknownWorkspace`: the role is in a workspace that does not exist.
   */
  readonly invite: (
    invitation: Invitation, outboxEntries?: MakeOutboxEntries<Member>,
  ) => Promise<E.Either<UnknownWorkspace | PortFailure, Member>>
  /** The invitations whose links were not used and have not expired: all, or those to one workspace, ordered by the members' ids. */
  readonly pending: (at: Instant, workspace?: WorkspaceId) => Promise<E.Either<PortFailure, ReadonlyArray<PendingInvitation>>>
  /**
   * Removes access and pending invitations for it: either everything, with the member and all their data, or those of one workspace. A member without any access
   * or pending invitation left is removed. The sessions and links of a removed member end. `outboxEntries` is called with the member before
   * the removal.
   *
   * `MemberNotFound`: the member does not exist, or has no role in the workspace and no invitation to it. `LastOperator`: no operator would be left; concurrent removals leave one.
   */
  readonly remove: (
    id: MemberId, from: 'everywhere' | WorkspaceId, outboxEntries?: MakeOutboxEntries<Member>,
  ) => Promise<E.Either<MemberNotFound | LastOperator | PortFailure, void>>
  /** Whether an operator exists. */
  readonly hasOperator: () => Promise<E.Either<PortFailure, boolean>>
  /** Stores a link that creates the first operator. It works only while no operator exists. */
  readonly addFirstLink: (link: Link) => Promise<E.Either<PortFailure, void>>
  /** The purpose of a link, without using it up; none if it is unusable, as `takeLink` defines. */
  readonly peekLink: (digest: Digest, at: Instant) => Promise<E.Either<PortFailure, Option<LinkPurpose>>>
  /**
   * Uses a link up. Right: the member whom it signs in, with the access of the invitation. A link for the first operator makes the person in `first` an
   * operator, and first a member if necessary; of concurrent uses of one link, and of all links for the first operator, exactly one succeeds.
   *
   * The previous user of the member may not be the person who has this link. So the member's password is deleted and their sessions end in the same step, except
   * sessions that an identity provider confirmed.
   *
   * `LinkUnusable`: it was used, was replaced, has expired or never existed; or it is for the first operator and an operator exists or `first` is absent; or its invitation
   * is `onlyHere` and the member now has access elsewhere, in which case the link stays as it is.
   */
  readonly takeLink: (
    digest: Digest, at: Instant, first: { readonly id: MemberId; readonly email: Email } | undefined,
    outboxEntries?: MakeOutboxEntries<Member>,
  ) => Promise<E.Either<LinkUnusable | PortFailure, Member>>
  /**
   * Accepts every pending invitation of a member, because an identity provider confirms the person. Right: the member with their accesses. If there was an invitation,
   * the member's password is deleted and their sessions end as with a link, and `outboxEntries` is called with the member.
   * `MemberNotFound`: the member does not exist.
   */
  readonly acceptAll: (
    id: MemberId, at: Instant, outboxEntries?: MakeOutboxEntries<Member>,
  ) => Promise<E.Either<MemberNotFound | PortFailure, Member>>
  /** The member with an email, with the digest of their password, if any; none if no member has the email. */
  readonly withPassword: (email: Email) =>
    Promise<E.Either<PortFailure, Option<{ readonly member: Member; readonly passwordDigest: string | undefined }>>>
  /**
   * Replaces a member's password. In the same step it ends their sessions except `keep`, and those of their links that would add nothing to their rights.
   * Pending invitations stay. `outboxEntries` is called with the member.
   */
  readonly setPassword: (
    id: MemberId, passwordDigest: string, keep: SessionId, outboxEntries?: MakeOutboxEntries<Member>,
  ) => Promise<E.Either<MemberNotFound | PortFailure, void>>
  /** Sets the language in which a member gets e-mails. If the member does not exist, nothing changes. */
  readonly setLanguage: (id: MemberId, language: Language) => Promise<E.Either<PortFailure, void>>
  /** The member for a person at an identity provider; none if no member has that identity. */
  readonly withIdentity: (identity: Identity) => Promise<E.Either<PortFailure, Option<Member>>>
  /**
   * Links a member to a person at an identity provider. Right: whether the identity now belongs to the member. It does not if the identity is linked to another
   * member, or if the member is linked to another person of the same issuer: the new owner of an email does not get its member.
   */
  readonly joinIdentity: (id: MemberId, identity: Identity) => Promise<E.Either<MemberNotFound | PortFailure, boolean>>
}

/** An access for the person with an email, with a link. */
export type Invitation = {
  readonly id: MemberId
  readonly email: Email
  readonly access: Access
  readonly at: Instant
  readonly link: Link
  /** The inviter, as text, at most 254 characters. */
  readonly invitedBy: string
  /** Whether the link works only for a person without access elsewhere: the inviting owner sees the link, and could sign in as that person. */
  readonly onlyHere: boolean
}

/** A link that signs in once, by the digest of its token. It no longer works at `expiresAt`. */
export type Link = { readonly digest: Digest; readonly expiresAt: Instant }

/** The person whom a link signs in. */
export type LinkPurpose = { readonly _tag: 'Member'; readonly email: Email } | { readonly _tag: 'FirstOperator' }

/** A person at an identity provider: the provider's issuer, and its name for the person (`sub`). */
export type Identity = { readonly issuer: string; readonly subject: string }

/** The signed-in sessions. The token of a session is stored only as a digest. */
export interface Sessions {
  /**
   * Opens a session of a member and records it as the last sign-in. `outboxEntries` is called in the same step. `MemberNotFound`: the
   * member does not exist, or the credentials were changed since the given version, so that a sign-in with old credentials opens no
   * session.
   */
  readonly open: (
    session: Session, digest: Digest, outboxEntries?: MakeOutboxEntries<Session>, credentialsVersion?: number,
  ) => Promise<E.Either<MemberNotFound | PortFailure, void>>
  /**
   * The session of a token with the current data of its member; none if it was ended, has expired or was idle for too long, or the member was removed.
   * It records the request, exact to a minute. The time of a gateway whose clock is up to `CLOCK_SKEW_MS` behind never worsens the stored time.
   */
  readonly find: (
    digest: Digest, at: Instant,
  ) => Promise<E.Either<PortFailure, Option<{ readonly session: Session; readonly member: Member }>>>
  /**
   * The current rights of many sessions, read in one step: only of sessions that have not ended, and only in the given workspaces; also which of these are
   * archived. This does not count as a request of the sessions, so it is not recorded as one.
   */
  readonly standing: (
    sessions: ReadonlyArray<SessionId>, workspaces: ReadonlyArray<WorkspaceId>, at: Instant,
  ) => Promise<E.Either<PortFailure, Standing>>
  /** A member's sessions that have not ended, the most recently used first. */
  readonly list: (member: MemberId, at: Instant) => Promise<E.Either<PortFailure, ReadonlyArray<Session>>>
  /**
   * Ends sessions of a member: the given ones, or all except `except`. Right: how many it ended. `outboxEntries` is called with the ended
   * sessions, if any.
   */
  readonly end: (
    member: MemberId, which: { readonly only: ReadonlyArray<SessionId> } | { readonly except: SessionId | undefined }, at: Instant,
    outboxEntries?: MakeOutboxEntries<ReadonlyArray<Session>>,
  ) => Promise<E.Either<PortFailure, number>>
  /**
   * Counts an attempt for each name (of an email, of a network address) as wrong, before the result is known; `TooManyAttempts` if one of the names must wait
   * for the end of a delay, and then none counts. `withAttempt` is the rule for each name. Concurrent attempts, on any gateway, never bypass a delay.
   */
  readonly countAttempt: (names: ReadonlyArray<AttemptName>, at: Instant) => Promise<E.Either<TooManyAttempts | PortFailure, void>>
  /** Whether an attempt with each name may be made now: refuses like `countAttempt`, and counts nothing. So an attempt that must wait is refused before any work is done for it. */
  readonly mayAttempt: (names: ReadonlyArray<AttemptName>, at: Instant) => Promise<E.Either<TooManyAttempts | PortFailure, void>>
  /** Takes back an attempt that was counted at a given time and turned out not to be wrong, by `withoutAttempt`. A name without attempts is skipped. */
  readonly uncountAttempt: (names: ReadonlyArray<AttemptName>, at: Instant) => Promise<E.Either<PortFailure, void>>
  /** Forgets all attempts of names. */
  readonly clearAttempts: (names: ReadonlyArray<AttemptName>) => Promise<E.Either<PortFailure, void>>
  /** Deletes expired sessions, links and attempts; at most `limit` of each. Right: how many. */
  readonly removeOld: (at: Instant, limit: number) => Promise<E.Either<PortFailure, number>>
}

/** The rights of sessions at a given time, and which of their workspaces are read-only. */
export type Standing = {
  readonly rights: ReadonlyMap<SessionId, { readonly isOperator: boolean; readonly roles: ReadonlyMap<WorkspaceId, Role> }>
  readonly archived: ReadonlySet<WorkspaceId>
}
