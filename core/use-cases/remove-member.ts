import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidEmail, LastOperator, MemberNotFound, PortFailure } from '../errors.js'
import { parseEmail } from '../member.js'
import type { Members } from '../ports/members.js'
import { type ActDeps, perform } from './acting.js'
import type { RemoveMemberCommand } from './member-commands.js'

/** Takes access away. */
export type RemoveMember = (command: RemoveMemberCommand) => TE.TaskEither<RemoveMemberError, void>

/** How taking access away can fail. */
export type RemoveMemberError = InvalidEmail | MemberNotFound | LastOperator | Forbidden | PortFailure

/** What taking access away needs. */
export type RemoveMemberDeps = ActDeps & { readonly members: Pick<Members, 'withEmail' | 'remove'> }

/** Makes the use case of what it needs. */
export const makeRemoveMember =
  (deps: RemoveMemberDeps): RemoveMember =>
  ({ by, from, ...command }) =>
  async () => {
    const email = parseEmail(command.email)
    const workspace = from === 'everywhere' ? undefined : from
    const acting = { by, act: 'member.remove', workspace, ...(E.isRight(email) && { subject: email.right }) } as const
    return perform(deps, acting, {}, async (along): Promise<E.Either<RemoveMemberError, void>> => {
      if (E.isLeft(email)) return email
      const found = await deps.members.withEmail(email.right)()
      if (E.isLeft(found)) return found
      const removed = O.isNone(found.right) ? NOT_FOUND : await deps.members.remove(found.right.value.id, from, along)()
      return E.isLeft(removed) && removed.left._tag === 'MemberNotFound' ? E.left({ ...removed.left, member: email.right }) : removed
    })
  }

const NOT_FOUND: E.Either<MemberNotFound, void> = E.left({ _tag: 'MemberNotFound', member: '' })
