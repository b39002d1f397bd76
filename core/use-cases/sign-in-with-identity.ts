import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { IdentityRefused, PortFailure } from '../errors.js'
import { type Member, parseEmail } from '../member.js'
import type { Members } from '../ports/members.js'
import { addressOf, byMember, noteRefusal, ownEntry, principalOf, someone } from './member-deps.js'
import type { IdentityCommand, SignedIn } from './member-commands.js'
import { openSession, type OpenSessionDeps } from './open-session.js'

/** Signs in a person for whom an identity provider vouches. */
export type SignInWithIdentity = (command: IdentityCommand) => TE.TaskEither<IdentityRefused | PortFailure, SignedIn>

/** What signing in with an identity provider needs. */
export type SignInWithIdentityDeps = OpenSessionDeps & { readonly members: Pick<Members, 'withIdentity' | 'withEmail' | 'joinIdentity' | 'acceptAll'> }

/**
 * Makes the use case of what it needs. The first time a member is found by a verified email and is joined to the person; from then on the person counts,
 * whatever email the provider says. Since the provider vouches for her, she accepts by this every invitation that waits for her.
 */
export const makeSignInWithIdentity =
  (deps: SignInWithIdentityDeps): SignInWithIdentity =>
  (command) =>
  async () => {
    const joined = await deps.members.withIdentity(command.identity)()
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
    ownEntry(deps, { ...byMember(principalOf(member), address), act: 'member.accept_invitation', outcome: 'done', subject: member.email }))()
  if (E.isLeft(accepted)) return accepted.left._tag === 'PortFailure' ? E.left(accepted.left) : E.left(identityRefused(NO_ACCESS))
  const { isOperator, roles } = accepted.right
  return isOperator || roles.size > 0 ? accepted : E.left(identityRefused(NO_ACCESS))
}

const join = async (
  { members }: SignInWithIdentityDeps, { identity, email: given, isEmailVerified }: IdentityCommand,
): Promise<E.Either<IdentityRefused | PortFailure, Member>> => {
  const email = parseEmail(given ?? '')
  if (E.isLeft(email)) return E.left(identityRefused('Your identity provider did not say your email, so ask its administrator to let Postern see it'))
  if (!isEmailVerified) return E.left(identityRefused('Your identity provider has not verified your email, so verify it there and try again'))
  const found = await members.withEmail(email.right)()
  if (E.isLeft(found)) return found
  if (O.isNone(found.right)) return E.left(identityRefused(NO_ACCESS))
  const joined = await members.joinIdentity(found.right.value.id, identity)()
  if (E.isLeft(joined)) return joined.left._tag === 'PortFailure' ? E.left(joined.left) : E.left(identityRefused(NO_ACCESS))
  return joined.right ? E.right(found.right.value) : E.left(identityRefused(OTHER_PERSON))
}

const NO_ACCESS = 'No member has your email; ask an operator or an owner of your workspace for an invitation'
const OTHER_PERSON = 'The member with your email signs in with another account of your identity provider; ask an operator to remove and invite you again'

const identityRefused = (reason: string): IdentityRefused => ({ _tag: 'IdentityRefused', reason })
