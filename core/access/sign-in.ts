import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Actor, auditActorOf, type AuditEntry, type Email, type MemberPrincipal } from '../kernel/actor.js'
import { mayBeSecret, type PortFailure } from '../kernel/failure.js'
import type { MemberId, WorkspaceId } from '../kernel/ids.js'
import type { Language } from '../kernel/language.js'
import { networkOf, siteOf, type TooManyRequests } from '../kernel/limits.js'
import type { OutboxEntry } from '../kernel/outbox.js'
import { beginningOf } from '../kernel/text.js'
import { type Clock, DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../kernel/time.js'
import type { ActDeps } from './acting.js'
import {
  type Access, type AttemptName, type Digest, type Identity, type IdentityRefused, type Member, type MemberNotFound, type Members,
  type NotSignedIn, parseEmail, type Session, SESSION_MS, type SessionId, type SessionOpening, type Sessions, type SignInRefused,
  type Token, type TooManyAttempts,
} from './members.js'
import {
  comparablePassword, MAX_PASSWORD_LENGTH, type PasswordHashCaller, type PasswordHasher, type PasswordHashQueue,
} from './passwords.js'

/** The network address, the browser and the language of a sign-in. */
export type SignInPlace = {
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
  readonly language?: Language | undefined
}

/** An email and a password as typed, and the device token that the browser stored at an earlier sign-in. */
export type SignInCommand = SignInPlace & { readonly email: string; readonly password: string; readonly device?: string | undefined }

/** An identity provider's data about a person, already verified to come from it. Only a verified email counts. */
export type IdentityCommand = SignInPlace & {
  readonly identity: Identity
  readonly email: string | undefined
  readonly isEmailVerified: boolean
}

/** The token of a link; the first operator also gives an email. */
export type TakeLinkCommand = SignInPlace & { readonly token: string; readonly email?: string | undefined }

/** A new session; its token goes into the cookie and can be shown only once. `device` goes into another cookie, after a sign-in with a password. */
export type SignedIn = {
  readonly token: Token
  readonly session: Session
  readonly principal: MemberPrincipal
  readonly hasPassword: boolean
  readonly device?: string
}

/** A session that is in use, and its principal. */
export type Authenticated = { readonly session: Session; readonly principal: MemberPrincipal; readonly hasPassword: boolean }

/** `current` is required if the member has a password and did not sign in by a link within the last 15 minutes. All other sessions of the member end. */
export type SetPasswordCommand = SignInPlace & {
  readonly signedIn: Authenticated
  readonly current?: string | undefined
  readonly password: string
}

/** Ends the person's own sessions: one, the others, or all. */
export type EndSessionsCommand = {
  readonly signedIn: Authenticated
  readonly which: 'others' | 'all' | { readonly id: SessionId }
  readonly address?: string | undefined
}

/** The email and the access to grant. An owner may grant roles in their own workspace; only an operator can create operators. */
export type InviteCommand = { readonly by: Actor; readonly email: string; readonly access: Access }

/** The member and the token of the link that signs them in once. `known` shows an operator the existing access of a known person, and the inviter. */
export type Invited = {
  readonly member: MemberId
  readonly email: Email
  readonly token: Token
  readonly expiresAt: Instant
  readonly known?: Member
}

/** The member whose access ends: everywhere (for operators), or in one workspace. */
export type RemoveMemberCommand = { readonly by: Actor; readonly email: string; readonly from: 'everywhere' | WorkspaceId }

/** The common dependencies of the use cases of members: the audit log, the clock, and the digest under which tokens are stored. */
export type MemberDeps = ActDeps & {
  /** The SHA-256 digest of a text. */
  readonly digestOf: (text: string) => Digest
  readonly now: Clock
}

/** An audit entry for acts of people on their own sign-in, which require no role; none without an audit log. */
export const ownEntry = ({ audit }: ActDeps, entry: Omit<AuditEntry, 'id' | 'at'>): ReadonlyArray<OutboxEntry & AuditEntry> =>
  (audit === undefined ? [] : [{ id: audit.newAuditId(), at: audit.now(), ...entry }])

/** Appends the entry of a refusal, and returns the refusal; a `PortFailure` is not a refusal and gets no entry. */
export const noteRefusal = async <Failure extends { readonly _tag: string }>(
  deps: ActDeps, failure: Failure, entry: Omit<AuditEntry, 'id' | 'at' | 'outcome'>,
): Promise<E.Either<Failure | PortFailure, never>> => {
  if (deps.audit === undefined || failure._tag === 'PortFailure') return E.left(failure)
  const refusal = { ...entry, outcome: 'refused' as const, details: { ...entry.details, reason: failure._tag } }
  const appended = await deps.audit.auditLog.append(ownEntry(deps, refusal))
  return E.isLeft(appended) ? appended : E.left(failure)
}

/** A person who is not signed in, with the given email if it has the form of one: a password in the wrong field stays out of the audit log. */
export const someone = (given: string | undefined): Pick<AuditEntry, 'by'> => {
  const email = parseEmail(given ?? '')
  return { by: { type: 'unknown', ...(E.isRight(email) && { email: email.right }) } }
}

/** The principal of a member. */
export const principalOf = ({ id, email, isOperator, roles }: Member): MemberPrincipal =>
  ({ _tag: 'Member', member: id, email, isOperator, roles })

/** The acting member, and their network address. */
export const byMember = (principal: MemberPrincipal, address: string | undefined): Pick<AuditEntry, 'by' | 'address'> => ({
  by: auditActorOf({ principal }), ...addressOf(address),
})

/** The network address of an entry, if it is known. */
export const addressOf = (address: string | undefined): Pick<AuditEntry, 'address'> => (address === undefined ? {} : { address })

/** A service that knows the people of a company and confirms their identity. */
export interface IdentityProvider {
  /**
   * Starts a sign-in. The browser is sent to `url`, and returns to `redirectUri` with the provider's answer in the query.
   * `PortFailure`: the provider does not respond; the next call asks it again.
   */
  readonly begin: (redirectUri: string) => Promise<E.Either<PortFailure, BegunSignIn>>
  /**
   * Completes a sign-in: `callbackUrl` is the address with which the browser returned, `pending` the value that it stored meanwhile; undefined if it stored none.
   *
   * `IdentityRefused`: the answer does not belong to this sign-in, was used before, arrived after `PENDING_MS`, or does not admit the person.
   * `PortFailure`: the provider does not respond, or its answer cannot be understood.
   */
  readonly finish: (callbackUrl: string, pending: string | undefined) => Promise<E.Either<IdentityRefused | PortFailure, ProvenIdentity>>
}

/** The maximum duration of a sign-in at the provider: 10 minutes. */
export const PENDING_MS = 10 * 60_000

/** A started sign-in. `pending` is only for the browser that started it: without it the provider's answer is useless. */
export type BegunSignIn = { readonly url: string; readonly pending: string }

/** A person whom a provider confirms. The email counts as the person's own only if `isEmailVerified`. */
export type ProvenIdentity = { readonly identity: Identity; readonly email: string | undefined; readonly isEmailVerified: boolean }

/** The dependencies of opening a session. */
export type OpenSessionDeps = MemberDeps & {
  readonly members: Pick<Members, 'setLanguage'>
  readonly sessions: Pick<Sessions, 'open'>
  /** 256 random bits in base64url. */
  readonly newToken: () => Token
  /** A new id, which sorts after the previous ones. */
  readonly newSessionId: () => SessionId
}

/** The member of a session, how they signed in, and from where. */
export type Opening = SignInPlace & { readonly member: Member; readonly openedBy: SessionOpening }

/** The maximum length of the texts that a session stores about a browser and an address. */
const MAX_USER_AGENT_LENGTH = 255
const MAX_ADDRESS_LENGTH = 64

/**
 * Opens a session with a new token, whatever token the browser had before: a token that an attacker knows is never signed in. The language of the sign-in becomes
 * that of a member without one.
 */
export const openSession = async (
  deps: OpenSessionDeps, { member, openedBy, address, userAgent, language }: Opening,
): Promise<E.Either<MemberNotFound | PortFailure, SignedIn>> => {
  const at = deps.now()
  const token = deps.newToken()
  const session: Session = {
    id: deps.newSessionId(), member: member.id, openedBy, createdAt: at, lastSeenAt: at, expiresAt: at + SESSION_MS,
    ...(address !== undefined && { address: beginningOf(address, MAX_ADDRESS_LENGTH) }),
    ...(userAgent !== undefined && !mayBeSecret(userAgent) && { userAgent: beginningOf(userAgent, MAX_USER_AGENT_LENGTH) }),
  }
  const principal = principalOf(member)
  const outboxEntries = () =>
    ownEntry(deps, {
      ...byMember(principal, address), act: 'member.sign_in', outcome: 'done', subject: session.id, details: { with: openedBy },
    })
  const opened = await deps.sessions.open(session, deps.digestOf(token), outboxEntries, member.credentialsVersion)
  if (E.isLeft(opened)) return opened
  // If this fails, the member is signed in anyway: the next sign-in stores the language.
  if (language !== undefined && member.language === undefined) await deps.members.setLanguage(member.id, language)
  return E.right({ token, session, principal, hasPassword: member.hasPassword })
}

/** How long a browser stays known after a sign-in with a password: 180 days. */
export const DEVICE_MS = 180 * DAY_MS

/** The dependencies of a known device. */
export type DeviceDeps = {
  readonly members: Pick<Members, 'withPassword'>
  /** 256 random bits in base64url. */
  readonly newToken: () => Token
  /** An HMAC of a text with a key, by SHA-256, in base64url or hexadecimal digits. */
  readonly signatureOf: (key: string, text: string) => string
}

/** A member, and the digest of their password, which signs their devices. */
type Credentials = { readonly member: Member; readonly passwordDigest?: string | undefined }

/**
 * The value that a browser stores after a sign-in with a password, so that wrong passwords of others do not delay its owner: a name, a timestamp and a signature.
 *
 * The key is the digest of the member's password, which has a random salt and never leaves the storage. So all gateways recognise a device, but only for this member, and
 * forget it when the member's password changes.
 */
export const newDevice = (deps: DeviceDeps, of: Credentials, at: Instant): string | undefined => {
  const named = `${deps.newToken()}.${at}`
  const signature = signatureFor(deps, of, named)
  return signature === undefined ? undefined : `${named}.${signature}`
}

/** The name of a known device of the member with an email; undefined if it is not known. */
export const knownDevice = async (
  deps: DeviceDeps, email: Email, given: string | undefined, at: Instant,
): Promise<E.Either<PortFailure, string | undefined>> => {
  const [, named, name, since, signature] = DEVICE.exec(given ?? '') ?? []
  if (named === undefined || at >= Number(since) + DEVICE_MS) return E.right(undefined)
  const found = await deps.members.withPassword(email)
  if (E.isLeft(found)) return found
  const expected = O.isSome(found.right) ? signatureFor(deps, found.right.value, named) : undefined
  return E.right(expected !== undefined && isSame(expected, signature ?? '') ? name : undefined)
}

const DEVICE = /^(([\w-]{20,64})\.(\d{1,15}))\.([\w-]{43,64})$/

const signatureFor = ({ signatureOf }: DeviceDeps, { member, passwordDigest }: Credentials, named: string): string | undefined =>
  (passwordDigest === undefined ? undefined : signatureOf(passwordDigest, `device ${member.id} ${member.credentialsVersion} ${named}`))

/** Compares two texts in a time that does not depend on where they differ. */
const isSame = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}

