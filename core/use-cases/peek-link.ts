import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { LinkUnusable, PortFailure } from '../errors.js'
import type { LinkPurpose, Members } from '../ports/members.js'
import type { MemberDeps } from './member-deps.js'

/** What a link is for; it can still be used afterwards. */
export type PeekLink = (command: { readonly token: string }) => TE.TaskEither<LinkUnusable | PortFailure, LinkPurpose>

/** What looking at a link needs. */
export type PeekLinkDeps = Pick<MemberDeps, 'digestOf' | 'now'> & { readonly members: Pick<Members, 'peekLink'> }

/** Makes the use case of what it needs. */
export const makePeekLink =
  ({ members, digestOf, now }: PeekLinkDeps): PeekLink =>
  ({ token }) =>
  async () => {
    const purpose = await members.peekLink(digestOf(token), now())()
    if (E.isLeft(purpose)) return purpose
    return O.isSome(purpose.right) ? E.right(purpose.right.value) : E.left({ _tag: 'LinkUnusable' })
  }
