import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import { messageCsvLine, type MessageRecord, MESSAGES_CSV_HEADER } from '../../../../core/messages/message.js'
import type { Answer } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { NEW_MESSAGE } from '../../navigation.js'
import { cursorIn, inWorkspace, type InWorkspace, listed, liveIn, type Page, type PageDeps, workspacePage } from '../../page.js'
import { Problem } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { allChosen, priceChosen, quoteChosen, readChosen, sendChosen } from './again.js'
import { FilterForm } from './filter-bar.js'
import { type Filters, isFiltered, parseFilters } from './message-filters.js'
import { MessageList, MAX_EXPORTED, readList, Rows } from './message-list.js'
import { type FilteredQuery, listFiltered, LOOKED_AT_ONCE } from './message-query.js'
import { messagePages } from './message.js'
import type { MessagesSection } from './messages-section.js'
import { type Numbers, readNumbers } from '../numbers/names.js'

const { sections } = TEXTS
const PATH = '/console/workspaces/:workspace/messages'

/** The messages of a workspace, and one of them. */
export const messagesPages = (deps: PageDeps, section: MessagesSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: listed('messages', inWorkspace(deps, 'workspace.view', async (page) => {
      const filters = parseFilters(page.request.query)
      const numbers = await readNumbers(section, page.workspace.id)
      const refused = (problem: string): Answer => workspacePage(page, {
        status: 422, title: sections.messages, content: <Refused page={page} numbers={numbers} problem={problem} />,
      })
      if (E.isLeft(filters)) return refused(filters.left)
      const found = await readList(section, page, filters.right, cursorIn(page.request))
      if (E.isLeft(found)) {
        return found.left._tag === 'UnknownSender' ? refused(TEXTS.send.problems.UnknownSender) : failurePage(found.left, page.signedIn)
      }
      return workspacePage(page, {
        title: sections.messages, firstAct: NEW_MESSAGE, content: <MessageList page={page} listed={found.right} numbers={numbers} />,
      })
    })),
    live: liveIn(deps, 'workspace.view', async (page) => {
      const filters = parseFilters(page.request.query)
      return E.isLeft(filters) ? failurePage({ _tag: 'Malformed' }, page.signedIn) : {
        _tag: 'Live',
        // The key is not the address, because the part is shared: it contains what is read, with the parsed filters and never a cursor.
        key: JSON.stringify(['messages', page.workspace.id, filters.right]),
        read: async () => {
          const read = await readList(section, page, filters.right)
          if (E.isRight(read)) return E.right(<Rows workspace={page.workspace.id} listed={read.right} />)
          return read.left._tag === 'PortFailure' ? E.left(read.left) : E.right(<></>)
        },
      }
    }),
  },
  { path: `${PATH}.csv`, kind: 'export', get: inWorkspace(deps, 'workspace.view', (page) => download(section, page)) },
  {
    path: `${PATH}/chosen.csv`, kind: 'export',
    get: inWorkspace(deps, 'workspace.view', async (page) => {
      const all = allChosen(page.request.query)
      if (all !== undefined) return downloadAll(section, page, all)
      const chosen = await readChosen(section, page.workspace.id, page.request.query.keys())
      return E.isLeft(chosen)
        ? failurePage(chosen.left, page.signedIn)
        : { _tag: 'Csv', name: 'messages.csv', parts: linesOf(chosen.right) }
    }),
  },
  { path: `${PATH}/again`, hasLargeForm: true, post: inWorkspace(deps, 'message.send', (page) => quoteChosen(section, page)) },
  { path: `${PATH}/again/price`, kind: 'report', get: inWorkspace(deps, 'message.send', (page) => priceChosen(section, page)) },
  { path: `${PATH}/again/confirm`, hasLargeForm: true, post: inWorkspace(deps, 'message.send', (page) => sendChosen(section, page)) },
  ...messagePages(deps, section),
]

async function* linesOf(messages: ReadonlyArray<MessageRecord>): AsyncGenerator<string> {
  yield MESSAGES_CSV_HEADER
  yield messages.map(messageCsvLine).join('')
}

const READ_AT_ONCE = 1_000

const download = async (section: MessagesSection, page: InWorkspace): Promise<Answer> => {
  const filters = parseFilters(page.request.query)
  if (E.isLeft(filters)) return workspacePage(page, { status: 422, title: sections.messages, content: <Problem sentence={filters.left} /> })
  return downloadAll(section, page, filters.right)
}

const downloadAll = async (section: MessagesSection, page: InWorkspace, filters: Filters): Promise<Answer> => {
  const query = { ...filters, limit: READ_AT_ONCE, ...(isFiltered(filters) && { look: LOOKED_AT_ONCE }) }
  const first = await listFiltered(section)(page.workspace.id, query)
  return E.isLeft(first)
    ? failurePage(first.left, page.signedIn)
    : { _tag: 'Csv', name: 'messages.csv', parts: csvParts(section, page, query, first.right) }
}

/** Continues reading while the browser receives the data. A failure aborts the download, so that an incomplete file does not look complete. */
async function* csvParts(
  section: MessagesSection, { workspace }: InWorkspace, query: FilteredQuery, first: ListPage<MessageRecord>,
): AsyncGenerator<string> {
  yield MESSAGES_CSV_HEADER
  let page = first
  for (let looked = 0; ; ) {
    if (page.items.length > 0) yield page.items.map(messageCsvLine).join('')
    looked += query.look ?? page.items.length
    if (page.next === undefined || looked >= MAX_EXPORTED) return
    const next = await listFiltered(section)(workspace.id, { ...query, cursor: page.next })
    if (E.isLeft(next)) throw new Error('The messages could not be read to their end.', { cause: next.left })
    page = next.right
  }
}

const Refused = ({ page: { request: { path, query } }, numbers, problem }: {
  readonly page: InWorkspace; readonly numbers: Numbers; readonly problem: string
}): VNode => (
  <>
    <Problem sentence={problem} />
    <FilterForm path={path} query={query} numbers={numbers} open />
  </>
)