/** The limits of one guessing client: after five wrong passwords a second, then twice as long each time, up to 15 minutes. One is forgotten per hour. */
export const GUESS_LIMITS = { free: 5, firstDelayMs: SECOND_MS, longestDelayMs: 15 * MINUTE_MS, forgetOneMs: HOUR_MS }

/** The limits of all attempts with one email: many addresses that guess together make half a guess a second, and the owner can still sign in. */
export const EMAIL = { free: 20, firstDelayMs: SECOND_MS / 4, longestDelayMs: 2 * SECOND_MS, forgetOneMs: 2 * MINUTE_MS }

/** The limits of all attempts from one network, such as an office: a hundred mistakes an hour are free. */
export const NETWORK = { free: 100, firstDelayMs: SECOND_MS / 4, longestDelayMs: 5 * SECOND_MS, forgetOneMs: HOUR_MS / 100 }

/** The attempts with an email from a network address. */
export const guesserAttempts = (email: Email, address: string | undefined): AttemptName =>
  ({ name: `password of ${email} from ${address === undefined ? 'nowhere' : networkOf(address)}`, ...GUESS_LIMITS })

/** The name under which wrong passwords for an email are counted, from all addresses together. */
export const emailAttempts = (email: Email): AttemptName => ({ name: `password of ${email}`, ...EMAIL })

