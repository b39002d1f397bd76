import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { Page as ListPage } from '../../../core/kernel/json.js'
import type { MessageRecord } from '../../../core/messages/message.js'
import { failurePage } from '../failure-page.js'
import { NEW_MESSAGE } from '../navigation.js'
import { inWorkspace, type InWorkspace, liveIn, type Page, type PageDeps, workspacePage } from '../page.js'
import { Empty, Live, Problem } from '../parts.js'
import { TEXTS } from '../texts.js'
import { addressWith, FilterForm, type Filters, isFiltered, parseFilters } from './message-filters.js'
import { MessageTable } from './message-table.js'
import { messagePages } from './message.js'
import type { MessagesSection } from './messages-section.js'

const { messages: texts, sections } = TEXTS
const SHOWN_AT_ONCE = 50
/** How many messages are looked at for a page whose filter no index helps: reading them takes some 20 ms. */
const LOOKED_AT_ONCE = 5_000
const PATH = '/console/workspaces/:workspace/messages'

/** The messages of a workspace, and one of them. */
export const messagesPages = (deps: PageDeps, section: MessagesSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: inWorkspace(deps, 'workspace.view', async (page) => {
      const filters = parseFilters(page.request.query)
      if (E.isLeft(filters)) return workspacePage(page, { status: 422, title: sections.messages, content: <Refused page={page} problem={filters.left} /> })
      const listed = await list(section, page, filters.right, page.request.query.get('cursor') ?? undefined)
      return E.isLeft(listed)
        ? failurePage(listed.left, page.signedIn)
        : workspacePage(page, { title: sections.messages, firstAct: NEW_MESSAGE, content: <Messages page={page} filters={filters.right} listed={listed.right} /> })
    }),
    live: liveIn(deps, 'workspace.view', async (page) => {
      const filters = parseFilters(page.request.query)
      return E.isLeft(filters) ? failurePage({ _tag: 'Malformed' }, page.signedIn) : {
        _tag: 'Live',
        // Not the address: the part is shared, so it is named by what is read, with the filters as they were understood and never with a cursor.
        key: JSON.stringify(['messages', page.workspace.id, filters.right]),
        read: async () => E.map((listed: ListPage<MessageRecord>) => <List filters={filters.right} listed={listed} />)(await list(section, page, filters.right)),
      }
    }),
  },
  ...messagePages(deps, section),
]

const list = async ({ listMessages }: MessagesSection, { workspace }: InWorkspace, filters: Filters, cursor?: string) =>
  listMessages(workspace.id, { ...filters, limit: SHOWN_AT_ONCE, ...(isFiltered(filters) && { look: LOOKED_AT_ONCE }), ...(cursor !== undefined && { cursor }) })

const Refused = ({ page: { request: { path, query } }, problem }: { readonly page: InWorkspace; readonly problem: string }): VNode => (
  <>
    <Problem sentence={problem} />
    <FilterForm path={path} query={query} open />
  </>
)

type Shown = { readonly filters: Filters; readonly listed: ListPage<MessageRecord> }

/** Only the newest messages are live: what is older hardly changes. */
const Messages = ({ page: { request: { path, query } }, filters, listed }: Shown & { readonly page: InWorkspace }): VNode => (
  <>
    <FilterForm path={path} query={query} open={isFiltered(filters)} />
    {query.get('cursor') === null ? <Live address={addressWith(path, query)}><List filters={filters} listed={listed} /></Live> : <List filters={filters} listed={listed} />}
    {listed.next !== undefined && (
      <p><a class="button plain" href={addressWith(path, query, listed.next)}>{listed.items.length < SHOWN_AT_ONCE ? texts.further : texts.older}</a></p>
    )}
  </>
)

const List = ({ filters, listed: { items, next } }: Shown): VNode => (
  <>
    {items.length === 0 ? <Empty sentence={isFiltered(filters) ? texts.noneMatch : texts.none} icon="messages" /> : <MessageTable messages={items} />}
    {next !== undefined && items.length < SHOWN_AT_ONCE && <p class="soft">{texts.looked(LOOKED_AT_ONCE.toLocaleString('en'))}</p>}
  </>
)
