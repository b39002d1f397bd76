import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { MemberNotFound, PortFailure, SignInRefused, TooManyAttempts } from '../errors.js'
import { parseEmail } from '../member.js'
import { comparablePassword, MAX_PASSWORD_LENGTH } from '../password.js'
import type { Members } from '../ports/members.js'
import type { PasswordHasher } from '../ports/password-hasher.js'
import type { Sessions } from '../ports/sessions.js'
import { addressOf, noteRefusal, someone } from './member-deps.js'
import type { SignedIn, SignInCommand } from './member-commands.js'
import { openSession, type OpenSessionDeps } from './open-session.js'
import { addressAttempts, emailAttempts } from './sign-in-attempts.js'

/** Signs in with an email and a password. */
export type SignIn = (command: SignInCommand) => TE.TaskEither<SignInRefused | TooManyAttempts | PortFailure, SignedIn>

/** What signing in with a password needs. */
export type SignInDeps = OpenSessionDeps & {
  readonly members: Pick<Members, 'withPassword'>
  readonly sessions: Pick<Sessions, 'open' | 'countAttempt' | 'clearAttempts'>
  readonly passwords: Pick<PasswordHasher, 'verify'>
}

/**
 * Makes the use case of what it needs.
 *
 * The attempt is counted before the password is looked at, so that a flood is refused without work. Whether there is a member with the email shows neither
 * in the answer nor in the work done. Success forgets the attempts with the email; those from the address stay, or an attacker with an account could go on
 * guessing other people's passwords.
 */
export const makeSignIn =
  (deps: SignInDeps): SignIn =>
  ({ email: given, password, ...place }) =>
  async () => {
    const email = parseEmail(given)
    const ofEmail = E.isRight(email) ? [emailAttempts(email.right)] : []
    const counted = await deps.sessions.countAttempt([...ofEmail, ...addressAttempts(place.address)], deps.now())()
    if (E.isLeft(counted)) return counted
    const known = E.isRight(email) ? await deps.members.withPassword(email.right)() : E.right(O.none)
    if (E.isLeft(known)) return known
    const found = O.toUndefined(known.right)
    const verified = await verify(deps, password, found?.passwordDigest)
    if (E.isLeft(verified)) return verified
    const opened: E.Either<SignInRefused | MemberNotFound | PortFailure, SignedIn> = found !== undefined && verified.right
      ? await openSession(deps, { ...place, member: found.member, openedBy: 'password' })
      : E.left(REFUSED)
    if (E.isLeft(opened)) {
      const failure = opened.left._tag === 'PortFailure' ? opened.left : REFUSED
      return noteRefusal(deps, failure, { ...someone(given), ...addressOf(place.address), act: 'member.sign_in' })
    }
    const cleared = await deps.sessions.clearAttempts(ofEmail)()
    return E.isLeft(cleared) ? cleared : E.right(opened.right)
  }

/** Whether a password is a digest's. One that is too long to be anyone's is not computed with. */
export const verify = (
  { passwords }: { readonly passwords: Pick<PasswordHasher, 'verify'> }, given: string, digest: string | undefined,
): Promise<E.Either<PortFailure, boolean>> => {
  const password = comparablePassword(given)
  return [...password].length > MAX_PASSWORD_LENGTH ? passwords.verify('', undefined)() : passwords.verify(password, digest)()
}

const REFUSED: SignInRefused = { _tag: 'SignInRefused' }
