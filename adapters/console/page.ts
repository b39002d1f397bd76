import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../../core/access/access.js'
import { watcherOf } from '../../core/access/member-use-cases.js'
import type { Authenticated } from '../../core/access/sign-in.js'
import { isCursorOf, type ListName } from '../../core/cursors.js'
import type { Act, Actor } from '../../core/kernel/actor.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import { isWorkspaceId, type WorkspaceId } from '../../core/kernel/ids.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import { type Answer, type ConsolePath, type HtmlAnswer, type LiveAnswer, redirect } from './answer.js'
import { failurePage, signedOutPage } from './failure-page.js'
import type { FileForms } from './form-body.js'
import type { ShownUseCases } from './gateway.js'
import type { PageRequest } from './request.js'
import { parseDay } from './zone.js'

/** The use cases that every page may need; those of one section are passed to its pages. */
export type PageDeps = Pick<ShownUseCases, 'audit' | 'members' | 'workspaces'> & {
  /** The address at which a sign-in with an identity provider begins, if there is one. */
  readonly identityPath?: string
}

/** Answers a request. */
export type Handler = (request: PageRequest) => Promise<Answer>

/** Answers a request. `access` says who may make it: `public` everyone, `member` every signed-in member, an act those to whom the access table grants it. */
export type Route = { readonly access: 'public' | 'member' | Act; readonly handle: Handler }

/** An address of the console; any other method is answered 405. */
export type Page = {
  readonly path: string
  readonly get?: Route
  readonly post?: Route
  /** The form may be as large as a message: 64 KiB with 200 fields instead of 16 KiB with 32. */
  readonly hasLargeForm?: true
  /** The form contains a file, which `post` reads after it has checked the sender. */
  readonly takesFile?: FileForms
  /** The kind of limit for `get`, if it is more than a page. */
  readonly kind?: 'export' | 'report'
  /** The same address as a stream of its live part. */
  readonly live?: Route
}

/** Answers a request from anyone, signed in or not. */
export const publicRoute = (handle: Handler): Route => ({ access: 'public', handle })

/** Answers a request of a signed-in member, and redirects all others to the sign-in page. The use case checks that the member may perform the act. */
export const whenSignedIn = (
  { members }: Pick<PageDeps, 'members'>, handle: (request: PageRequest, signedIn: Authenticated) => Promise<Answer>,
  access: Act | 'member' = 'member',
): Route => ({
  access,
  handle: async (request) => {
    if (request.token === undefined) return signInFirst(request)
    const found = await members.authenticate({ token: request.token })
    if (E.isRight(found)) {
      const entered = await request.enter(found.right.principal.member)
      return E.isLeft(entered) ? failurePage(entered.left) : handle(request, found.right)
    }
    return found.left._tag === 'NotSignedIn' ? signInFirst(request, 'ended') : failurePage(found.left)
  },
})

/** The fields in which people write long texts. None of them ever contains a secret. */
const WRITTEN = ['text', 'body', 'caption', 'note']

/** Redirects a person to sign in, and back to the page afterwards. A submitted form is not processed. */
const signInFirst = ({ path, query, form, cameFrom = path }: PageRequest, session?: 'ended'): Answer => {
  if (Object.keys(form).length > 0) {
    return signedOutPage(signInPath(cameFrom), WRITTEN.map((name) => form[name] ?? '').find((text) => text.trim() !== ''))
  }
  return redirect(signInPath(query.size === 0 ? path : `${path}?${query.toString().replaceAll('+', '%20')}`), session)
}

const signInPath = (back: string): ConsolePath => (back === '/console' ? '/console/sign-in' : `/console/sign-in?back=${encodeURIComponent(back)}`)

