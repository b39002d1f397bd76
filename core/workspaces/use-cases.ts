import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Forbidden, isAllowed } from '../access/access.js'
import { type ActDeps, type Described, perform } from '../access/acting.js'
import type { Actor, Principal } from '../kernel/actor.js'
import type { PortFailure } from '../kernel/failure.js'
import { isWorkspaceId, type WorkspaceId } from '../kernel/ids.js'
import type { Currency } from '../kernel/money.js'
import type { MakeOutboxEntries } from '../kernel/outbox.js'
import type { InvalidName } from '../kernel/text.js'
import type { Clock } from '../kernel/time.js'
import { type NewWorkspace, parseWorkspaceName, type UnknownWorkspace, type Workspace, type Workspaces } from '../kernel/workspace.js'

/** Creates a workspace with an empty wallet. */
export type CreateWorkspace = (command: CreateWorkspaceCommand) => Promise<E.Either<CreateWorkspaceError, Workspace>>

/** By default the wallet is in the rate card's currency. `again` allows a name that another workspace has. */
export type CreateWorkspaceCommand = { readonly by: Actor; readonly name: string; readonly currency?: Currency; readonly again?: boolean }

/** How creating a workspace can fail. */
export type CreateWorkspaceError = InvalidName | CurrencyNotPriced | NameTaken | Forbidden | PortFailure

/** The rate card has no prices in the requested currency, so a workspace in it could never send. */
export type CurrencyNotPriced = { readonly _tag: 'CurrencyNotPriced'; readonly wanted: Currency; readonly priced: Currency }

/** Another workspace in use, `by`, has this name. */
export type NameTaken = { readonly _tag: 'NameTaken'; readonly name: string; readonly by: WorkspaceId }

/** The dependencies of creating a workspace. */
export type CreateWorkspaceDeps = ActDeps & {
  readonly workspaces: Pick<Workspaces, 'create' | 'find' | 'named'>
  /** The currency of the rate card's prices. */
  readonly pricedIn: () => Currency
  /** A new id of a workspace. */
  readonly newWorkspaceId: () => WorkspaceId
  readonly now: Clock
}

export const makeCreateWorkspace =
  (deps: CreateWorkspaceDeps): CreateWorkspace =>
  ({ by, ...command }) =>
    perform(
      deps, { by, act: 'workspace.create', workspace: undefined }, { describe: describeCreated, describeAnswer: describeCreated },
      create(deps, command),
    )

const describeCreated = ({ id, name, currency }: NewWorkspace): Described => ({ workspace: id, subject: id, details: { name, currency } })

const create =
  ({ workspaces, pricedIn, newWorkspaceId, now }: CreateWorkspaceDeps, command: Omit<CreateWorkspaceCommand, 'by'>) =>
  async (outboxEntries: MakeOutboxEntries<NewWorkspace>): Promise<E.Either<Exclude<CreateWorkspaceError, Forbidden>, Workspace>> => {
    const name = parseWorkspaceName(command.name)
    if (E.isLeft(name)) return name
    const priced = pricedIn()
    const currency = command.currency ?? priced
    if (currency !== priced) return E.left({ _tag: 'CurrencyNotPriced', wanted: currency, priced })
    const namesakes = await workspaces.named(name.right)
    if (E.isLeft(namesakes)) return namesakes
    const free = checkNameIsFree(name.right, namesakes.right, command.again)
    if (E.isLeft(free)) return free
    const workspace: Workspace = { id: newWorkspaceId(), name: name.right, currency, createdAt: now() }
    const created = await workspaces.create(workspace, outboxEntries)
    return E.isLeft(created) ? created : E.right(workspace)
  }

/** Checks that no workspace in use has a name, unless `again` allows the name. */
export const checkNameIsFree = (
  name: string, namesakes: ReadonlyArray<Workspace>, again: boolean | undefined,
): E.Either<NameTaken, void> => {
  const namesake = namesakes.find(({ archivedAt }) => archivedAt === undefined)
  return namesake === undefined || again === true ? E.right(undefined) : E.left({ _tag: 'NameTaken', name, by: namesake.id })
}

/** Finds a workspace by its id, or by its name if no other workspace in use has that name; a workspace in use precedes an archived one. */
export type FindWorkspace = (idOrName: string) => Promise<E.Either<FindWorkspaceError, Workspace>>

/** How finding a workspace can fail. */
export type FindWorkspaceError = NoSuchWorkspace | AmbiguousName | PortFailure

/** No workspace has this id or name. */
export type NoSuchWorkspace = { readonly _tag: 'NoSuchWorkspace'; readonly named: string }

/** Several workspaces have this name, so only their ids distinguish them. */
export type AmbiguousName = { readonly _tag: 'AmbiguousName'; readonly named: string; readonly ids: ReadonlyArray<WorkspaceId> }

/** The dependencies of finding a workspace. */
export type FindWorkspaceDeps = { readonly workspaces: Pick<Workspaces, 'find' | 'named'> }

export const makeFindWorkspace =
  ({ workspaces }: FindWorkspaceDeps): FindWorkspace =>
  async (named) => {
    if (isWorkspaceId(named)) {
      const found = await workspaces.find(named)
      return E.isLeft(found) ? found : only(named, O.isSome(found.right) ? [found.right.value] : [])
    }
    const namesakes = await workspaces.named(named.trim())
    if (E.isLeft(namesakes)) return namesakes
    const inUse = namesakes.right.filter(({ archivedAt }) => archivedAt === undefined)
    return only(named, inUse.length > 0 ? inUse : namesakes.right)
  }

