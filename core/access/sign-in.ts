import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Actor, auditActorOf, type AuditEntry, type Email, type MemberPrincipal } from '../kernel/actor.js'
import { mayBeSecret, type PortFailure } from '../kernel/failure.js'
import type { MemberId, WorkspaceId } from '../kernel/ids.js'
import { networkOf, siteOf, type TooManyRequests } from '../kernel/limits.js'
import type { OutboxEntry } from '../kernel/outbox.js'
import { beginningOf } from '../kernel/text.js'
import { type Clock, DAY_MS, HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../kernel/time.js'
import type { ActDeps } from './acting.js'
import {
  type Access, type AttemptName, type Digest, type Identity, type IdentityRefused, type Member, type MemberNotFound, type Members, type NotSignedIn, parseEmail,
  type Session, SESSION_MS, type SessionId, type SessionOpening, type Sessions, type SignInRefused, type Token, type TooManyAttempts,
} from './members.js'

/** A password that is too short, too long or too well known; `reason` is a sentence for people and never quotes it. */
export type InvalidPassword = { readonly _tag: 'InvalidPassword'; readonly reason: string }

/** From where a person signs in. */
export type SignInPlace = { readonly address?: string | undefined; readonly userAgent?: string | undefined }

/** An email and a password as they were typed, and what the browser kept of an earlier sign-in. */
export type SignInCommand = SignInPlace & { readonly email: string; readonly password: string; readonly device?: string | undefined }

/** What an identity provider says of a person, already verified to come from it. Only a verified email counts. */
export type IdentityCommand = SignInPlace & { readonly identity: Identity; readonly email: string | undefined; readonly isEmailVerified: boolean }

/** The token of a link; the first operator says her email. */
export type TakeLinkCommand = SignInPlace & { readonly token: string; readonly email?: string | undefined }

/** A new session; its token goes into the cookie and can be shown this once only. `device` goes into another cookie, after a sign-in with a password. */
export type SignedIn = {
  readonly token: Token; readonly session: Session; readonly principal: MemberPrincipal; readonly hasPassword: boolean; readonly device?: string
}

/** A session that is in use, and who it is. */
export type Authenticated = { readonly session: Session; readonly principal: MemberPrincipal; readonly hasPassword: boolean }

/** `current` is needed where the member has a password and has not come by a link within the last 15 minutes. All her other sessions end. */
export type SetPasswordCommand = SignInPlace & { readonly signedIn: Authenticated; readonly current?: string | undefined; readonly password: string }

/** Ends sessions of one's own: one, the others, or all. */
export type EndSessionsCommand = { readonly signedIn: Authenticated; readonly which: 'others' | 'all' | { readonly id: SessionId }; readonly address?: string | undefined }

/** Whom to give which access. An owner may give roles in her workspace; only an operator makes operators. */
export type InviteCommand = { readonly by: Actor; readonly email: string; readonly access: Access }

/** The member and the token of the link that signs her in once; `known` tells an operator what a person who was there before has, and who invited her. */
export type Invited = { readonly member: MemberId; readonly email: Email; readonly token: Token; readonly expiresAt: Instant; readonly known?: Member }

/** Whose access ends: everywhere (for operators), or in one workspace. */
export type RemoveMemberCommand = { readonly by: Actor; readonly email: string; readonly from: 'everywhere' | WorkspaceId }

/** What the use cases of members have in common: the audit log, the clock, and how a token becomes what is stored of it. */
export type MemberDeps = ActDeps & {
  /** The SHA-256 digest of a text. */
  readonly digestOf: (text: string) => Digest
  readonly now: Clock
}

/** An entry of what people do with their own sign-in, which need no role; none without an audit log. */
export const ownEntry = ({ audit }: ActDeps, entry: Omit<AuditEntry, 'id' | 'at'>): ReadonlyArray<OutboxEntry & AuditEntry> =>
  (audit === undefined ? [] : [{ id: audit.newAuditId(), at: audit.now(), ...entry }])

/** Appends the entry of what was refused, and answers with the refusal; a `PortFailure` is no refusal and has no entry. */
export const noteRefusal = async <Failure extends { readonly _tag: string }>(
  deps: ActDeps, failure: Failure, entry: Omit<AuditEntry, 'id' | 'at' | 'outcome'>,
): Promise<E.Either<Failure | PortFailure, never>> => {
  if (deps.audit === undefined || failure._tag === 'PortFailure') return E.left(failure)
  const refusal = { ...entry, outcome: 'refused' as const, details: { ...entry.details, reason: failure._tag } }
  const appended = await deps.audit.auditLog.append(ownEntry(deps, refusal))
  return E.isLeft(appended) ? appended : E.left(failure)
}

/** Someone who is not signed in, with the email that was given if it has the form of one: a password in the wrong field stays out of the audit log. */
export const someone = (given: string | undefined): Pick<AuditEntry, 'by'> => {
  const email = parseEmail(given ?? '')
  return { by: { type: 'unknown', ...(E.isRight(email) && { email: email.right }) } }
}

/** What a member may do. */
export const principalOf = ({ id, email, isOperator, roles }: Member): MemberPrincipal => ({ _tag: 'Member', member: id, email, isOperator, roles })

/** The member who acts, and from where. */
export const byMember = (principal: MemberPrincipal, address: string | undefined): Pick<AuditEntry, 'by' | 'address'> => ({
  by: auditActorOf({ principal }), ...addressOf(address),
})

/** The network address of an entry, if it is known. */
export const addressOf = (address: string | undefined): Pick<AuditEntry, 'address'> => (address === undefined ? {} : { address })

/** The shortest password, in characters. */
export const MIN_PASSWORD_LENGTH = 12
/** The longest password, in characters. */
export const MAX_PASSWORD_LENGTH = 200

/** A password in the form in which it is compared: keyboards differ in how they compose a character. */
export const comparablePassword = (given: string): string => given.normalize('NFKC')

/** Checks a new password: its length, and that it is not the first that an attacker would try. The answer is the password as it is compared. */
export const parsePassword = (given: string, email: Email): E.Either<InvalidPassword, string> => {
  const password = comparablePassword(given)
  const { length } = [...password]
  if (length < MIN_PASSWORD_LENGTH) return invalid(`A password has at least ${MIN_PASSWORD_LENGTH} characters`)
  if (length > MAX_PASSWORD_LENGTH) return invalid(`A password has at most ${MAX_PASSWORD_LENGTH} characters`)
  const plain = password.toLowerCase()
  if (plain.trim() === email) return invalid('The password must not be the email')
  return isCommon(plain) ? invalid('This password is one of the most common ones; choose another') : E.right(password)
}

const invalid = (reason: string): E.Either<InvalidPassword, never> => E.left({ _tag: 'InvalidPassword', reason })

/** Whether a text is a common one, or a short text over and over, such as `abcabcabcabc`. */
const isCommon = (plain: string): boolean => COMMON.has(plain) || /^(.{1,4})\1+.{0,3}$/su.test(plain)

/** Of the most common passwords of published leaks those that are long enough and are no repetition. */
const COMMON: ReadonlySet<string> = new Set([
  '123456789012', '1234567890123', '12345678901234', '123456789012345', '1234567890123456', '12345678910', '123456789101112', '12345678987654321',
  '098765432109', '0987654321098', '987654321098', '9876543210123', '1q2w3e4r5t6y', '1q2w3e4r5t6y7u', '1q2w3e4r5t6y7u8i', '1qaz2wsx3edc', '1qaz2wsx3edc4rfv',
  'q1w2e3r4t5y6', 'q1w2e3r4t5y6u7', 'qwertyuiop12', 'qwertyuiop123', 'qwertyuiop1234', 'qwertyuiop[]', 'qwertyuiopasdf', 'qwertyuiopasdfghjkl',
  'qwerty123456', 'qwerty1234567', 'qwerty12345678', 'qwerty123456789', 'qwertyqwerty', 'qwertyasdfgh', 'qwertyasdfzxcv', 'asdfghjkl123', 'asdfghjkl1234',
  'asdfghjklqwertyuiop', 'zxcvbnm12345', 'zxcvbnm123456', 'zxcvbnmasdfghjkl', 'password1234', 'password12345', 'password123456', 'password1234567',
  'password12345678', 'password123456789', 'password123!', 'password2024', 'password2025', 'password2026', 'passw0rd1234', 'p@ssw0rd1234', 'p@ssword1234',
  'p@ssw0rd123!', 'mypassword12', 'mypassword123', 'yourpassword', 'newpassword1', 'newpassword123', 'secretpassword', 'adminpassword', 'administrator',
  'administrator1', 'admin1234567', 'admin12345678', 'admin123456789', 'adminadmin123', 'rootpassword', 'iloveyou1234', 'iloveyou12345', 'iloveyouforever',
  'iloveyousomuch', 'letmein12345', 'letmein123456', 'letmeinplease', 'welcome12345', 'welcome123456', 'changeme1234', 'changeme12345', 'changemeplease',
  'abcdefghijkl', 'abcdefghijklm', 'abcdefghijklmnop', 'abcdefghijklmnopqrstuvwxyz', 'abcdef123456', 'abcd12345678', 'abc123456789', 'abcdefgh1234',
  'abcdefgh12345678', 'aa1234567890', 'a12345678910', 'qazwsxedcrfv', 'qazwsxedc123', 'qazwsxedcrfvtgb', '1234qwerasdf', '1234qwerasdfzxcv', '123qweasdzxc',
  '123456qwerty', '123456789abc', '1234567890ab', '1234567890abc', '123456789qwe', '1234567890qwerty', 'superman1234', 'princess1234', 'football1234',
  'baseball1234', 'sunshine1234', 'trustno1trustno1', 'dragon123456', 'monkey123456', 'master123456', 'michael12345', 'jesuschrist1', 'correcthorsebatterystaple',
  'unbelievable', 'international', 'thisismypassword', 'thisisapassword', 'thequickbrownfox', 'supercalifragilisticexpialidocious', 'postern12345', 'posternpostern',
])

/** Makes digests of passwords that take long to compute, so that a stolen digest is of little use. */
export interface PasswordHasher {
  /** A digest of a password: with a salt of its own and everything that is needed to verify it, at most 255 printable ASCII characters. */
  readonly hash: (password: string) => Promise<E.Either<PortFailure, string>>
  /**
   * Whether a password is the one of a digest. Without a digest, and with a text that is none, it is `false` after the same work, so that a caller does not learn from
   * the time whether there is one.
   */
  readonly verify: (password: string, digest: string | undefined) => Promise<E.Either<PortFailure, boolean>>
}

/** Limits how many passwords are computed with at once, so that a flood of sign-ins keeps neither people out nor messages waiting. */
export interface PasswordTurns {
  /**
   * Waits for a turn. Right: the turn, until it is ended. `TooManyRequests`: it waited too long, or too many wait.
   *
   * Those who are known and strangers have turns of their own, so neither wait for the other. Of those who wait the one who asked least recently has the next turn. If
   * too many wait, those who asked most are refused or wait for a turn by lot, so none is kept out for as long as a flood lasts.
   */
  readonly take: (of: TurnOf) => Promise<E.Either<TooManyRequests, PasswordTurn>>
}

/** Who asks: one who is known by a device or a session, by a name; or a stranger, by the network. */
export type TurnOf = { readonly _tag: 'Known'; readonly name: string } | { readonly _tag: 'Stranger'; readonly network: string }

/** The right to compute with one password. */
export type PasswordTurn = {
  /** Ends the turn, so that the next one begins; ending it again changes nothing. `wasRight`: it does not count as asked for. */
  readonly end: (wasRight: boolean) => void
}

/** A service that knows a company's people and vouches for them. */
export interface IdentityProvider {
  /**
   * Begins a sign-in. The browser goes to `url`, and comes back to `redirectUri` with the provider's answer in the query.
   * `PortFailure`: the provider does not answer; the next call asks it again.
   */
  readonly begin: (redirectUri: string) => Promise<E.Either<PortFailure, BegunSignIn>>
  /**
   * Ends a sign-in: `callbackUrl` is the address with which the browser came back, `pending` what it kept meanwhile; undefined, where it kept nothing.
   *
   * `IdentityRefused`: the answer does not belong to this sign-in, was used before, came after `PENDING_MS`, or is one that lets the person not in.
   * `PortFailure`: the provider does not answer, or answers what cannot be understood.
   */
  readonly finish: (callbackUrl: string, pending: string | undefined) => Promise<E.Either<IdentityRefused | PortFailure, ProvenIdentity>>
}

/** How long a person may take to sign in at the provider: 10 minutes. */
export const PENDING_MS = 10 * 60_000

/** A sign-in that has begun. `pending` is for the browser that began it, and no other: without it the provider's answer is worth nothing. */
export type BegunSignIn = { readonly url: string; readonly pending: string }

/** A person for whom a provider vouches. The email is the person's own only where `isEmailVerified`. */
export type ProvenIdentity = { readonly identity: Identity; readonly email: string | undefined; readonly isEmailVerified: boolean }

/** What beginning a session needs. */
export type OpenSessionDeps = MemberDeps & {
  readonly sessions: Pick<Sessions, 'open'>
  /** 256 random bits in base64url. */
  readonly newToken: () => Token
  /** A new id, which sorts after those before it. */
  readonly newSessionId: () => SessionId
}

/** Whom a session is for, how she signed in, and from where. */
export type Opening = SignInPlace & { readonly member: Member; readonly openedBy: SessionOpening }

/** The longest text that a session keeps of a browser, and of an address. */
const MAX_USER_AGENT_LENGTH = 255
const MAX_ADDRESS_LENGTH = 64

/** Begins a session with a new token, whatever the browser had before: a token that an attacker knows is never signed in. */
export const openSession = async (
  deps: OpenSessionDeps, { member, openedBy, address, userAgent }: Opening,
): Promise<E.Either<MemberNotFound | PortFailure, SignedIn>> => {
  const at = deps.now()
  const token = deps.newToken()
  const session: Session = {
    id: deps.newSessionId(), member: member.id, openedBy, createdAt: at, lastSeenAt: at, expiresAt: at + SESSION_MS,
    ...(address !== undefined && { address: beginningOf(address, MAX_ADDRESS_LENGTH) }),
    ...(userAgent !== undefined && !mayBeSecret(userAgent) && { userAgent: beginningOf(userAgent, MAX_USER_AGENT_LENGTH) }),
  }
  const principal = principalOf(member)
  const entriesOf = () =>
    ownEntry(deps, { ...byMember(principal, address), act: 'member.sign_in', outcome: 'done', subject: session.id, details: { with: openedBy } })
  const opened = await deps.sessions.open(session, deps.digestOf(token), entriesOf, member.credentialsVersion)
  return E.isLeft(opened) ? opened : E.right({ token, session, principal, hasPassword: member.hasPassword })
}

/** How long a browser stays known after a sign-in with a password: 180 days. */
export const DEVICE_MS = 180 * DAY_MS

/** What a known device needs. */
export type DeviceDeps = {
  readonly members: Pick<Members, 'withPassword'>
  /** 256 random bits in base64url. */
  readonly newToken: () => Token
  /** An HMAC of a text with a key, by SHA-256, in base64url or hexadecimal digits. */
  readonly signatureOf: (key: string, text: string) => string
}

/** A member, and the digest of her password, with which her devices are signed. */
type Credentials = { readonly member: Member; readonly passwordDigest?: string | undefined }

/**
 * What a browser keeps of a sign-in with a password, so that the wrong passwords of strangers do not delay its owner: a name, a moment and a signature.
 *
 * The key is the digest of the member's password, which has a random salt and never leaves the storage. So a device is known for her alone, by all gateways, and forgotten
 * when her password changes.
 */
export const newDevice = (deps: DeviceDeps, of: Credentials, at: Instant): string | undefined => {
  const named = `${deps.newToken()}.${at}`
  const signature = signatureFor(deps, of, named)
  return signature === undefined ? undefined : `${named}.${signature}`
}

/** The name of a device that is known for the member with an email; undefined where it is not. */
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

/** Compares in a time that does not depend on where two texts differ. */
const isSame = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index += 1) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}

