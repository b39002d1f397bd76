import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { NewWorkspace, UnknownWorkspace, Workspace, WorkspaceId, Workspaces } from '../../core/ports/workspaces.js'
import { openAccount, type Accounts } from './accounts.js'
import { atomic, infallible } from './task.js'

/** The workspaces in memory, each with its account. */
export const makeMemoryWorkspaces = (all: Map<WorkspaceId, Workspace>, accounts: Accounts): Workspaces => ({
  create: ({ id, name, currency, createdAt }: NewWorkspace) =>
    infallible(() => {
      if (all.has(id)) return
      all.set(id, { id, name, currency, createdAt })
      accounts.set(id, openAccount(currency))
    }),
  find: (id) => infallible(() => O.fromNullable(all.get(id))),
  named: (name) => infallible(() => oldestFirst([...all.values()].filter((workspace) => workspace.name === name))),
  list: () => infallible(() => oldestFirst([...all.values()])),
  rename: (id, name) => change(all, id, (workspace) => ({ ...workspace, name })),
  archive: (id, at) => change(all, id, (workspace) => ({ ...workspace, archivedAt: workspace.archivedAt ?? at })),
})

const oldestFirst = (workspaces: ReadonlyArray<Workspace>): ReadonlyArray<Workspace> =>
  workspaces.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

const change = (all: Map<WorkspaceId, Workspace>, id: WorkspaceId, to: (workspace: Workspace) => Workspace): TaskEither<UnknownWorkspace, void> =>
  atomic(() => {
    const workspace = all.get(id)
    if (workspace === undefined) return E.left({ _tag: 'UnknownWorkspace' })
    all.set(id, to(workspace))
    return E.right(undefined)
  })
