import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { isAllowed } from '../../../../core/access/access.js'
import type { Authenticated } from '../../../../core/access/sign-in.js'
import { parseCurrency } from '../../../../core/kernel/money.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import { LISTED, WORKSPACE_ORDERS } from '../../../../core/all-workspaces.js'
import { type Answer, type ConsolePath, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { type Entry, homeOf } from '../../navigation.js'
import { actorOf, choosing, cursorIn, listed, type Page, type PageDeps, whenSignedIn } from '../../page.js'
import { OPEN_PANEL, type Refused } from '../../parts.js'
import type { PageRequest } from '../../request.js'
import { TEXTS } from '../../texts.js'
import { AllWorkspaces, type Choice } from './all-workspaces.js'
import { CreateWorkspace, WorkspacesPage } from './workspaces-page.js'
import type { GatewayFacts, UsesOf } from '../../gateway.js'

const { workspaces: texts } = TEXTS

/** The dependencies of these pages. */
export type AllWorkspacesSection = UsesOf<'money'> & UsesOf<'overview'> & UsesOf<'workspaces'> & Pick<GatewayFacts, 'rateCard'> & {
  /** The queue; absent if the storage has none. */
  readonly queue?: Pick<UsesOf<'queue'>, 'countHeld'> | undefined
}

/** The workspaces of a member, with the pages that the member may open; for operators all workspaces, their totals, and a form that creates one. */
export const workspacesPages = (
  deps: PageDeps, section: AllWorkspacesSection | undefined, patterns: ReadonlySet<string>,
): ReadonlyArray<Page> => [{
  path: '/console',
  get: choosing({ show: LISTED, sort: WORKSPACE_ORDERS }, listed(
    'workspaces', listed('workspaces', whenSignedIn(deps, (request, signedIn) => show({ deps, section, patterns }, request, signedIn, {}))),
    'archived',
  )),
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

const show = async (
  parts: Parts<AllWorkspacesSection | undefined>, request: PageRequest, signedIn: Authenticated, outcome: Outcome,
): Promise<Answer> => {
  const { deps, section, patterns } = parts
  const { principal } = signedIn
  const home = homeOf(patterns)
  const seesAll = section !== undefined && isAllowed(principal, 'workspace.view', undefined)
  const shown = await (seesAll ? showAll({ ...parts, section }, request) : showOwn({ deps, patterns }, request, signedIn))
  if (E.isLeft(shown)) return failurePage(shown.left, signedIn)
  const isCreating = outcome.typed !== undefined || request.query.has(OPEN_PANEL)
  const mayCreate = section !== undefined && isAllowed(principal, 'workspace.create', undefined)
  const content: VNode = (
    <>
      {shown.right((workspace) => pathOf(home, workspace))}
      {mayCreate && isCreating && <CreateWorkspace pricedIn={section.rateCard().currency} {...outcome} />}
    </>
  )
  const firstAct = section !== undefined && { firstAct: CREATE_WORKSPACE }
  return {
    _tag: 'Html', status: outcome.problem === undefined ? 200 : 422, title: texts.title, path: '/console', signedIn, content, ...firstAct,
  }
}

type Rendered = (pathOf: (workspace: Workspace) => string | undefined) => VNode
type Failed = Parameters<typeof failurePage>[0]

const SHOWN_AT_ONCE = 50

const showAll = async ({ section, patterns }: Parts<AllWorkspacesSection>, request: PageRequest): Promise<E.Either<Failed, Rendered>> => {
  const { query } = request
  const choice: Choice = {
    listed: LISTED.find((one) => one === query.get('show')) ?? 'all', sought: query.get('name')?.trim() ?? '',
    order: WORKSPACE_ORDERS.find((one) => one === query.get('sort')) ?? 'worst',
  }
  const [states, totals, held] = await Promise.all([
    section.listStates({ ...choice, limit: SHOWN_AT_ONCE, cursor: cursorIn(request) }), section.showTotals(),
    section.queue?.countHeld(undefined) ?? E.right(undefined),
  ])
  if (E.isLeft(states)) return states
  if (E.isLeft(totals)) return totals
  if (E.isLeft(held)) return held
  const pageOf = ({ id }: Workspace, end: string): string | undefined =>
    (patterns.has(`/console/workspaces/:workspace${end.replace(/\?.*/, '')}`) ? `/console/workspaces/${id}${end}` : undefined)
  return E.right((pathOfWorkspace) => (
    <AllWorkspaces
      states={states.right} totals={totals.right} held={held.right} choice={choice} pathOf={pathOfWorkspace} pageOf={pageOf}
    />
  ))
}

const showOwn = async (
  { deps }: Pick<Parts<undefined>, 'deps' | 'patterns'>, request: PageRequest, signedIn: Authenticated,
): Promise<E.Either<Failed, Rendered>> => {
  const found = await deps.workspaces.listWorkspaces({ by: actorOf(signedIn, request) })
  if (E.isLeft(found)) return found
  const cursors = { cursor: cursorIn(request), archived: cursorIn(request, 'archived') }
  return E.right((pathOfWorkspace) => (
    <WorkspacesPage principal={signedIn.principal} workspaces={found.right} cursors={cursors} pathOf={pathOfWorkspace} />
  ))
}