/** Someone who guesses: after five wrong passwords a second, then twice as long each time, up to 15 minutes. An hour forgets one. */
export const GUESSER = { free: 5, firstDelayMs: SECOND_MS, longestDelayMs: 15 * MINUTE_MS, forgetOneMs: HOUR_MS }

/** All who try with one email: many addresses that guess together make half a guess a second, and its owner still has her turn. */
export const EMAIL = { free: 20, firstDelayMs: SECOND_MS / 4, longestDelayMs: 2 * SECOND_MS, forgetOneMs: 2 * MINUTE_MS }

/** All who try from one network, such as an office: a hundred slips an hour are free. */
export const NETWORK = { free: 100, firstDelayMs: SECOND_MS / 4, longestDelayMs: 5 * SECOND_MS, forgetOneMs: HOUR_MS / 100 }

/** The attempts with an email from a network address. */
export const guesserAttempts = (email: Email, address: string | undefined): AttemptName =>
  ({ name: `password of ${email} from ${address === undefined ? 'nowhere' : networkOf(address)}`, ...GUESSER })

/** The name under which wrong passwords for an email are counted, from all addresses together. */
export const emailAttempts = (email: Email): AttemptName => ({ name: `password of ${email}`, ...EMAIL })

/** The attempts from a network address; none where it is unknown. */
export const addressAttempts = (address: string | undefined): ReadonlyArray<AttemptName> =>
  (address === undefined ? [] : [{ name: `network ${networkOf(address)}`, ...NETWORK }])

