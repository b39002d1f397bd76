import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, UnknownWorkspace } from '../errors.js'
import type { Workspaces } from '../ports/workspaces.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/** Ends the use of a workspace: its keys stop working, and its money, messages and sender stay as they are. */
export type ArchiveWorkspace = (command: ArchiveWorkspaceCommand) => TE.TaskEither<ArchiveWorkspaceError, void>

/** Which workspace. */
export type ArchiveWorkspaceCommand = { readonly workspace: WorkspaceId }

/** How ending its use can fail. */
export type ArchiveWorkspaceError = UnknownWorkspace | PortFailure

/** What ending its use needs. */
export type ArchiveWorkspaceDeps = { readonly workspaces: Pick<Workspaces, 'archive'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeArchiveWorkspace =
  ({ workspaces, now }: ArchiveWorkspaceDeps): ArchiveWorkspace =>
  ({ workspace }) =>
  async () => workspaces.archive(workspace, now())()