/** The attempts from a network address; none if it is unknown. */
export const addressAttempts = (address: string | undefined): ReadonlyArray<AttemptName> =>
  (address === undefined ? [] : [{ name: `network ${networkOf(address)}`, ...NETWORK }])

/** The attempts from a device that is known for a member: attempts of others do not delay it. */
export const deviceAttempts = (device: string): AttemptName => ({ name: `password on ${device}`, ...GUESS_LIMITS })

/** The attempts of a person who is already signed in: an attacker who has obtained a session must not be able to guess the password with it. */
export const sessionAttempts = (session: SessionId): AttemptName => ({ name: `password in ${session}`, ...GUESS_LIMITS })

/** Signs in with an email and a password. */
export type SignIn =
  (command: SignInCommand) => Promise<E.Either<SignInRefused | TooManyAttempts | TooManyRequests | PortFailure, SignedIn>>

/** The dependencies of signing in with a password. */
export type SignInDeps = OpenSessionDeps & DeviceDeps & {
  readonly sessions: Pick<Sessions, 'open' | 'mayAttempt' | 'countAttempt' | 'uncountAttempt' | 'clearAttempts'>
  readonly passwords: Pick<PasswordHasher, 'verify'>
  /** The queue in which passwords are verified; without it, they are verified immediately. */
  readonly passwordHashQueue?: PasswordHashQueue
}

