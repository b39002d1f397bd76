import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { Sessions } from '../ports/sessions.js'
import type { Session } from '../session.js'
import type { Clock } from '../time.js'
import type { Authenticated } from './member-commands.js'

/** One's own sessions, the one last seen first. */
export type ListSessions = (command: { readonly signedIn: Authenticated }) => TE.TaskEither<PortFailure, ReadonlyArray<Session>>

/** What listing sessions needs. */
export type ListSessionsDeps = { readonly sessions: Pick<Sessions, 'list'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeListSessions =
  ({ sessions, now }: ListSessionsDeps): ListSessions =>
  ({ signedIn }) =>
  () =>
    sessions.list(signedIn.principal.member, now())()
