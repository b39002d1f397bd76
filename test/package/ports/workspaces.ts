import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, Workspace, WorkspaceId, Workspaces } from '../../../core/ports/workspaces.js'

export const workspaces = (all: Map<WorkspaceId, Workspace>): Workspaces => ({
  create: (workspace: Workspace): TE.TaskEither<PortFailure, void> => TE.fromIO(() => void all.set(workspace.id, workspace)),
  find: (id: WorkspaceId): TE.TaskEither<PortFailure, O.Option<Workspace>> => TE.right(O.fromNullable(all.get(id))),
  list: (): TE.TaskEither<PortFailure, ReadonlyArray<Workspace>> => TE.right([...all.values()]),
})
