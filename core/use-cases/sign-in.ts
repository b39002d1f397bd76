import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, SignInRefused, TooManyAttempts } from '../errors.js'
import { parseEmail, type Email } from '../member.js'
import { comparablePassword, MAX_PASSWORD_LENGTH } from '../password.js'
import type { AttemptName } from '../attempts.js'
import type { TooManyRequests } from '../limiter.js'
import { siteOf } from '../network-address.js'
import type { PasswordHasher } from '../ports/password-hasher.js'
import type { PasswordTurns, TurnOf } from '../ports/password-turns.js'
import type { Sessions } from '../ports/sessions.js'
import { addressOf, noteRefusal, someone } from './member-deps.js'
import type { SignedIn, SignInCommand, SignInPlace } from './member-commands.js'
import { openSession, type OpenSessionDeps } from './open-session.js'
import { knownDevice, newDevice, type DeviceDeps } from './known-device.js'
import { addressAttempts, deviceAttempts, emailAttempts, guesserAttempts } from './sign-in-attempts.js'

/** Signs in with an email and a password. */
export type SignIn = (command: SignInCommand) => TE.TaskEither<SignInRefused | TooManyAttempts | TooManyRequests | PortFailure, SignedIn>

/** What signing in with a password needs. */
export type SignInDeps = OpenSessionDeps & DeviceDeps & {
  readonly sessions: Pick<Sessions, 'open' | 'mayAttempt' | 'countAttempt' | 'uncountAttempt' | 'clearAttempts'>
  readonly passwords: Pick<PasswordHasher, 'verify'>
  /** In which passwords are looked at; without it, at once. */
  readonly passwordTurns?: PasswordTurns
}

/**
 * Makes the use case of what it needs.
 *
 * What must wait for the end of a delay is refused first; then the password has its turn, and only then the attempt is counted: so a flood costs no more work and leaves no
 * more behind than there are turns. It is counted as a wrong one before the password is looked at, so that concurrent guesses do not pass a delay.
 * Whether there is a member with the email shows neither in the answer nor in the work done. A success is taken back, and forgets the wrong passwords with the email
 * from the same address; those with the email alone and from the address stay, or an attacker with an account could go on guessing other people's passwords.
 */
export const makeSignIn =
  (deps: SignInDeps): SignIn =>
  (command) =>
  async () => {
    const email = E.getOrElseW(() => undefined)(parseEmail(command.email))
    const known = email === undefined ? E.right(undefined) : await knownDevice(deps, email, command.device, deps.now())
    if (E.isLeft(known)) return known
    const names = attemptsOf(email, command.address, known.right)
    const may = await deps.sessions.mayAttempt([...names.own, ...names.shared], deps.now())()
    if (E.isLeft(may)) return may
    const of = known.right === undefined ? stranger(command.address) : knownAs(email ?? '')
    return inTurn(deps, of, () => attempt(deps, command, { email, names, isKnown: known.right !== undefined }))
  }

/** Does what needs a turn in one, if there are turns. */
export const inTurn = async <Failure, A>(
  { passwordTurns }: Pick<SignInDeps, 'passwordTurns'>, of: TurnOf, work: () => Promise<E.Either<Failure, A>>,
): Promise<E.Either<Failure | TooManyRequests, A>> => {
  const turn = await passwordTurns?.take(of)()
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
  const counted = await deps.sessions.countAttempt([...own, ...shared], at)()
  if (E.isLeft(counted)) return counted
  const opened = await open(deps, { email, password, place })
  if (E.isLeft(opened)) {
    if (opened.left._tag === 'SignInRefused') return noteRefusal(deps, opened.left, { ...someone(given), ...addressOf(place.address), act: 'member.sign_in' })
    // What could not be looked at was no wrong password.
    await deps.sessions.uncountAttempt([...own, ...shared], at)()
    return opened
  }
  const uncounted = await deps.sessions.uncountAttempt(shared, at)()
  if (E.isLeft(uncounted)) return uncounted
  const cleared = await deps.sessions.clearAttempts(own)()
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
  const known = email === undefined ? E.right(O.none) : await deps.members.withPassword(email)()
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
  return [...password].length > MAX_PASSWORD_LENGTH ? passwords.verify('', undefined)() : passwords.verify(password, digest)()
}

const REFUSED: SignInRefused = { _tag: 'SignInRefused' }
