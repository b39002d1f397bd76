import * as O from 'fp-ts/lib/Option.js'
import type { Workspace, WorkspaceId, Workspaces } from '../../core/ports/workspaces.js'
import { openAccount, type Books } from './books.js'
import { surely } from './task.js'

/** The workspaces in memory, each with its account in the books. */
export const makeMemoryWorkspaces = (all: Map<WorkspaceId, Workspace>, books: Books): Workspaces => ({
  create: (workspace) =>
    surely(() => {
      if (all.has(workspace.id)) return
      all.set(workspace.id, workspace)
      books.set(workspace.id, openAccount(workspace.currency))
    }),
  find: (id) => surely(() => O.fromNullable(all.get(id))),
  list: () => surely(() => [...all.values()].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))),
})
