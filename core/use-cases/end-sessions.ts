import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { Sessions } from '../ports/sessions.js'
import { byMember, type MemberDeps, ownEntry } from './member-deps.js'
import type { EndSessionsCommand } from './member-commands.js'

/** Ends one's own sessions. Right: how many. */
export type EndSessions = (command: EndSessionsCommand) => TE.TaskEither<PortFailure, number>

/** What ending sessions needs. */
export type EndSessionsDeps = MemberDeps & { readonly sessions: Pick<Sessions, 'end'> }

/** Makes the use case of what it needs. Ending the session that asks for it is a sign-out. */
export const makeEndSessions =
  (deps: EndSessionsDeps): EndSessions =>
  ({ signedIn: { session, principal }, which, address }) =>
  () => {
    const ended = typeof which === 'object' ? { only: [which.id] } : { except: which === 'others' ? session.id : undefined }
    const act = typeof which === 'object' && which.id === session.id ? 'member.sign_out' : 'member.end_sessions'
    return deps.sessions.end(principal.member, ended, deps.now(), (sessions) =>
      ownEntry(deps, { ...byMember(principal, address), act, outcome: 'done', subject: principal.email, details: { sessions: sessions.map(({ id }) => id) } }))()
  }