/**
 * An attempt that must wait for the end of a delay is refused first. Then the password waits for its slot, and only then is the attempt counted, so a flood causes no more
 * work and no more records than there are slots. The attempt counts as wrong before the password is verified, so that concurrent guesses do not bypass a delay.
 * Neither the answer nor the amount of work reveals whether a member has the email. A success is taken back, and deletes the wrong passwords with the email
 * from the same address. Those with the email alone and from the address stay; otherwise an attacker with an account could keep guessing other people's passwords.
 */
export const makeSignIn =
  (deps: SignInDeps): SignIn =>
  async (command) => {
    const email = E.getOrElseW(() => undefined)(parseEmail(command.email))
    const known = email === undefined ? E.right(undefined) : await knownDevice(deps, email, command.device, deps.now())
    if (E.isLeft(known)) return known
    const names = attemptsOf(email, command.address, known.right)
    const may = await deps.sessions.mayAttempt([...names.own, ...names.shared], deps.now())
    if (E.isLeft(may)) return may
    const of = known.right === undefined ? anonymous(command.address) : knownAs(email ?? '')
    return inTurn(deps, of, () => attempt(deps, command, { email, names, isKnown: known.right !== undefined }))
  }

/** Runs work in a slot, if slots are limited. */
export const inTurn = async <Failure, A>(
  { passwordHashQueue }: Pick<SignInDeps, 'passwordHashQueue'>, of: PasswordHashCaller, work: () => Promise<E.Either<Failure, A>>,
): Promise<E.Either<Failure | TooManyRequests, A>> => {
  const turn = await passwordHashQueue?.take(of)
  if (turn === undefined) return work()
  if (E.isLeft(turn)) return turn
  let wasRight = false
  try {
    const done = await work()
    wasRight = E.isRight(done)
    return done
  } finally {
    turn.right.end(wasRight)
  }
}

