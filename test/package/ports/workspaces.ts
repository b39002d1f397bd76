import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type {
  Along, AlongEntry, Instant, NewWorkspace, PortFailure, UnknownWorkspace, Workspace, WorkspaceId, Workspaces,
} from '../../../core/ports/workspaces.js'

export const workspaces = (all: Map<WorkspaceId, Workspace>, entries: AlongEntry[]): Workspaces => ({
  create: (workspace: NewWorkspace, along?: Along<NewWorkspace>): TE.TaskEither<PortFailure, void> => TE.fromIO(() => {
    all.set(workspace.id, workspace)
    entries.push(...(along?.(workspace) ?? []))
  }),
  find: (id: WorkspaceId): TE.TaskEither<PortFailure, O.Option<Workspace>> => TE.right(O.fromNullable(all.get(id))),
  named: (name: string): TE.TaskEither<PortFailure, ReadonlyArray<Workspace>> => TE.right([...all.values()].filter((one) => one.name === name)),
  list: (): TE.TaskEither<PortFailure, ReadonlyArray<Workspace>> => TE.right([...all.values()]),
  rename: (id: WorkspaceId, name: string) => change(all, id, { name }),
  archive: (id: WorkspaceId, at: Instant) => change(all, id, { archivedAt: at }),
})

const change = (all: Map<WorkspaceId, Workspace>, id: WorkspaceId, to: Partial<Workspace>): TE.TaskEither<UnknownWorkspace | PortFailure, void> => {
  const before = all.get(id)
  return before === undefined ? TE.left({ _tag: 'UnknownWorkspace' }) : TE.fromIO(() => void all.set(id, { ...before, ...to }))
}
