import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { InvalidName, PortFailure, UnknownWorkspace } from '../errors.js'
import type { Workspaces } from '../ports/workspaces.js'
import { parseWorkspaceName, type WorkspaceId } from '../workspace.js'
import { checkNameIsFree, type NameTaken } from './create-workspace.js'

/** Gives a workspace another name. Right: the name as it is kept. */
export type RenameWorkspace = (command: RenameWorkspaceCommand) => TE.TaskEither<RenameWorkspaceError, string>

/** `again` allows a name that another workspace has. */
export type RenameWorkspaceCommand = { readonly workspace: WorkspaceId; readonly name: string; readonly again?: boolean }

/** How giving it another name can fail. */
export type RenameWorkspaceError = InvalidName | NameTaken | UnknownWorkspace | PortFailure

/** What giving it another name needs. */
export type RenameWorkspaceDeps = { readonly workspaces: Pick<Workspaces, 'named' | 'rename'> }

/** Makes the use case of what it needs. */
export const makeRenameWorkspace =
  ({ workspaces }: RenameWorkspaceDeps): RenameWorkspace =>
  ({ workspace, again, ...command }) =>
  async () => {
    const name = parseWorkspaceName(command.name)
    if (E.isLeft(name)) return name
    const namesakes = await workspaces.named(name.right)()
    if (E.isLeft(namesakes)) return namesakes
    const free = checkNameIsFree(name.right, namesakes.right.filter(({ id }) => id !== workspace), again)
    if (E.isLeft(free)) return free
    const renamed = await workspaces.rename(workspace, name.right)()
    return E.isLeft(renamed) ? renamed : name
  }
