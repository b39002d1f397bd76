import * as O from 'fp-ts/lib/Option.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { isAllowed } from '../access.js'
import type { PortFailure } from '../errors.js'
import type { Workspaces } from '../ports/workspaces.js'
import type { Actor, Principal } from '../principal.js'
import type { Workspace, WorkspaceId } from '../workspace.js'

/** Lists the workspaces in use that the actor may see, oldest first. */
export type ListWorkspaces = (command: { readonly by: Actor }) => TE.TaskEither<PortFailure, ReadonlyArray<Workspace>>

/** What listing workspaces needs. */
export type ListWorkspacesDeps = { readonly workspaces: Pick<Workspaces, 'find' | 'list'> }

/** Makes the use case of what it needs. A member of a few workspaces does not make it read them all. */
export const makeListWorkspaces =
  ({ workspaces }: ListWorkspacesDeps): ListWorkspaces =>
  ({ by: { principal } }) =>
    pipe(
      seesAll(principal) ? workspaces.list() : pipe([...idsOf(principal)].sort(), TE.traverseArray(workspaces.find), TE.map((found) => found.flatMap(O.match(() => [], (one) => [one])))),
      TE.map((found) => found.filter((one) => one.archivedAt === undefined && isAllowed(principal, 'workspace.view', one))),
    )

const seesAll = (principal: Principal): boolean => isAllowed(principal, 'workspace.view', undefined)

const idsOf = (principal: Principal): Iterable<WorkspaceId> => (principal._tag === 'Member' ? principal.roles.keys() : [])