/** The attempts from a device that is known for a member: those of strangers do not delay it. */
export const deviceAttempts = (device: string): AttemptName => ({ name: `password on ${device}`, ...GUESSER })

/** The attempts of one who is signed in already: a session that an attacker has got must not do for guessing the password. */
export const sessionAttempts = (session: SessionId): AttemptName => ({ name: `password in ${session}`, ...GUESSER })

/** Signs in with an email and a password. */
export type SignIn = (command: SignInCommand) => Promise<E.Either<SignInRefused | TooManyAttempts | TooManyRequests | PortFailure, SignedIn>>

/** What signing in with a password needs. */
export type SignInDeps = OpenSessionDeps & DeviceDeps & {
  readonly sessions: Pick<Sessions, 'open' | 'mayAttempt' | 'countAttempt' | 'uncountAttempt' | 'clearAttempts'>
  readonly passwords: Pick<PasswordHasher, 'verify'>
  /** In which passwords are looked at; without it, at once. */
  readonly passwordTurns?: PasswordTurns
}

/**
 * What must wait for the end of a delay is refused first; then the password has its turn, and only then the attempt is counted: so a flood costs no more work and leaves no
 * more behind than there are turns. It is counted as a wrong one before the password is looked at, so that concurrent guesses do not pass a delay.
 * Whether there is a member with the email shows neither in the answer nor in the work done. A success is taken back, and forgets the wrong passwords with the email
 * from the same address; those with the email alone and from the address stay, or an attacker with an account could go on guessing other people's passwords.
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
    const of = known.right === undefined ? stranger(command.address) : knownAs(email ?? '')
    return inTurn(deps, of, () => attempt(deps, command, { email, names, isKnown: known.right !== undefined }))
  }

/** Does what needs a turn in one, if there are turns. */
export const inTurn = async <Failure, A>(
  { passwordTurns }: Pick<SignInDeps, 'passwordTurns'>, of: TurnOf, work: () => Promise<E.Either<Failure, A>>,
): Promise<E.Either<Failure | TooManyRequests, A>> => {
  const turn = await passwordTurns?.take(of)
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

/** The turns of one who is known by a name. */
export const knownAs = (name: string): TurnOf => ({ _tag: 'Known', name })

const stranger = (address: string | undefined): TurnOf => ({ _tag: 'Stranger', network: siteOf(address) })

/** For what an attempt counts. */
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
    if (opened.left._tag === 'SignInRefused') return noteRefusal(deps, opened.left, { ...someone(given), ...addressOf(place.address), act: 'member.sign_in' })
    // What could not be looked at was no wrong password.
    await deps.sessions.uncountAttempt([...own, ...shared], at)
    return opened
  }
  const uncounted = await deps.sessions.uncountAttempt(shared, at)
  if (E.isLeft(uncounted)) return uncounted
  const cleared = await deps.sessions.clearAttempts(own)
  if (E.isLeft(cleared)) return cleared
  return E.right(isKnown && device !== undefined ? { ...opened.right, device } : opened.right)
}