/** Tells which addresses belong to pages that a GET shows to members. Redirects to an address from a form or a request go only to these. */
export const makeIsShown = (pages: ReadonlyArray<Page>): ((address: string) => address is ConsolePath) => {
  const shown = pages.filter(({ path, get }) => get !== undefined && get.access !== 'public' && !/\.csv$|\/palette$/.test(path))
    .map(({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[\\w.:%-]+')}(?:\\?[\\w=&.%-]*)?$`))
  return (address): address is ConsolePath => shown.some((pattern) => pattern.test(address))
}

/** A request of a member who may see a workspace. */
export type InWorkspace = {
  readonly request: PageRequest
  readonly signedIn: Authenticated
  readonly by: Actor
  readonly workspace: Workspace
}

/** Answers a request to a page of the workspace in its path, if the member may perform the act there. */
export const inWorkspace = (deps: PageDeps, act: Act, handle: (page: InWorkspace) => Promise<Answer>): Route =>
  whenSignedIn(deps, (request, signedIn) => openWorkspace(deps, act, request, signedIn, handle), act)

/** Answers a request to a page of a list. A cursor that does not belong to the list is refused; otherwise it would look like an empty page. */
export const listed = (list: ListName, { access, handle }: Route, name = 'cursor'): Route => ({
  access,
  handle: async (request) => {
    const cursor = request.query.get(name) ?? ''
    return cursor === '' || isCursorOf(list, cursor) ? handle(request) : failurePage({ _tag: 'UnknownCursor', parameter: name })
  },
})

/** The values that a filter of a page accepts: some words, or a day. */
export type Choices = ReadonlyArray<string> | 'day'

/** Answers a request to a page with filters. An unknown value is refused, because otherwise the page would show entries that the filter was meant to omit. */
export const choosing = (filters: Readonly<Record<string, Choices>>, { access, handle }: Route): Route => ({
  access,
  handle: async (request) => {
    for (const [parameter, choices] of Object.entries(filters)) {
      // The form sends an empty value if no filter is chosen.
      const wrong = request.query.getAll(parameter).find((value) =>
        value !== '' && !(choices === 'day' ? parseDay(value) !== undefined : choices.includes(value)))
      if (wrong !== undefined) {
        return failurePage({ _tag: 'UnknownChoice', parameter, given: wrong, known: choices === 'day' ? '2026-01-31' : choices.join(', ') })
      }
    }
    return handle(request)
  },
})

/** The cursor of a request to a page of a list. */
export const cursorIn = ({ query }: Pick<PageRequest, 'query'>, name = 'cursor'): string | undefined => query.get(name) || undefined

/** The live part of a page of the workspace in its path, as long as the member's rights do not change. */
export const liveIn = (deps: PageDeps, act: Act, handle: (page: InWorkspace) => Promise<Answer | Omit<LiveAnswer, 'watcher'>>): Route =>
  inWorkspace(deps, act, async (page) => {
    const answer = await handle(page)
    return answer._tag === 'Live' ? { ...answer, watcher: watcherOf(page.signedIn, page.workspace) } : answer
  })

/** An action of a member on the workspace in the path. The use case checks that the member may perform it; `again` shows the page with the problem. */
export const actIn = (
  deps: PageDeps, act: Act, handle: (acting: ActIn) => Promise<Answer>,
): Route =>
  whenSignedIn(deps, async (request, signedIn) => {
    const { workspace } = request.params
    if (workspace === undefined || !isWorkspaceId(workspace)) return failurePage({ _tag: 'NotFound' }, signedIn)
    return handle({
      request, signedIn, by: actorOf(signedIn, request), workspace,
      again: (show) => openWorkspace(deps, 'workspace.view', request, signedIn, show),
    })
  }, act)

/** An action of a member on a workspace that they may not even see. */
export type ActIn = Omit<InWorkspace, 'workspace'> & {
  readonly workspace: WorkspaceId
  /** Shows a page of the workspace, if the member may see it. */
  readonly again: (show: (page: InWorkspace) => Promise<Answer>) => Promise<Answer>
}

const openWorkspace = async (
  { audit, workspaces }: PageDeps, act: Act, request: PageRequest, signedIn: Authenticated, handle: (page: InWorkspace) => Promise<Answer>,
): Promise<Answer> => {
  const { workspace: id } = request.params
  if (id === undefined || !isWorkspaceId(id)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const by = actorOf(signedIn, request)
  const allowed = await audit.checkView({ by, act, workspace: id })
  if (E.isLeft(allowed)) return failurePage(allowed.left, signedIn)
  const found = await workspaces.readWorkspace(id)
  if (E.isLeft(found)) return failurePage(found.left, signedIn)
  return O.isSome(found.right)
    ? keepWorkspace(await handle({ request, signedIn, by, workspace: found.right.value }), found.right.value)
    : failurePage({ _tag: 'NotFound' }, signedIn)
}

/** The page of a failure in a workspace has the workspace's navigation, so the person stays in the workspace. */
const keepWorkspace = (answer: Answer, workspace: Workspace): Answer =>
  (answer._tag === 'Html' && answer.signedIn !== undefined && answer.workspace === undefined ? { ...answer, workspace } : answer)

/** A page of a workspace, with its navigation. */
export const workspacePage = (
  { signedIn, workspace, request }: InWorkspace,
  page: Pick<HtmlAnswer, 'title' | 'content'> & Partial<Pick<HtmlAnswer, 'status' | 'path' | 'firstAct' | 'rareActs' | 'sought' | 'zone'>>,
): HtmlAnswer => ({ _tag: 'Html', signedIn, workspace, path: request.path, ...page })

/** The actor, and the network address. */
export const actorOf = ({ principal }: Authenticated, { place: { address } }: PageRequest): Actor =>
  ({ principal, ...(address !== undefined && { address }) })

/** The workspace in an address or a form: none if it is empty, which means all workspaces. */
export const namedWorkspace = (named: string): E.Either<{ readonly _tag: 'NotFound' }, WorkspaceId | undefined> => {
  if (named === '') return E.right(undefined)
  return isWorkspaceId(named) ? E.right(named) : E.left({ _tag: 'NotFound' })
}

/** A workspace that the member may see. */
export const findWorkspace = async (
  { workspaces }: Pick<PageDeps, 'workspaces'>, request: PageRequest, signedIn: Authenticated, id: WorkspaceId,
): Promise<E.Either<{ readonly _tag: 'NotFound' } | Forbidden | PortFailure, Workspace>> => {
  const listed = await workspaces.listWorkspaces({ by: actorOf(signedIn, request) })
  return E.isLeft(listed) ? listed : E.fromNullable({ _tag: 'NotFound' as const })(listed.right.find((workspace) => workspace.id === id))
}
