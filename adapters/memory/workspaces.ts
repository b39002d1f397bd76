import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { NewWorkspace, UnknownWorkspace, Workspace, Workspaces } from '../../core/kernel/workspace.js'
import { type Accounts, openAccount } from './accounts.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { atomic, infallible } from './task.js'

/** The workspaces in memory, each with its account. */
export const makeMemoryWorkspaces = (all: Map<WorkspaceId, Workspace>, accounts: Accounts, events: EventState = openEventState()): Workspaces => ({
  create: ({ id, name, currency, createdAt }: NewWorkspace, along) =>
    infallible(() => {
      if (all.has(id)) return
      all.set(id, { id, name, currency, createdAt })
      accounts.set(id, openAccount(currency))
      if (along !== undefined) storeEvents(events, along({ id, name, currency, createdAt }))
    }),
  find: (id) => infallible(() => O.fromNullable(all.get(id))),
  named: (name) => infallible(() => oldestFirst([...all.values()].filter((workspace) => workspace.name === name))),
  list: () => infallible(() => oldestFirst([...all.values()])),
  rename: (id, name, along) => change({ all, events }, id, (workspace) => ({ ...workspace, name }), along),
  archive: (id, at, along) => change({ all, events }, id, (workspace) => ({ ...workspace, archivedAt: workspace.archivedAt ?? at }), along),
})

const oldestFirst = (workspaces: ReadonlyArray<Workspace>): ReadonlyArray<Workspace> =>
  workspaces.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))

type Kept = { readonly all: Map<WorkspaceId, Workspace>; readonly events: EventState }

const change = (
  { all, events }: Kept, id: WorkspaceId, to: (workspace: Workspace) => Workspace, along: Along<WorkspaceId> | undefined,
): TaskEither<UnknownWorkspace, void> =>
  atomic(() => {
    const workspace = all.get(id)
    if (workspace === undefined) return E.left({ _tag: 'UnknownWorkspace' })
    all.set(id, to(workspace))
    if (along !== undefined) storeEvents(events, along(id))
    return E.right(undefined)
  })
