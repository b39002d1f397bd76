import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { Members } from '../ports/members.js'
import { FIRST_LINK_MS, type Token } from '../session.js'
import type { Instant } from '../time.js'
import type { MemberDeps } from './member-deps.js'

/** A link for the first operator; none if there is an operator already. */
export type FirstLink = () => TE.TaskEither<PortFailure, { readonly token: Token; readonly expiresAt: Instant } | undefined>

/** What a link for the first operator needs. */
export type FirstLinkDeps = Pick<MemberDeps, 'digestOf' | 'now'> & {
  readonly members: Pick<Members, 'hasOperator' | 'addFirstLink'>
  /** A new token of 256 random bits. */
  readonly newToken: () => Token
}

/** Makes the use case of what it needs. */
export const makeFirstLink =
  ({ members, digestOf, newToken, now }: FirstLinkDeps): FirstLink =>
  () =>
  async () => {
    const has = await members.hasOperator()()
    if (E.isLeft(has)) return has
    if (has.right) return E.right(undefined)
    const [token, expiresAt] = [newToken(), now() + FIRST_LINK_MS]
    const added = await members.addFirstLink({ digest: digestOf(token), expiresAt })()
    return E.isLeft(added) ? added : E.right({ token, expiresAt })
  }