/** For what a wrong password counts: what its success forgets, and what it leaves. A known device has a limit of its own alone. */
const attemptsOf = (email: Email | undefined, address: string | undefined, device: string | undefined): Names => {
  if (device !== undefined) return { own: [deviceAttempts(device)], shared: [] }
  if (email === undefined) return { own: [], shared: addressAttempts(address) }
  return { own: [guesserAttempts(email, address)], shared: [emailAttempts(email), ...addressAttempts(address)] }
}

type Attempt = { readonly email: Email | undefined; readonly password: string; readonly place: SignInPlace }

/** Begins a session if the password is that of the member with the email. */
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

/** Whether a password is a digest's. One that is too long to be anyone's is not computed with. */
export const verify = (
  { passwords }: { readonly passwords: Pick<PasswordHasher, 'verify'> }, given: string, digest: string | undefined,
): Promise<E.Either<PortFailure, boolean>> => {
  const password = comparablePassword(given)
  return [...password].length > MAX_PASSWORD_LENGTH ? passwords.verify('', undefined) : passwords.verify(password, digest)
}

const REFUSED: SignInRefused = { _tag: 'SignInRefused' }

/** Signs in a person for whom an identity provider vouches. */
export type SignInWithIdentity = (command: IdentityCommand) => Promise<E.Either<IdentityRefused | PortFailure, SignedIn>>

/** What signing in with an identity provider needs. */
export type SignInWithIdentityDeps = OpenSessionDeps & { readonly members: Pick<Members, 'withIdentity' | 'withEmail' | 'joinIdentity' | 'acceptAll'> }

/**
 * The first time a member is found by a verified email and is joined to the person; from then on the person counts,
 * whatever email the provider says. Since the provider vouches for her, she accepts by this every invitation that waits for her.
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
      ...someone(command.email), ...addressOf(command.address), act: 'member.sign_in', details: { with: 'identity', issuer: command.identity.issuer },
    })
  }

const accept = async (deps: SignInWithIdentityDeps, { address }: IdentityCommand, { id }: Member): Promise<E.Either<IdentityRefused | PortFailure, Member>> => {
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
  if (E.isLeft(email)) return E.left(identityRefused('Your identity provider did not say your email, so ask its administrator to let Postern see it'))
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

/** Who a session belongs to, with what she may do now. */
export type Authenticate = (command: { readonly token: string }) => Promise<E.Either<NotSignedIn | PortFailure, Authenticated>>

/** What finding a session needs. */
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
