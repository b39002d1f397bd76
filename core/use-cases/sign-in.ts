import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, SignInRefused, TooManyAttempts } from '../errors.js'
import { parseEmail, type Email } from '../member.js'
import { comparablePassword, MAX_PASSWORD_LENGTH } from '../password.js'
import type { AttemptName } from '../attempts.js'
import type { PasswordHasher } from '../ports/password-hasher.js'
import type { Sessions } from '../ports/sessions.js'
import { addressOf, noteRefusal, someone } from './member-deps.js'
import type { SignedIn, SignInCommand, SignInPlace } from './member-commands.js'
import { openSession, type OpenSessionDeps } from './open-session.js'
import { knownDevice, newDevice, type DeviceDeps } from './known-device.js'
import { addressAttempts, deviceAttempts, emailAttempts, guesserAttempts } from './sign-in-attempts.js'

/** Signs in with an email and a password. */
export type SignIn = (command: SignInCommand) => TE.TaskEither<SignInRefused | TooManyAttempts | PortFailure, SignedIn>

/** What signing in with a password needs. */
export type SignInDeps = OpenSessionDeps & DeviceDeps & {
  readonly sessions: Pick<Sessions, 'open' | 'countAttempt' | 'uncountAttempt' | 'clearAttempts'>
  readonly passwords: Pick<PasswordHasher, 'verify'>
}

/**
 * Makes the use case of what it needs.
 *
 * The attempt is counted as a wrong one before the password is looked at, so that concurrent guesses do not pass a delay and a flood is refused without work.
 * Whether there is a member with the email shows neither in the answer nor in the work done. A success is taken back, and forgets the wrong passwords with the email
 * from the same address; those with the email alone and from the address stay, or an attacker with an account could go on guessing other people's passwords.
 */
export const makeSignIn =
  (deps: SignInDeps): SignIn =>
  ({ email: given, password, device, ...place }) =>
  async () => {
    const email = parseEmail(given)
    const at = deps.now()
    const known = E.isRight(email) ? await knownDevice(deps, email.right, device, at) : E.right(undefined)
    if (E.isLeft(known)) return known
    const { own, shared } = attemptsOf(E.isRight(email) ? email.right : undefined, place.address, known.right)
    const counted = await deps.sessions.countAttempt([...own, ...shared], at)()
    if (E.isLeft(counted)) return counted
    const opened = await open(deps, { email: E.isRight(email) ? email.right : undefined, password, place })
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
    return E.right(known.right === undefined || device === undefined ? opened.right : { ...opened.right, device })
  }

/** For what a wrong password counts: what its success forgets, and what it leaves. A known device has a limit of its own alone. */
const attemptsOf = (
  email: Email | undefined, address: string | undefined, device: string | undefined,
): { readonly own: ReadonlyArray<AttemptName>; readonly shared: ReadonlyArray<AttemptName> } => {
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