const only = (named: string, found: ReadonlyArray<Workspace>): E.Either<NoSuchWorkspace | AmbiguousName, Workspace> => {
  const [first, ...others] = found
  if (first === undefined) return E.left({ _tag: 'NoSuchWorkspace', named })
  return others.length === 0 ? E.right(first) : E.left({ _tag: 'AmbiguousName', named, ids: found.map(({ id }) => id) })
}

/** Lists the workspaces in use that the actor may see, oldest first. */
export type ListWorkspaces = (command: { readonly by: Actor }) => Promise<E.Either<PortFailure, ReadonlyArray<Workspace>>>

/** The dependencies of listing workspaces. */
export type ListWorkspacesDeps = { readonly workspaces: Pick<Workspaces, 'find' | 'list'> }

/** For a member of a few workspaces, not all workspaces are read. */
export const makeListWorkspaces =
  ({ workspaces }: ListWorkspacesDeps): ListWorkspaces =>
  async ({ by: { principal } }) => {
    const found = await (seesAll(principal) ? workspaces.list() : findAll(workspaces, [...idsOf(principal)].sort()))
    return E.map((all: ReadonlyArray<Workspace>) =>
      all.filter((one) => one.archivedAt === undefined && isAllowed(principal, 'workspace.view', one)))(found)
  }

const findAll = async (
  { find }: Pick<Workspaces, 'find'>, ids: ReadonlyArray<WorkspaceId>,
): Promise<E.Either<PortFailure, ReadonlyArray<Workspace>>> => {
  const found = await Promise.all(ids.map((id) => find(id)))
  return E.map((all: ReadonlyArray<O.Option<Workspace>>) => all.flatMap(O.match(() => [], (one) => [one])))(E.sequenceArray(found))
}

const seesAll = (principal: Principal): boolean => isAllowed(principal, 'workspace.view', undefined)

const idsOf = (principal: Principal): Iterable<WorkspaceId> => (principal._tag === 'Member' ? principal.roles.keys() : [])

/** Renames a workspace. Right: the name as it is stored. */
export type RenameWorkspace = (command: RenameWorkspaceCommand) => Promise<E.Either<RenameWorkspaceError, string>>

/** `again` allows a name that another workspace has. */
export type RenameWorkspaceCommand = {
  readonly by: Actor
  readonly workspace: WorkspaceId
  readonly name: string
  readonly again?: boolean
}

/** How renaming it can fail. */
export type RenameWorkspaceError = InvalidName | NameTaken | UnknownWorkspace | Forbidden | PortFailure

/** The dependencies of renaming it. */
export type RenameWorkspaceDeps = ActDeps & { readonly workspaces: Pick<Workspaces, 'find' | 'named' | 'rename'> }

export const makeRenameWorkspace =
  (deps: RenameWorkspaceDeps): RenameWorkspace =>
  ({ by, ...command }) => {
    const { workspace } = command
    const name = parseWorkspaceName(command.name)
    const acting = {
      by, act: 'workspace.rename', workspace, subject: workspace, ...(E.isRight(name) && { details: { name: name.right } }),
    } as const
    return perform(deps, acting, {}, rename(deps, { ...command, name }))
  }

type Renaming = Omit<RenameWorkspaceCommand, 'by' | 'name'> & { readonly name: E.Either<InvalidName, string> }

const rename =
  ({ workspaces }: RenameWorkspaceDeps, { workspace, again, name }: Renaming) =>
  async (outboxEntries: MakeOutboxEntries<WorkspaceId>): Promise<E.Either<Exclude<RenameWorkspaceError, Forbidden>, string>> => {
    if (E.isLeft(name)) return name
    const namesakes = await workspaces.named(name.right)
    if (E.isLeft(namesakes)) return namesakes
    const free = checkNameIsFree(name.right, namesakes.right.filter(({ id }) => id !== workspace), again)
    if (E.isLeft(free)) return free
    const renamed = await workspaces.rename(workspace, name.right, outboxEntries)
    return E.isLeft(renamed) ? renamed : name
  }

/** Archives a workspace: its keys stop working, and its money, messages and sender stay as they are. */
export type ArchiveWorkspace = (command: ArchiveWorkspaceCommand) => Promise<E.Either<ArchiveWorkspaceError, void>>

/** The workspace. */
export type ArchiveWorkspaceCommand = { readonly by: Actor; readonly workspace: WorkspaceId }

/** How archiving it can fail. */
export type ArchiveWorkspaceError = UnknownWorkspace | Forbidden | PortFailure

/** The dependencies of archiving it. */
export type ArchiveWorkspaceDeps = ActDeps & { readonly workspaces: Pick<Workspaces, 'archive' | 'find'>; readonly now: Clock }

export const makeArchiveWorkspace =
  (deps: ArchiveWorkspaceDeps): ArchiveWorkspace =>
  ({ by, workspace }) =>
    perform(
      deps, { by, act: 'workspace.archive', workspace, subject: workspace }, {},
      (outboxEntries: MakeOutboxEntries<WorkspaceId>) => deps.workspaces.archive(workspace, deps.now(), outboxEntries),
    )