/** The slots of a caller that is known by a name. */
export const knownAs = (name: string): PasswordHashCaller => ({ _tag: 'Known', name })

const anonymous = (address: string | undefined): PasswordHashCaller => ({ _tag: 'Anonymous', network: siteOf(address) })

/** The names under which an attempt counts. */
type Names = { readonly own: ReadonlyArray<AttemptName>; readonly shared: ReadonlyArray<AttemptName> }

const attempt = async (
  deps: SignInDeps, { email: given, password, device, ...place }: SignInCommand,
  { email, names: { own, shared }, isKnown }: { readonly email: Email | undefined; readonly names: Names; readonly isKnown: boolean },
): Promise<E.Either<SignInRefused | TooManyAttempts | PortFailure, SignedIn>> => {
  const at = deps.now()
  const counted = await deps.sessions.countAttempt([...own, ...shared], at)
  if (E.isLeft(counted)) return counted
  const opened = await open(deps, { email, password, place })
  if (E.isLeft(opened)) {
    if (opened.left._tag === 'SignInRefused') {
      return noteRefusal(deps, opened.left, { ...someone(given), ...addressOf(place.address), act: 'member.sign_in' })
    }
    // A password that could not be verified was not wrong.
    await deps.sessions.uncountAttempt([...own, ...shared], at)
    return opened
  }
  const uncounted = await deps.sessions.uncountAttempt(shared, at)
  if (E.isLeft(uncounted)) return uncounted
  const cleared = await deps.sessions.clearAttempts(own)
  if (E.isLeft(cleared)) return cleared
  return E.right(isKnown && device !== undefined ? { ...opened.right, device } : opened.right)
}

/** The names under which a wrong password counts: those that a success deletes, and those that it keeps. A known device has only its own limit. */
const attemptsOf = (email: Email | undefined, address: string | undefined, device: string | undefined): Names => {
  if (device !== undefined) return { own: [deviceAttempts(device)], shared: [] }
  if (email === undefined) return { own: [], shared: addressAttempts(address) }
  return { own: [guesserAttempts(email, address)], shared: [emailAttempts(email), ...addressAttempts(address)] }
}

type Attempt = { readonly email: Email | undefined; readonly password: string; readonly place: SignInPlace }

/** Opens a session if the password belongs to the member with the email. */
const open = async (deps: SignInDeps, { email, password, place }: Attempt): Promise<E.Either<SignInRefused | PortFailure, SignedIn>> => {
  const known = email === undefined ? E.right(O.none) : await deps.members.withPassword(email)
  if (E.isLeft(known)) return known
  const found = O.toUndefined(known.right)
  const verified = await verify(deps, password, found?.passwordDigest)
  if (E.isLeft(verified)) return verified
  if (found === undefined || !verified.right) return E.left(REFUSED)
  const opened = await openSession(deps, { ...place, member: found.member, openedBy: 'password' })
  if (E.isLeft(opened)) return opened.left._tag === 'PortFailure' ? E.left(opened.left) : E.left(REFUSED)
  const device = newDevice(deps, found, deps.now())
  return E.right({ ...opened.right, ...(device !== undefined && { device }) })
}

/** Whether a password matches a digest. A password that is too long to be valid is not computed. */
export const verify = (
  { passwords }: { readonly passwords: Pick<PasswordHasher, 'verify'> }, given: string, digest: string | undefined,
): Promise<E.Either<PortFailure, boolean>> => {
  const password = comparablePassword(given)
  return [...password].length > MAX_PASSWORD_LENGTH ? passwords.verify('', undefined) : passwords.verify(password, digest)
}

const REFUSED: SignInRefused = { _tag: 'SignInRefused' }

/** Signs in a person whom an identity provider confirms. */
export type SignInWithIdentity = (command: IdentityCommand) => Promise<E.Either<IdentityRefused | PortFailure, SignedIn>>

/** The dependencies of signing in with an identity provider. */
export type SignInWithIdentityDeps = OpenSessionDeps & {
  readonly members: Pick<Members, 'withIdentity' | 'withEmail' | 'joinIdentity' | 'acceptAll'>
}

