import * as O from 'fp-ts/lib/Option.js'
import type { Balance, Currency } from '../../core/money.js'
import type { Workspace, WorkspaceId, Workspaces } from '../../core/ports/workspaces.js'
import { done, same } from './expect.js'
import { longAgo, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** The workspaces, and the power over the outside that their laws need. */
export type WorkspacesWorld = {
  readonly workspaces: Workspaces
  /** What the wallet of a workspace holds now. */
  readonly balance: (workspace: WorkspaceId) => Promise<Balance>
}

const USD = 'USD' as Currency
const EUR = 'EUR' as Currency

const newWorkspace = (createdAt: number = Date.now(), more: Partial<Workspace> = {}): Workspace => ({
  id: newWorkspaceId(createdAt), name: 'Acme', currency: USD, createdAt, ...more,
})

const created = async ({ workspaces }: WorkspacesWorld, workspace: Workspace): Promise<Workspace> => {
  await done('a workspace is created', workspaces.create(workspace))
  return workspace
}

const found = ({ workspaces }: WorkspacesWorld, id: WorkspaceId): Promise<O.Option<Workspace>> =>
  done('a workspace is looked for', workspaces.find(id))

const listed = async ({ workspaces }: WorkspacesWorld, among: ReadonlyArray<Workspace>): Promise<ReadonlyArray<Workspace>> =>
  (await done('the workspaces are listed', workspaces.list())).filter(({ id }) => among.some((one) => one.id === id))

/** What every `Workspaces` promises. */
export const workspacesLaws: ReadonlyArray<Law<WorkspacesWorld>> = [
  {
    name: 'a workspace is found as it was made',
    check: async (world) => {
      const workspace = await created(world, newWorkspace(Date.UTC(2026, 2, 1, 12, 0, 0, 1), { currency: EUR }))
      same('the workspace as it was made', await found(world, workspace.id), O.some(workspace))
    },
  },
  {
    name: 'a workspace that does not exist is not found',
    check: async (world) => same('an id nobody made', await found(world, newWorkspaceId()), O.none),
  },
  {
    name: 'a workspace is made with an empty wallet in its currency',
    check: async (world) => {
      for (const currency of [USD, EUR]) {
        const { id } = await created(world, newWorkspace(Date.now(), { currency }))
        same('a new wallet is empty', await world.balance(id), { available: 0n, held: 0n, currency })
      }
    },
  },
  {
    name: 'making the same workspace again changes nothing',
    check: async (world) => {
      const workspace = await created(world, newWorkspace())
      await created(world, workspace)
      await created(world, { ...workspace, name: 'Other', currency: EUR, createdAt: workspace.createdAt + 1 })
      same('the workspace is as it was', await found(world, workspace.id), O.some(workspace))
      same('the workspace is listed once', await listed(world, [workspace]), [workspace])
      same('its wallet is as it was', await world.balance(workspace.id), { available: 0n, held: 0n, currency: workspace.currency })
    },
  },
  {
    name: 'concurrent makings of the same workspace make it once',
    check: async (world) => {
      const workspace = newWorkspace()
      await Promise.all(times(5, () => created(world, workspace)))
      same('the workspace is listed once', await listed(world, [workspace]), [workspace])
    },
  },
  {
    name: 'the name of a workspace is kept as it was given',
    check: async (world) => {
      for (const name of ['"Quoted" & \'single\'', 'Café 日本 🌍', 'Robert\'); drop table workspaces; --', '\\ % _']) {
        const workspace = await created(world, newWorkspace(Date.now(), { name }))
        same('a name comes back as given', await found(world, workspace.id), O.some(workspace))
      }
    },
  },
  {
    name: 'two workspaces may have the same name',
    check: async (world) => {
      const pair = [await created(world, newWorkspace(1_700_000_000_000)), await created(world, newWorkspace(1_700_000_000_001))]
      same('both are listed', await listed(world, pair), pair)
    },
  },
  {
    name: 'a list has every workspace, oldest first',
    check: async (world) => {
      const start = longAgo()
      const made = times(5, (step) => newWorkspace(start + step))
      for (const step of [3, 0, 4, 1, 2]) await created(world, made[step] ?? newWorkspace())
      same('the workspaces, oldest first', await listed(world, made), made)
    },
  },
]
