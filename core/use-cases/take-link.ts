import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { InvalidEmail, LinkUnusable, PortFailure, TooManyAttempts } from '../errors.js'
import { parseEmail, type MemberId } from '../member.js'
import type { LinkPurpose, Members } from '../ports/members.js'
import type { Sessions } from '../ports/sessions.js'
import { addressOf, byMember, noteRefusal, ownEntry, principalOf, someone } from './member-deps.js'
import type { SignedIn, TakeLinkCommand } from './member-commands.js'
import { openSession, type OpenSessionDeps } from './open-session.js'
import { makePeekLink } from './peek-link.js'
import { addressAttempts } from './sign-in-attempts.js'

/** Uses a link up and signs in its member. */
export type TakeLink = (command: TakeLinkCommand) => TE.TaskEither<LinkUnusable | InvalidEmail | TooManyAttempts | PortFailure, SignedIn>

/** What using a link up needs. */
export type TakeLinkDeps = OpenSessionDeps & {
  readonly members: Pick<Members, 'peekLink' | 'takeLink'>
  readonly sessions: Pick<Sessions, 'open' | 'countAttempt' | 'uncountAttempt'>
  /** A new id, which sorts after those before it. */
  readonly newMemberId: () => MemberId
}

/** Makes the use case of what it needs. The email of the first operator is checked before the link is used up, so a slip of the fingers can be mended. */
export const makeTakeLink =
  (deps: TakeLinkDeps): TakeLink =>
  (command) =>
  async () => {
    const [names, at] = [addressAttempts(command.address), deps.now()]
    const counted = await deps.sessions.countAttempt(names, at)()
    if (E.isLeft(counted)) return counted
    const signedIn = await take(deps, command)
    if (E.isRight(signedIn)) {
      const uncounted = await deps.sessions.uncountAttempt(names, at)()
      return E.isLeft(uncounted) ? uncounted : signedIn
    }
    return noteRefusal(deps, signedIn.left, { ...someone(command.email), ...addressOf(command.address), act: 'member.accept_invitation' })
  }

const take = async (deps: TakeLinkDeps, command: TakeLinkCommand): Promise<E.Either<LinkUnusable | InvalidEmail | PortFailure, SignedIn>> => {
  const { token, email, address } = command
  const purpose = await makePeekLink(deps)({ token })()
  if (E.isLeft(purpose)) return purpose
  const first = firstOperator(deps, purpose.right, email)
  if (E.isLeft(first)) return first
  const taken = await deps.members.takeLink(deps.digestOf(token), deps.now(), first.right, (member) =>
    ownEntry(deps, { ...byMember(principalOf(member), address), act: 'member.accept_invitation', outcome: 'done', subject: member.email }))()
  if (E.isLeft(taken)) return taken
  const opened = await openSession(deps, { ...command, member: taken.right, openedBy: 'link' })
  return E.isLeft(opened) && opened.left._tag === 'MemberNotFound' ? E.left({ _tag: 'LinkUnusable' }) : opened as E.Either<PortFailure, SignedIn>
}

const firstOperator = ({ newMemberId }: TakeLinkDeps, purpose: LinkPurpose, given: string | undefined) => {
  if (purpose._tag === 'Member') return E.right(undefined)
  const email = parseEmail(given ?? '')
  return E.isLeft(email) ? email : E.right({ id: newMemberId(), email: email.right })
}
