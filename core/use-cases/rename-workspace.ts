import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidName, PortFailure, UnknownWorkspace } from '../errors.js'
import type { Along, Workspaces } from '../ports/workspaces.js'
import type { Actor } from '../principal.js'
import { parseWorkspaceName, type WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'
import { checkNameIsFree, type NameTaken } from './create-workspace.js'

/** Gives a workspace another name. Right: the name as it is kept. */
export type RenameWorkspace = (command: RenameWorkspaceCommand) => TE.TaskEither<RenameWorkspaceError, string>

/** `again` allows a name that another workspace has. */
export type RenameWorkspaceCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly name: string; readonly again?: boolean }

/** How giving it another name can fail. */
export type RenameWorkspaceError = InvalidName | NameTaken | UnknownWorkspace | Forbidden | PortFailure

/** What giving it another name needs. */
export type RenameWorkspaceDeps = ActDeps & { readonly workspaces: Pick<Workspaces, 'find' | 'named' | 'rename'> }

/** Makes the use case of what it needs. */
export const makeRenameWorkspace =
  (deps: RenameWorkspaceDeps): RenameWorkspace =>
  ({ by, ...command }) =>
  () => {
    const { workspace } = command
    const name = parseWorkspaceName(command.name)
    const acting = { by, act: 'workspace.rename', workspace, subject: workspace, ...(E.isRight(name) && { details: { name: name.right } }) } as const
    return perform(deps, acting, {}, rename(deps, { ...command, name }))
  }

type Renaming = Omit<RenameWorkspaceCommand, 'by' | 'name'> & { readonly name: E.Either<InvalidName, string> }

const rename =
  ({ workspaces }: RenameWorkspaceDeps, { workspace, again, name }: Renaming) =>
  async (along: Along<WorkspaceId>): Promise<E.Either<Exclude<RenameWorkspaceError, Forbidden>, string>> => {
    if (E.isLeft(name)) return name
    const namesakes = await workspaces.named(name.right)()
    if (E.isLeft(namesakes)) return namesakes
    const free = checkNameIsFree(name.right, namesakes.right.filter(({ id }) => id !== workspace), again)
    if (E.isLeft(free)) return free
    const renamed = await workspaces.rename(workspace, name.right, along)()
    return E.isLeft(renamed) ? renamed : name
  }
