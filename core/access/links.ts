import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Email } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import type { MemberId } from '../kernel/ids.js'
import type { TooManyRequests } from '../kernel/limits.js'
import type { Instant } from '../kernel/time.js'
import {
  FIRST_LINK_MS, FRESH_LINK_MS, type InvalidEmail, type LinkPurpose, type LinkUnusable, type MemberNotFound, type Members, parseEmail,
  type Session, type Sessions, type SignInRefused, type Token, type TooManyAttempts,
} from './members.js'
import { type InvalidPassword, parsePassword, type PasswordHasher, type PasswordHashQueue } from './passwords.js'
import {
  addressAttempts, addressOf, byMember, inTurn, knownAs, type MemberDeps, noteRefusal, openSession, type OpenSessionDeps, ownEntry,
  principalOf, sessionAttempts, type SetPasswordCommand, type SignedIn, someone, type TakeLinkCommand, verify,
} from './sign-in.js'

/** A link for the first operator; none if an operator already exists. */
export type FirstLink = () => Promise<E.Either<PortFailure, { readonly token: Token; readonly expiresAt: Instant } | undefined>>

/** The dependencies of a link for the first operator. */
export type FirstLinkDeps = Pick<MemberDeps, 'digestOf' | 'now'> & {
  readonly members: Pick<Members, 'hasOperator' | 'addFirstLink'>
  /** A new token of 256 random bits. */
  readonly newToken: () => Token
}

export const makeFirstLink =
  ({ members, digestOf, newToken, now }: FirstLinkDeps): FirstLink =>
  async () => {
    const has = await members.hasOperator()
    if (E.isLeft(has)) return has
    if (has.right) return E.right(undefined)
    const [token, expiresAt] = [newToken(), now() + FIRST_LINK_MS]
    const added = await members.addFirstLink({ digest: digestOf(token), expiresAt })
    return E.isLeft(added) ? added : E.right({ token, expiresAt })
  }

/** The purpose of a link, without using it up. */
export type PeekLink = (command: { readonly token: string }) => Promise<E.Either<LinkUnusable | PortFailure, LinkPurpose>>

/** The dependencies of reading a link's purpose. */
export type PeekLinkDeps = Pick<MemberDeps, 'digestOf' | 'now'> & { readonly members: Pick<Members, 'peekLink'> }

export const makePeekLink =
  ({ members, digestOf, now }: PeekLinkDeps): PeekLink =>
  async ({ token }) => {
    const purpose = await members.peekLink(digestOf(token), now())
    if (E.isLeft(purpose)) return purpose
    return O.isSome(purpose.right) ? E.right(purpose.right.value) : E.left({ _tag: 'LinkUnusable' })
  }

/** Uses a link up and signs in its member. */
export type TakeLink =
  (command: TakeLinkCommand) => Promise<E.Either<LinkUnusable | InvalidEmail | TooManyAttempts | PortFailure, SignedIn>>

/** The dependencies of using a link up. */
export type TakeLinkDeps = OpenSessionDeps & {
  readonly members: Pick<Members, 'peekLink' | 'takeLink'>
  readonly sessions: Pick<Sessions, 'open' | 'countAttempt' | 'uncountAttempt'>
  /** A new id, which sorts after the previous ones. */
  readonly newMemberId: () => MemberId
}

/** The email of the first operator is checked before the link is used up, so a typing error can be corrected. */
export const makeTakeLink =
  (deps: TakeLinkDeps): TakeLink =>
  async (command) => {
    const [names, at] = [addressAttempts(command.address), deps.now()]
    const counted = await deps.sessions.countAttempt(names, at)
    if (E.isLeft(counted)) return counted
    const signedIn = await take(deps, command)
    if (E.isRight(signedIn)) {
      const uncounted = await deps.sessions.uncountAttempt(names, at)
      return E.isLeft(uncounted) ? uncounted : signedIn
    }
    return noteRefusal(deps, signedIn.left, { ...someone(command.email), ...addressOf(command.address), act: 'member.accept_invitation' })
  }

