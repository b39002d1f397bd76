import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, PortFailure, UnknownWorkspace } from '../errors.js'
import type { Along, Workspaces } from '../ports/workspaces.js'
import type { Actor } from '../principal.js'
import type { Clock } from '../time.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'

/** Ends the use of a workspace: its keys stop working, and its money, messages and sender stay as they are. */
export type ArchiveWorkspace = (command: ArchiveWorkspaceCommand) => TE.TaskEither<ArchiveWorkspaceError, void>

/** Which workspace. */
export type ArchiveWorkspaceCommand = { readonly by: Actor; readonly workspace: WorkspaceId }

/** How ending its use can fail. */
export type ArchiveWorkspaceError = UnknownWorkspace | Forbidden | PortFailure

/** What ending its use needs. */
export type ArchiveWorkspaceDeps = ActDeps & { readonly workspaces: Pick<Workspaces, 'archive' | 'find'>; readonly now: Clock }

/** Makes the use case of what it needs. */
export const makeArchiveWorkspace =
  (deps: ArchiveWorkspaceDeps): ArchiveWorkspace =>
  ({ by, workspace }) =>
  () =>
    perform(deps, { by, act: 'workspace.archive', workspace, subject: workspace }, {}, (along: Along<WorkspaceId>) => deps.workspaces.archive(workspace, deps.now(), along)())