/**
 * The first time, a member is found by a verified email and linked to the person. From then on the person is identified by the provider's id,
 * whatever email the provider reports. Because the provider confirms the person, this accepts every pending invitation of the member.
 */
export const makeSignInWithIdentity =
  (deps: SignInWithIdentityDeps): SignInWithIdentity =>
  async (command) => {
    const joined = await deps.members.withIdentity(command.identity)
    if (E.isLeft(joined)) return joined
    const known = O.isSome(joined.right) ? E.right(joined.right.value) : await join(deps, command)
    const member = E.isLeft(known) ? known : await accept(deps, command, known.right)
    const signedIn = E.isLeft(member) ? member : await openSession(deps, { ...command, member: member.right, openedBy: 'identity' })
    if (E.isRight(signedIn) || signedIn.left._tag === 'PortFailure') return signedIn as E.Either<PortFailure, SignedIn>
    const refusal = signedIn.left._tag === 'IdentityRefused' ? signedIn.left : identityRefused(NO_ACCESS)
    return noteRefusal(deps, refusal, {
      ...someone(command.email), ...addressOf(command.address), act: 'member.sign_in',
      details: { with: 'identity', issuer: command.identity.issuer },
    })
  }

const accept = async (
  deps: SignInWithIdentityDeps, { address }: IdentityCommand, { id }: Member,
): Promise<E.Either<IdentityRefused | PortFailure, Member>> => {
  const accepted = await deps.members.acceptAll(id, deps.now(), (member) =>
    ownEntry(deps, { ...byMember(principalOf(member), address), act: 'member.accept_invitation', outcome: 'done', subject: member.email }))
  if (E.isLeft(accepted)) return accepted.left._tag === 'PortFailure' ? E.left(accepted.left) : E.left(identityRefused(NO_ACCESS))
  const { isOperator, roles } = accepted.right
  return isOperator || roles.size > 0 ? accepted : E.left(identityRefused(NO_ACCESS))
}

const join = async (
  { members }: SignInWithIdentityDeps, { identity, email: given, isEmailVerified }: IdentityCommand,
): Promise<E.Either<IdentityRefused | PortFailure, Member>> => {
  const email = parseEmail(given ?? '')
  if (E.isLeft(email)) return E.left(identityRefused('Your identity provider did not share your email; ask its administrator to share it with Postern'))
  if (!isEmailVerified) return E.left(identityRefused('Your identity provider has not verified your email, or does not say so; ask its administrator'))
  const found = await members.withEmail(email.right)
  if (E.isLeft(found)) return found
  if (O.isNone(found.right)) return E.left(identityRefused(NO_ACCESS))
  const joined = await members.joinIdentity(found.right.value.id, identity)
  if (E.isLeft(joined)) return joined.left._tag === 'PortFailure' ? E.left(joined.left) : E.left(identityRefused(NO_ACCESS))
  return joined.right ? E.right(found.right.value) : E.left(identityRefused(OTHER_PERSON))
}

const NO_ACCESS = 'No member has your email; ask an operator or an owner of your workspace for an invitation'
const OTHER_PERSON = 'The member with your email signs in with another account of your identity provider; ask an operator to remove and invite you again'

const identityRefused = (reason: string): IdentityRefused => ({ _tag: 'IdentityRefused', reason })

/** The member of a session, with their current rights. */
export type Authenticate = (command: { readonly token: string }) => Promise<E.Either<NotSignedIn | PortFailure, Authenticated>>

/** The dependencies of finding a session. */
export type AuthenticateDeps = Pick<MemberDeps, 'digestOf' | 'now'> & { readonly sessions: Pick<Sessions, 'find'> }

export const makeAuthenticate =
  ({ sessions, digestOf, now }: AuthenticateDeps): Authenticate =>
  async ({ token }) => {
    const found = await sessions.find(digestOf(token), now())
    if (E.isLeft(found)) return found
    if (O.isNone(found.right)) return E.left({ _tag: 'NotSignedIn' })
    const { session, member } = found.right.value
    return E.right({ session, principal: principalOf(member), hasPassword: member.hasPassword })
  }
