import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { ERROR_CODES } from '../../../../core/explanations/codes.js'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import { DAY_MS } from '../../../../core/kernel/time.js'
import { type LoggedRequest, REQUEST_LOOK, type RequestQuery, REQUESTS_KEPT_MS } from '../../../../core/requests/request-log.js'
import type { Answer } from '../../answer.js'
import { written } from '../../chart.js'
import { failurePage } from '../../failure-page.js'
import { choosing, cursorIn, inWorkspace, type InWorkspace, listed, type Page, type PageDeps, workspacePage } from '../../page.js'
import { ChoiceField, Empty, Field, Tick } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { requestPage } from './request.js'
import { keyNames, RequestTable, shortCode } from './request-parts.js'
import type { RequestsSection } from './requests-section.js'

const { requests: texts, sections } = TEXTS
const SHOWN_AT_ONCE = 50
const PATH = '/console/workspaces/:workspace/requests'

/** The API requests with the keys of a workspace, and one of them. */
export const requestsPages = (deps: PageDeps, section: RequestsSection): ReadonlyArray<Page> => [
  {
    path: PATH,
    get: choosing(
      { code: ERROR_CODES, refused: ['on'] }, listed('requests', inWorkspace(deps, 'workspace.view', (page) => show(section, page))),
    ),
  },
  { path: `${PATH}/:request`, get: inWorkspace(deps, 'workspace.view', (page) => requestPage(section, page)) },
]

type Filters = Omit<RequestQuery, 'cursor' | 'limit' | 'look'>

/** The filters of an address. With an unknown request or key, nothing is found. */
const filtersOf = (query: URLSearchParams): Filters => {
  const [requestId, key, code] = ['request', 'key', 'code'].map((name) => (query.get(name) ?? '').trim())
  return {
    ...(requestId && { requestId }), ...(key && { key }), ...(code && { code }), ...(query.get('refused') === 'on' && { isRefused: true }),
  }
}

const addressOf = (path: string, { requestId, key, code, isRefused }: Filters, cursor: string): string => {
  const kept = Object.entries({ request: requestId, key, code, refused: isRefused && 'on', cursor })
    .flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return `${path}?${new URLSearchParams(kept).toString()}`
}

const show = async (section: RequestsSection, page: InWorkspace): Promise<Answer> => {
  const { request, workspace: { id }, signedIn } = page
  const filters = filtersOf(request.query)
  const cursor = cursorIn(request)
  const [found, names] = await Promise.all([
    section.listRequests(id, { ...filters, limit: SHOWN_AT_ONCE, ...(cursor !== undefined && { cursor }) }), keyNames(section, page),
  ])
  if (E.isLeft(found)) return failurePage(found.left, signedIn)
  if (E.isLeft(names)) return failurePage(names.left, signedIn)
  return workspacePage(page, {
    title: sections.requests,
    content: <Requests path={request.path} filters={filters} listed={found.right} names={names.right} keptAMinute={section.keptAMinute} />,
  })
}

const Requests = ({ path, filters, listed: { items, next }, names, keptAMinute: { answered, refused } }: Pick<
  RequestsSection, 'keptAMinute'
> & {
  readonly path: string; readonly filters: Filters; readonly listed: ListPage<LoggedRequest>; readonly names: ReadonlyMap<string, string>
}): VNode => {
  const isFiltered = Object.keys(filters).length > 0
  return (
    <>
      <p class="soft">{texts.about(REQUESTS_KEPT_MS / DAY_MS, answered, refused)}</p>
      <FilterForm path={path} filters={filters} names={names} isOpen={isFiltered} />
      {items.length > 0 && <RequestTable requests={items} names={names} showsLeftOut={!isFiltered} />}
      {items.length === 0 && (
        <Empty sentence={isFiltered ? texts.noneMatch : texts.none} icon="requests">
          <p class="soft">{isFiltered ? texts.notHere : texts.noneYet}</p>
        </Empty>
      )}
      {next !== undefined && items.length < SHOWN_AT_ONCE && <p class="soft">{texts.looked(written(REQUEST_LOOK))}</p>}
      {next !== undefined && (
        <p>
          <a class="button plain" href={addressOf(path, filters, next)}>{items.length < SHOWN_AT_ONCE ? texts.further : texts.older}</a>
        </p>
      )}
      {items.length > 0 && <p class="soft">{texts.notHere}</p>}
    </>
  )
}

const FilterForm = ({ path, filters: { requestId, key, code, isRefused }, names, isOpen }: {
  readonly path: string; readonly filters: Filters; readonly names: ReadonlyMap<string, string>; readonly isOpen: boolean
}): VNode => (
  <details class="filter" open={isOpen}>
    <summary>{texts.filter}</summary>
    <form method="get" action={path}>
      <div class="row">
        <Field id="request" label={texts.requestId} hint={texts.requestIdHint} value={requestId} required={false} maxLength={128} />
        <ChoiceField id="code" label={texts.code}>
          <option value="">{texts.anyCode}</option>
          {ERROR_CODES.map((one) => <option key={one} lang="en" value={one} selected={one === code}>{shortCode(one)}</option>)}
        </ChoiceField>
        <ChoiceField id="key" label={texts.key}>
          <option value="">{texts.anyKey}</option>
          {[...names].map(([id, name]) => <option key={id} value={id} selected={id === key}>{name}</option>)}
        </ChoiceField>
      </div>
      <Tick id="refused" label={texts.refusedOnly} isTicked={isRefused === true} />
      <button>{texts.show}</button>
      {isOpen && <a class="button plain" href={path}>{texts.all}</a>}
    </form>
  </details>
)