const take = async (
  deps: TakeLinkDeps, command: TakeLinkCommand,
): Promise<E.Either<LinkUnusable | InvalidEmail | PortFailure, SignedIn>> => {
  const { token, email, address } = command
  const purpose = await makePeekLink(deps)({ token })
  if (E.isLeft(purpose)) return purpose
  const first = firstOperator(deps, purpose.right, email)
  if (E.isLeft(first)) return first
  const taken = await deps.members.takeLink(deps.digestOf(token), deps.now(), first.right, (member) =>
    ownEntry(deps, { ...byMember(principalOf(member), address), act: 'member.accept_invitation', outcome: 'done', subject: member.email }))
  if (E.isLeft(taken)) return taken
  const opened = await openSession(deps, { ...command, member: taken.right, openedBy: 'link' })
  return E.isLeft(opened) && opened.left._tag === 'MemberNotFound'
    ? E.left({ _tag: 'LinkUnusable' })
    : opened as E.Either<PortFailure, SignedIn>
}

const firstOperator = ({ newMemberId }: TakeLinkDeps, purpose: LinkPurpose, given: string | undefined) => {
  if (purpose._tag === 'Member') return E.right(undefined)
  const email = parseEmail(given ?? '')
  return E.isLeft(email) ? email : E.right({ id: newMemberId(), email: email.right })
}

/** Sets one's own password. */
export type SetPassword = (command: SetPasswordCommand) => Promise<E.Either<SetPasswordError, void>>

/** How setting a password can fail. */
export type SetPasswordError = InvalidPassword | SignInRefused | TooManyAttempts | TooManyRequests | MemberNotFound | PortFailure

/** The dependencies of setting a password. */
export type SetPasswordDeps = MemberDeps & {
  readonly members: Pick<Members, 'withPassword' | 'setPassword'>
  readonly sessions: Pick<Sessions, 'countAttempt' | 'clearAttempts'>
  readonly passwords: PasswordHasher
  /** The queue for computations with passwords; without it, they run immediately. */
  readonly passwordHashQueue?: PasswordHashQueue
}

export const makeSetPassword =
  (deps: SetPasswordDeps): SetPassword =>
  async (command) => {
    const { principal } = command.signedIn
    const set = await inTurn(deps, knownAs(principal.member), () => setPassword(deps, command))
    return E.isRight(set)
      ? set
      : noteRefusal(deps, set.left, { ...byMember(principal, command.address), act: 'member.set_password', subject: principal.email })
  }

const setPassword = async (deps: SetPasswordDeps, command: SetPasswordCommand): Promise<E.Either<SetPasswordError, void>> => {
  const { session, principal } = command.signedIn
  const email = principal.email as Email
  const password = parsePassword(command.password, email)
  if (E.isLeft(password)) return password
  const known = await deps.members.withPassword(email)
  if (E.isLeft(known)) return known
  if (O.isNone(known.right)) return E.left({ _tag: 'MemberNotFound', member: principal.member })
  const { passwordDigest } = known.right.value
  if (passwordDigest !== undefined && !isFreshLink(session, deps.now())) {
    const checked = await checkCurrent(deps, command, passwordDigest)
    if (E.isLeft(checked)) return checked
  }
  const digest = await deps.passwords.hash(password.right)
  if (E.isLeft(digest)) return digest
  return deps.members.setPassword(principal.member, digest.right, session.id, () =>
    ownEntry(deps, { ...byMember(principal, command.address), act: 'member.set_password', outcome: 'done', subject: email }))
}

/** Whether a session was opened by a link recently enough for that to count as the password. */
const isFreshLink = ({ openedBy, createdAt }: Session, now: Instant): boolean => openedBy === 'link' && now < createdAt + FRESH_LINK_MS

/** An attacker who has obtained a session must not be able to guess the password with it. So these attempts are counted, by session: attempts of others do not delay its owner. */
const checkCurrent = async (
  deps: SetPasswordDeps, { signedIn, current = '' }: SetPasswordCommand, digest: string,
): Promise<E.Either<SignInRefused | TooManyAttempts | PortFailure, void>> => {
  const ofSession = sessionAttempts(signedIn.session.id)
  const counted = await deps.sessions.countAttempt([ofSession], deps.now())
  if (E.isLeft(counted)) return counted
  const verified = await verify(deps, current, digest)
  if (E.isLeft(verified)) return verified
  return verified.right ? deps.sessions.clearAttempts([ofSession]) : E.left({ _tag: 'SignInRefused' })
}
