import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { InvalidPassword, MemberNotFound, PortFailure, SignInRefused, TooManyAttempts } from '../errors.js'
import type { Email } from '../member.js'
import { parsePassword } from '../password.js'
import type { Members } from '../ports/members.js'
import type { TooManyRequests } from '../limiter.js'
import type { PasswordHasher } from '../ports/password-hasher.js'
import type { PasswordTurns } from '../ports/password-turns.js'
import type { Sessions } from '../ports/sessions.js'
import { FRESH_LINK_MS, type Session } from '../session.js'
import type { Instant } from '../time.js'
import { byMember, type MemberDeps, noteRefusal, ownEntry } from './member-deps.js'
import type { SetPasswordCommand } from './member-commands.js'
import { sessionAttempts } from './sign-in-attempts.js'
import { inTurn, knownAs, verify } from './sign-in.js'

/** Sets one's own password. */
export type SetPassword = (command: SetPasswordCommand) => TE.TaskEither<SetPasswordError, void>

/** How setting a password can fail. */
export type SetPasswordError = InvalidPassword | SignInRefused | TooManyAttempts | TooManyRequests | MemberNotFound | PortFailure

/** What setting a password needs. */
export type SetPasswordDeps = MemberDeps & {
  readonly members: Pick<Members, 'withPassword' | 'setPassword'>
  readonly sessions: Pick<Sessions, 'countAttempt' | 'clearAttempts'>
  readonly passwords: PasswordHasher
  /** In which passwords are computed with; without it, at once. */
  readonly passwordTurns?: PasswordTurns
}

/** Makes the use case of what it needs. */
export const makeSetPassword =
  (deps: SetPasswordDeps): SetPassword =>
  (command) =>
  async () => {
    const { principal } = command.signedIn
    const set = await inTurn(deps, knownAs(principal.member), () => setPassword(deps, command))
    return E.isRight(set) ? set : noteRefusal(deps, set.left, { ...byMember(principal, command.address), act: 'member.set_password', subject: principal.email })
  }

const setPassword = async (deps: SetPasswordDeps, command: SetPasswordCommand): Promise<E.Either<SetPasswordError, void>> => {
  const { session, principal } = command.signedIn
  const email = principal.email as Email
  const password = parsePassword(command.password, email)
  if (E.isLeft(password)) return password
  const known = await deps.members.withPassword(email)()
  if (E.isLeft(known)) return known
  if (O.isNone(known.right)) return E.left({ _tag: 'MemberNotFound', member: principal.member })
  const { passwordDigest } = known.right.value
  if (passwordDigest !== undefined && !isFreshLink(session, deps.now())) {
    const checked = await checkCurrent(deps, command, passwordDigest)
    if (E.isLeft(checked)) return checked
  }
  const digest = await deps.passwords.hash(password.right)()
  if (E.isLeft(digest)) return digest
  return deps.members.setPassword(principal.member, digest.right, session.id, () =>
    ownEntry(deps, { ...byMember(principal, command.address), act: 'member.set_password', outcome: 'done', subject: email }))()
}

/** Whether a session came by a link that is younger than the time in which that counts as the password. */
const isFreshLink = ({ openedBy, createdAt }: Session, now: Instant): boolean => openedBy === 'link' && now < createdAt + FRESH_LINK_MS

/** A session that an attacker has got must not do for guessing the password, so these attempts are counted, by the session: strangers do not delay its owner. */
const checkCurrent = async (
  deps: SetPasswordDeps, { signedIn, current = '' }: SetPasswordCommand, digest: string,
): Promise<E.Either<SignInRefused | TooManyAttempts | PortFailure, void>> => {
  const ofSession = sessionAttempts(signedIn.session.id)
  const counted = await deps.sessions.countAttempt([ofSession], deps.now())()
  if (E.isLeft(counted)) return counted
  const verified = await verify(deps, current, digest)
  if (E.isLeft(verified)) return verified
  return verified.right ? deps.sessions.clearAttempts([ofSession])() : E.left({ _tag: 'SignInRefused' })
}
