import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { Workspaces } from '../ports/workspaces.js'
import { isWorkspaceId, type Workspace, type WorkspaceId } from '../workspace.js'

/** Finds a workspace by its id, or by its name where no other workspace in use has that name; one in use goes before an archived one. */
export type FindWorkspace = (idOrName: string) => TE.TaskEither<FindWorkspaceError, Workspace>

/** How finding a workspace can fail. */
export type FindWorkspaceError = NoSuchWorkspace | AmbiguousName | PortFailure

/** No workspace has this id or name. */
export type NoSuchWorkspace = { readonly _tag: 'NoSuchWorkspace'; readonly named: string }

/** Several workspaces have this name, so only their ids distinguish them. */
export type AmbiguousName = { readonly _tag: 'AmbiguousName'; readonly named: string; readonly ids: ReadonlyArray<WorkspaceId> }

/** What finding a workspace needs. */
export type FindWorkspaceDeps = { readonly workspaces: Pick<Workspaces, 'find' | 'named'> }

/** Makes the use case of what it needs. */
export const makeFindWorkspace =
  ({ workspaces }: FindWorkspaceDeps): FindWorkspace =>
  (named) =>
  async () => {
    if (isWorkspaceId(named)) {
      const found = await workspaces.find(named)()
      return E.isLeft(found) ? found : only(named, O.isSome(found.right) ? [found.right.value] : [])
    }
    const namesakes = await workspaces.named(named.trim())()
    if (E.isLeft(namesakes)) return namesakes
    const inUse = namesakes.right.filter(({ archivedAt }) => archivedAt === undefined)
    return only(named, inUse.length > 0 ? inUse : namesakes.right)
  }

const only = (named: string, found: ReadonlyArray<Workspace>): E.Either<NoSuchWorkspace | AmbiguousName, Workspace> => {
  const [first, ...others] = found
  if (first === undefined) return E.left({ _tag: 'NoSuchWorkspace', named })
  return others.length === 0 ? E.right(first) : E.left({ _tag: 'AmbiguousName', named, ids: found.map(({ id }) => id) })
}
