import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { portFailure } from '../../core/kernel/failure.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { workspacesLaws } from '../laws/workspaces.js'
import { andThen, brokenMemory, ignoring, noting, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const ANY: Workspace = { id: 'ws_1' as WorkspaceId, name: 'Any', currency: 'USD' as Currency, createdAt: 0 }

describeMutations('workspaces', workspacesLaws, [
  {
    defect: 'keeps the time of creation in whole seconds',
    open: brokenMemory('workspaces', ({ create }) => ({
      create: ({ createdAt, ...more }) => create({ ...more, createdAt: Math.floor(createdAt / 1_000) * 1_000 }),
    })),
    breaks: ['a workspace is found as it was made'],
  },
  {
    defect: 'finds a workspace for every id',
    open: brokenMemory('workspaces', ({ find }) => ({ find: (id) => withResult(find(id), O.alt(() => O.some(ANY))) })),
    breaks: ['a workspace that does not exist is not found'],
  },
  {
    defect: 'makes every wallet in USD',
    open: brokenMemory('workspaces', ({ create }) => ({ create: (workspace) => create({ ...workspace, currency: 'USD' as Currency }) })),
    breaks: [
      'a workspace is found as it was made',
      'a workspace is made with an empty wallet in its currency',
    ],
  },
  {
    defect: 'replaces the workspace that is created again',
    open: brokenMemory('workspaces', ({ find }) => {
      const latest = new Map<string, Workspace>()
      return {
        create: async (workspace) => E.right(void latest.set(workspace.id, workspace)),
        find: async (id) => (latest.has(id) ? E.right(O.fromNullable(latest.get(id))) : find(id)),
      }
    }),
    breaks: ['a workspace is made with an empty wallet in its currency'],
  },
  {
    defect: 'lists a workspace once for each creation',
    open: brokenMemory('workspaces', ({ create, list }) => {
      const created: string[] = []
      return {
        create: (workspace) => noting(create(workspace), () => void created.push(workspace.id)),
        list: () => withResult(list(), (all) => all.flatMap((one) => created.filter((id) => id === one.id).map(() => one))),
      }
    }),
    breaks: [
      'making the same workspace again changes nothing',
      'concurrent makings of the same workspace make it once',
    ],
  },
  {
    defect: 'reduces names to ASCII',
    open: brokenMemory('workspaces', ({ create }) => ({
      create: ({ name, ...more }) => create({ ...more, name: name.replace(/[^ -~]/g, '') }),
    })),
    breaks: ['the name of a workspace is kept as it was given'],
  },
  {
    defect: 'makes no second workspace of a name',
    open: brokenMemory('workspaces', ({ create, named }) => ({
      create: (workspace) => andThen(named(workspace.name), async (same) => (same.length > 0 ? E.right(undefined) : create(workspace))),
    })),
    breaks: ['a workspace is made with an empty wallet in its currency'],
  },
  {
    defect: 'lists the newest workspace first',
    open: brokenMemory('workspaces', ({ list }) => ({ list: () => withResult(list(), (all) => all.toReversed()) })),
    breaks: [
        'two workspaces may have the same name',
        'a list has every workspace, oldest first',
      ],
  },
  {
    defect: 'compares names without case and spaces',
    open: brokenMemory('workspaces', ({ list }) => ({
      named: (name) => withResult(list(), (all) => all.filter((one) => one.name.trim().toLowerCase() === name.trim().toLowerCase())),
    })),
    breaks: ['workspaces are found by their exact name, oldest first'],
  },
  {
    defect: 'fails for a name that no workspace has',
    open: brokenMemory('workspaces', ({ named }) => ({
      named: (name) =>
        andThen(named(name), async (found) => (found.length === 0 ? E.left(portFailure('Workspaces')('not found')) : E.right(found))),
    })),
    breaks: ['a name that no workspace has, of any text, finds none'],
  },
  {
    defect: 'renames nothing',
    open: brokenMemory('workspaces', ({ find }) => ({
      rename: (id) => andThen(find(id), async (found) => (O.isSome(found) ? E.right(undefined) : E.left({ _tag: 'UnknownWorkspace' }))),
    })),
    breaks: ['a renamed workspace is found by its new name alone, and is otherwise as it was'],
  },
  {
    defect: 'keeps the last moment of archiving',
    open: brokenMemory('workspaces', ({ archive, find }) => {
      const last = new Map<string, number>()
      return {
        archive: (id, at) => noting(archive(id, at), () => void last.set(id, at)),
        find: (id) => withResult(find(id), O.map((found) => {
          const archivedAt = last.get(id)
          return archivedAt === undefined ? found : { ...found, archivedAt }
        })),
      }
    }),
    breaks: ['an archived workspace keeps the first moment, and is found, named and listed with it'],
  },
  {
    defect: 'renames a workspace that does not exist with success',
    open: brokenMemory('workspaces', ({ rename }) => ({ rename: (id, name) => ignoring(rename(id, name), 'UnknownWorkspace') })),
    breaks: ['renaming or archiving what does not exist is an UnknownWorkspace'],
  },
  {
    defect: 'archives a workspace that does not exist with success',
    open: brokenMemory('workspaces', ({ archive }) => ({ archive: (id, at) => ignoring(archive(id, at), 'UnknownWorkspace') })),
    breaks: ['renaming or archiving what does not exist is an UnknownWorkspace'],
  },
])
