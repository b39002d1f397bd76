import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Balance, Currency } from '../../core/kernel/money.js'
import type { Workspace, Workspaces } from '../../core/kernel/workspace.js'
import { done, refused, same } from './expect.js'
import { longAgo, newName, newWorkspaceId, times } from './ids.js'
import type { Law } from './law.js'

/** The workspaces, and the control over the environment that their laws need. */
export type WorkspacesFixture = {
  readonly workspaces: Workspaces
  /** The current balance of a workspace's wallet. */
  readonly balance: (workspace: WorkspaceId) => Promise<Balance>
}

const USD = 'USD' as Currency
const EUR = 'EUR' as Currency

const newWorkspace = (createdAt: number = Date.now(), more: Partial<Workspace> = {}): Workspace => ({
  id: newWorkspaceId(createdAt), name: 'Acme', currency: USD, createdAt, ...more,
})

const created = async ({ workspaces }: WorkspacesFixture, workspace: Workspace): Promise<Workspace> => {
  await done('a workspace is created', workspaces.create(workspace))
  return workspace
}

const found = ({ workspaces }: WorkspacesFixture, id: WorkspaceId): Promise<O.Option<Workspace>> =>
  done('a workspace is looked for', workspaces.find(id))

const listed = async ({ workspaces }: WorkspacesFixture, among: ReadonlyArray<Workspace>): Promise<ReadonlyArray<Workspace>> =>
  (await done('the workspaces are listed', workspaces.list())).filter(({ id }) => among.some((one) => one.id === id))

/** The promises of every `Workspaces`. */
export const workspacesLaws: ReadonlyArray<Law<WorkspacesFixture>> = [
  {
    name: 'a workspace is found as it was made',
    check: async (fixture) => {
      const workspace = await created(fixture, newWorkspace(Date.UTC(2026, 2, 1, 12, 0, 0, 1), { currency: EUR }))
      same('the workspace as it was made', await found(fixture, workspace.id), O.some(workspace))
    },
  },
  {
    name: 'a workspace that does not exist is not found',
    check: async (fixture) => same('an unknown id', await found(fixture, newWorkspaceId()), O.none),
  },
  {
    name: 'a workspace is made with an empty wallet in its currency',
    check: async (fixture) => {
      for (const currency of [USD, EUR]) {
        const { id } = await created(fixture, newWorkspace(Date.now(), { currency }))
        same('a new wallet is empty', await fixture.balance(id), { available: 0n, held: 0n, currency })
      }
    },
  },
  {
    name: 'making the same workspace again changes nothing',
    check: async (fixture) => {
      const workspace = await created(fixture, newWorkspace())
      await created(fixture, workspace)
      await created(fixture, { ...workspace, name: 'Other', currency: EUR, createdAt: workspace.createdAt + 1 })
      same('the workspace is as it was', await found(fixture, workspace.id), O.some(workspace))
      same('the workspace is listed once', await listed(fixture, [workspace]), [workspace])
      same('its wallet is as it was', await fixture.balance(workspace.id), { available: 0n, held: 0n, currency: workspace.currency })
    },
  },
  {
    name: 'concurrent makings of the same workspace make it once',
    check: async (fixture) => {
      const workspace = newWorkspace()
      await Promise.all(times(5, () => created(fixture, workspace)))
      same('the workspace is listed once', await listed(fixture, [workspace]), [workspace])
    },
  },
  {
    name: 'the name of a workspace is kept as it was given',
    check: async (fixture) => {
      for (const name of ['"Quoted" & \'single\'', 'Café 日本 🌍', 'Robert\'); drop table workspaces; --', '\\ % _']) {
        const workspace = await created(fixture, newWorkspace(Date.now(), { name }))
        same('a name comes back as given', await found(fixture, workspace.id), O.some(workspace))
      }
    },
  },
  {
    name: 'two workspaces may have the same name',
    check: async (fixture) => {
      const pair = [await created(fixture, newWorkspace(1_700_000_000_000)), await created(fixture, newWorkspace(1_700_000_000_001))]
      same('both are listed', await listed(fixture, pair), pair)
    },
  },
  {
    name: 'a list has every workspace, oldest first',
    check: async (fixture) => {
      const start = longAgo()
      const made = times(5, (step) => newWorkspace(start + step))
      for (const step of [3, 0, 4, 1, 2]) await created(fixture, made[step] ?? newWorkspace())
      same('the workspaces, oldest first', await listed(fixture, made), made)
    },
  },
  {
    name: 'workspaces are found by their exact name, oldest first',
    check: async (fixture) => {
      const start = longAgo()
      const name = `Käse & ${newName()}`
      const [second, first] = [
        await created(fixture, newWorkspace(start + 1, { name })), await created(fixture, newWorkspace(start, { name })),
      ]
      for (const other of [`${name} `, ` ${name}`, name.toUpperCase(), `${name}%`, name.replace('ä', 'a')]) {
        await created(fixture, newWorkspace(start, { name: other }))
      }
      same('the workspaces of a name', await done('workspaces are looked for', fixture.workspaces.named(name)), [first, second])
    },
  },
  {
    name: 'a name that no workspace has, of any text, finds none',
    check: async ({ workspaces }) => {
      for (const name of [newName(), '', '%', '\u0000', '\' or 1=1 --', 'x'.repeat(10_240)]) {
        same('no workspace', await done('workspaces are looked for', workspaces.named(name)), [])
      }
    },
  },
  {
    name: 'a renamed workspace is found by its new name alone, and is otherwise as it was',
    check: async (fixture) => {
      const workspace = await created(fixture, newWorkspace(longAgo(), { name: newName() }))
      const name = `"${newName()}" 日本`
      await done('a workspace is renamed', fixture.workspaces.rename(workspace.id, name))
      same('the workspace', await found(fixture, workspace.id), O.some({ ...workspace, name }))
      same('its new name', await done('workspaces are looked for', fixture.workspaces.named(name)), [{ ...workspace, name }])
      same('its old name', await done('workspaces are looked for', fixture.workspaces.named(workspace.name)), [])
    },
  },
  {
    name: 'an archived workspace keeps the first moment, and is found, named and listed with it',
    check: async (fixture) => {
      const workspace = await created(fixture, newWorkspace(longAgo(), { name: newName() }))
      for (const step of [2, 3, 1]) {
        await done('a workspace is archived', fixture.workspaces.archive(workspace.id, workspace.createdAt + step))
      }
      const archived = { ...workspace, archivedAt: workspace.createdAt + 2 }
      same('the workspace', await found(fixture, workspace.id), O.some(archived))
      same('the workspaces of its name', await done('workspaces are looked for', fixture.workspaces.named(workspace.name)), [archived])
      same('the list', await listed(fixture, [workspace]), [archived])
      await created(fixture, workspace)
      same('making it again changes nothing', await found(fixture, workspace.id), O.some(archived))
    },
  },
  {
    name: 'renaming or archiving what does not exist is an UnknownWorkspace',
    check: async ({ workspaces }) => {
      await refused('renaming', 'UnknownWorkspace', workspaces.rename(newWorkspaceId(), 'Other'))
      await refused('archiving', 'UnknownWorkspace', workspaces.archive(newWorkspaceId(), 1))
    },
  },
]
