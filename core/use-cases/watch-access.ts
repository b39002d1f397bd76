import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { Role } from '../member.js'
import type { Sessions, Standing } from '../ports/sessions.js'
import type { MemberPrincipal } from '../principal.js'
import type { SessionId } from '../session.js'
import type { Clock } from '../time.js'
import type { Workspace, WorkspaceId } from '../workspace.js'
import type { Authenticated } from './member-commands.js'

/** A person who goes on seeing a workspace, with the rights that she had when she began. */
export type Watcher = {
  readonly session: SessionId; readonly isOperator: boolean; readonly workspace: WorkspaceId; readonly role: Role | undefined; readonly isArchived: boolean
}

/** Finds those whose session has ended, whose rights are others by now, or whose workspace was archived meanwhile. One step for however many they are. */
export type FindChangedWatchers = (watchers: ReadonlyArray<Watcher>) => TE.TaskEither<PortFailure, ReadonlySet<Watcher>>

/** What finding them needs. */
export type FindChangedWatchersDeps = { readonly sessions: Pick<Sessions, 'standing'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeFindChangedWatchers =
  ({ sessions, now }: FindChangedWatchersDeps): FindChangedWatchers =>
  (watchers) =>
  async () => {
    const [ids, workspaces] = [new Set(watchers.map(({ session }) => session)), new Set(watchers.map(({ workspace }) => workspace))]
    const standing = await sessions.standing([...ids], [...workspaces], now())()
    return E.isLeft(standing) ? standing : E.right(new Set(watchers.filter((watcher) => hasChanged(watcher, standing.right))))
  }

/** A member who begins to watch a workspace. */
export const watcherOf = ({ session, principal }: Authenticated, { id, archivedAt }: Pick<Workspace, 'id' | 'archivedAt'>): Watcher => ({
  session: session.id, ...rightsIn(principal, id), workspace: id, isArchived: archivedAt !== undefined,
})

const rightsIn = ({ isOperator, roles }: Pick<MemberPrincipal, 'isOperator' | 'roles'>, workspace: WorkspaceId) => ({ isOperator, role: roles.get(workspace) })

/** A right more counts as a change, too: the browser opens its stream again. */
const hasChanged = ({ session, workspace, ...before }: Watcher, { rights, archived }: Standing): boolean => {
  const now = rights.get(session)
  if (now === undefined) return true
  const { isOperator, role } = rightsIn(now, workspace)
  return isOperator !== before.isOperator || role !== before.role || archived.has(workspace) !== before.isArchived
}
