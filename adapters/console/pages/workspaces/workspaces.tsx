import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { Authenticated } from '../../../../core/access/sign-in.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { type Balance, parseCurrency } from '../../../../core/kernel/money.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import type { Runway } from '../../../../core/overview.js'
import { type Answer, type ConsolePath, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { type Entry, homeOf } from '../../navigation.js'
import { actorOf, cursorIn, listed, type Page, type PageDeps, whenSignedIn } from '../../page.js'
import { OPEN_PANEL, type Refused } from '../../parts.js'
import type { PageRequest } from '../../request.js'
import { TEXTS } from '../../texts.js'
import { type Cursors, inUseOf, WorkspacesPage } from './workspaces-page.js'
import type { GatewayFacts, UsesOf } from '../../gateway.js'

const { workspaces: texts } = TEXTS

/** The dependencies of these pages. */
export type AllWorkspacesSection = UsesOf<'money'> & UsesOf<'overview'> & UsesOf<'workspaces'> & Pick<GatewayFacts, 'rateCard'>

/** The workspaces of a member, with the pages that the member may open; for operators all workspaces, their totals, and a form that creates one. */
export const workspacesPages = (
  deps: PageDeps, section: AllWorkspacesSection | undefined, patterns: ReadonlySet<string>,
): ReadonlyArray<Page> => [{
  path: '/console',
  get: listed(
    'workspaces', listed('workspaces', whenSignedIn(deps, (request, signedIn) => show({ deps, section, patterns }, request, signedIn, {}))),
    'archived',
  ),
  ...(section !== undefined && {
    post: whenSignedIn(deps, (request, signedIn) => create({ deps, section, patterns }, request, signedIn), 'workspace.create'),
  }),
}]

type Parts<Section> = { readonly deps: PageDeps; readonly section: Section; readonly patterns: ReadonlySet<string> }

/** The result of a form, if one was submitted. */
type Outcome = Refused & { readonly typed?: Readonly<Record<string, string>> }

const create = async (parts: Parts<AllWorkspacesSection>, request: PageRequest, signedIn: Authenticated): Promise<Answer> => {
  const { name = '', currency: given = '', again } = request.form
  const wrong = (at: string, problem: string) => show(parts, request, signedIn, { problem, at, typed: request.form })
  const currency = given.trim() === '' ? E.right(undefined) : parseCurrency(given.trim())
  if (E.isLeft(currency)) return wrong('currency', texts.wrong.currency(currency.left.reason))
  const made = await parts.section.createWorkspace({
    by: actorOf(signedIn, request), name, ...(currency.right !== undefined && { currency: currency.right }),
    ...(again !== undefined && { again: true }),
  })
  if (E.isRight(made)) return redirect(pathOf(homeOf(parts.patterns), made.right) ?? '/console')
  switch (made.left._tag) {
    case 'InvalidName': return wrong('new-name', texts.wrong.name(made.left.reason))
    case 'CurrencyNotPriced': return wrong('currency', texts.wrong.notPriced(made.left.priced, made.left.wanted))
    case 'NameTaken': return wrong('new-name', texts.wrong.taken(made.left.by))
    case 'Forbidden': case 'PortFailure': return failurePage(made.left, signedIn)
  }
}

/** Opens the form of a new workspace. */
export const CREATE_WORKSPACE: Entry = {
  path: `/console?${OPEN_PANEL}`, get text() { return texts.create }, icon: 'plus', act: 'workspace.create', keys: 'c w',
}

const pathOf = (pattern: string | undefined, { id }: Workspace): ConsolePath | undefined =>
  pattern?.replace(':workspace', id) as ConsolePath | undefined

const cursorsIn = (request: PageRequest): Cursors => ({ cursor: cursorIn(request), archived: cursorIn(request, 'archived') })

const show = async (
  { deps, section, patterns }: Parts<AllWorkspacesSection | undefined>, request: PageRequest, signedIn: Authenticated, outcome: Outcome,
): Promise<Answer> => {
  const { principal } = signedIn
  const seesAll = section !== undefined && isAllowed(principal, 'workspace.view', undefined)
  const found = await (seesAll ? section.readWorkspaces() : deps.workspaces.listWorkspaces({ by: actorOf(signedIn, request) }))
  if (E.isLeft(found)) return failurePage(found.left, signedIn)
  const totals: E.Either<Parameters<typeof failurePage>[0], ReadonlyArray<Balance>> = seesAll ? await section.showTotals() : E.right([])
  if (E.isLeft(totals)) return failurePage(totals.left, signedIn)
  const [sought, cursors] = [seesAll ? request.query.get('name') ?? '' : undefined, cursorsIn(request)]
  const runways = seesAll ? await readRunways(section, inUseOf(found.right, cursors, sought).items) : E.right(undefined)
  if (E.isLeft(runways)) return failurePage(runways.left, signedIn)
  const home = homeOf(patterns)
  const wallet = '/console/workspaces/:workspace/wallet'
  const content: VNode = (
    <WorkspacesPage
      principal={principal} workspaces={found.right} totals={totals.right} runways={runways.right} sought={sought} cursors={cursors}
      outcome={outcome} pathOf={(workspace) => pathOf(home, workspace)}
      walletOf={(workspace) => (patterns.has(wallet) ? pathOf(`${wallet}?${OPEN_PANEL}`, workspace) : undefined)}
      pricedIn={section !== undefined && isAllowed(principal, 'workspace.create', undefined) ? section.rateCard().currency : undefined}
      isCreating={outcome.typed !== undefined || request.query.has(OPEN_PANEL)}
    />
  )
  const firstAct = section !== undefined && { firstAct: CREATE_WORKSPACE }
  return {
    _tag: 'Html', status: outcome.problem === undefined ? 200 : 422, title: texts.title, path: '/console', signedIn, content, ...firstAct,
  }
}

/** How many workspaces are read concurrently, so that one page does not use every connection to the database. */
const READ_AT_ONCE = 20

const readRunways = async (
  { showRunway }: AllWorkspacesSection, workspaces: ReadonlyArray<Workspace>,
): Promise<E.Either<PortFailure, ReadonlyMap<WorkspaceId, Runway>>> => {
  const runways = new Map<WorkspaceId, Runway>()
  for (let from = 0; from < workspaces.length; from += READ_AT_ONCE) {
    const read = await Promise.all(workspaces.slice(from, from + READ_AT_ONCE).map(async ({ id }) => [id, await showRunway(id)] as const))
    for (const [id, runway] of read) {
      if (E.isLeft(runway)) return runway
      runways.set(id, runway.right)
    }
  }
  return E.right(runways)
}
