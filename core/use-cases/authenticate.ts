import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { NotSignedIn, PortFailure } from '../errors.js'
import type { Sessions } from '../ports/sessions.js'
import { type MemberDeps, principalOf } from './member-deps.js'
import type { Authenticated } from './member-commands.js'

/** Who a session belongs to, with what she may do now. */
export type Authenticate = (command: { readonly token: string }) => TE.TaskEither<NotSignedIn | PortFailure, Authenticated>

/** What finding a session needs. */
export type AuthenticateDeps = Pick<MemberDeps, 'digestOf' | 'now'> & { readonly sessions: Pick<Sessions, 'find'> }

/** Makes the use case of what it needs. */
export const makeAuthenticate =
  ({ sessions, digestOf, now }: AuthenticateDeps): Authenticate =>
  ({ token }) =>
  async () => {
    const found = await sessions.find(digestOf(token), now())()
    if (E.isLeft(found)) return found
    if (O.isNone(found.right)) return E.left({ _tag: 'NotSignedIn' })
    const { session, member } = found.right.value
    return E.right({ session, principal: principalOf(member), hasPassword: member.hasPassword })
  }
