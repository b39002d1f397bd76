import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidName, PortFailure } from '../errors.js'
import type { Currency } from '../money.js'
import type { Along, NewWorkspace, Workspaces } from '../ports/workspaces.js'
import type { Actor } from '../principal.js'
import type { Clock } from '../time.js'
import { parseWorkspaceName, type Workspace, type WorkspaceId } from '../workspace.js'
import { perform, type ActDeps, type Described } from './acting.js'

/** Makes a workspace with an empty wallet. */
export type CreateWorkspace = (command: CreateWorkspaceCommand) => TE.TaskEither<CreateWorkspaceError, Workspace>

/** The wallet is in the rate card's currency where none is given. `again` allows a name that another workspace has. */
export type CreateWorkspaceCommand = { readonly by: Actor; readonly name: string; readonly currency?: Currency; readonly again?: boolean }

/** How making a workspace can fail. */
export type CreateWorkspaceError = InvalidName | CurrencyNotPriced | NameTaken | Forbidden | PortFailure

/** The rate card has no prices in the currency that was asked for, so a workspace in it could never send. */
export type CurrencyNotPriced = { readonly _tag: 'CurrencyNotPriced'; readonly wanted: Currency; readonly priced: Currency }

/** Another workspace in use, `by`, has this name. */
export type NameTaken = { readonly _tag: 'NameTaken'; readonly name: string; readonly by: WorkspaceId }

/** What making a workspace needs. */
export type CreateWorkspaceDeps = ActDeps & {
  readonly workspaces: Pick<Workspaces, 'create' | 'find' | 'named'>
  /** The currency of the rate card's prices. */
  readonly pricedIn: Currency
  /** A new id of a workspace. */
  readonly newWorkspaceId: () => WorkspaceId
  readonly now: Clock
}

/** Makes the use case of what it needs. */
export const makeCreateWorkspace =
  (deps: CreateWorkspaceDeps): CreateWorkspace =>
  ({ by, ...command }) =>
  () =>
    perform(deps, { by, act: 'workspace.create', workspace: undefined }, { describe: describeCreated, describeAnswer: describeCreated }, create(deps, command))

const describeCreated = ({ id, name, currency }: NewWorkspace): Described => ({ workspace: id, subject: id, details: { name, currency } })

const create =
  ({ workspaces, pricedIn, newWorkspaceId, now }: CreateWorkspaceDeps, command: Omit<CreateWorkspaceCommand, 'by'>) =>
  async (along: Along<NewWorkspace>): Promise<E.Either<Exclude<CreateWorkspaceError, Forbidden>, Workspace>> => {
    const name = parseWorkspaceName(command.name)
    if (E.isLeft(name)) return name
    const currency = command.currency ?? pricedIn
    if (currency !== pricedIn) return E.left({ _tag: 'CurrencyNotPriced', wanted: currency, priced: pricedIn })
    const namesakes = await workspaces.named(name.right)()
    if (E.isLeft(namesakes)) return namesakes
    const free = checkNameIsFree(name.right, namesakes.right, command.again)
    if (E.isLeft(free)) return free
    const workspace: Workspace = { id: newWorkspaceId(), name: name.right, currency, createdAt: now() }
    const created = await workspaces.create(workspace, along)()
    return E.isLeft(created) ? created : E.right(workspace)
  }

/** Checks that no workspace in use has a name, unless the name is wanted again. */
export const checkNameIsFree = (name: string, namesakes: ReadonlyArray<Workspace>, again: boolean | undefined): E.Either<NameTaken, void> => {
  const namesake = namesakes.find(({ archivedAt }) => archivedAt === undefined)
  return namesake === undefined || again === true ? E.right(undefined) : E.left({ _tag: 'NameTaken', name, by: namesake.id })
}
