import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { NEVER_LISTED, type CatalogueState } from '../catalogue-state.js'
import type { PortFailure } from '../errors.js'
import type { Page, PageQuery } from '../page.js'
import type { Senders } from '../ports/senders.js'
import type { TemplateCatalogue } from '../ports/template-catalogue.js'
import { templateCursor } from '../template-cursor.js'
import { readableAccount } from '../readable-account.js'
import type { TemplateRecord } from '../template.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

/** Shows the templates of a workspace's business account to people: filtered, with the state of the catalogue. */
export type BrowseTemplates = (workspace: WorkspaceId, query: BrowseQuery) => TE.TaskEither<PortFailure, BrowsedTemplates>

/** Which templates: those whose name has a text in it, in any letter case, and those in a status. */
export type BrowseQuery = PageQuery & { readonly named?: string; readonly status?: string }

/** A page of templates, which may have fewer than asked for and still a `next`. */
export type BrowsedTemplates = {
  /** The business account; absent where the sender names none, or its token may not read it. */
  readonly account: string | undefined
  /** Since when the token may not read the account. */
  readonly refusedSince: Instant | undefined
  readonly state: CatalogueState
  readonly page: Page<TemplateRecord>
}

/** What browsing needs. */
export type BrowseTemplatesDeps = {
  readonly senders: Pick<Senders, 'senderOf'>
  readonly templateCatalogue: Pick<TemplateCatalogue, 'list' | 'stateOf'>
}

/** No index helps a filter, so a page looks at so many templates at most. */
const LOOKED_AT = 1_000
const READ_AT_ONCE = 200

/** Makes the use case of what it needs. */
export const makeBrowseTemplates =
  (deps: BrowseTemplatesDeps): BrowseTemplates =>
  (workspace, query) =>
  async () => {
    const sender = await deps.senders.senderOf(workspace)()
    if (E.isLeft(sender)) return sender
    const found = O.toUndefined(sender.right)
    const [account, refusedSince] = [readableAccount(found), found?.accountRefusedSince]
    if (account === undefined) return E.right({ account, refusedSince, state: NEVER_LISTED, page: { items: [], next: undefined } })
    const [state, page] = await Promise.all([deps.templateCatalogue.stateOf(account)(), look(deps, account, query)])
    if (E.isLeft(state)) return state
    return E.isLeft(page) ? page : E.right({ account, refusedSince, state: state.right, page: page.right })
  }

const look = async ({ templateCatalogue }: BrowseTemplatesDeps, account: string, query: BrowseQuery): Promise<E.Either<PortFailure, Page<TemplateRecord>>> => {
  const { limit, cursor, named, status } = query
  const wanted = (template: TemplateRecord): boolean =>
    (named === undefined || template.name.toLowerCase().includes(named.toLowerCase())) && (status === undefined || template.status === status)
  const found: Array<TemplateRecord> = []
  let next = cursor
  for (let looked = 0; looked < LOOKED_AT; looked += READ_AT_ONCE) {
    const read = await templateCatalogue.list(account, { limit: READ_AT_ONCE, ...(next !== undefined && { cursor: next }) })()
    if (E.isLeft(read)) return read
    found.push(...read.right.items.filter(wanted))
    if (found.length > limit) {
      const items = found.slice(0, limit)
      const last = items.at(-1)
      return E.right({ items, next: last && templateCursor(last) })
    }
    next = read.right.next
    if (next === undefined) break
  }
  return E.right({ items: found, next })
}
