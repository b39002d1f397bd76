import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { actorOf as nameOf, AUDIT_CSV_HEADER, auditCsvLine, type ListAudit, type ListAuditCommand } from '../../../../core/access/audit.js'
import type { Authenticated } from '../../../../core/access/sign-in.js'
import type { AuditEntry } from '../../../../core/kernel/actor.js'
import type { Json, JsonObject } from '../../../../core/kernel/json.js'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import type { HtmlAnswer } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { actorOf, choosing, cursorIn, findWorkspace, listed, namedWorkspace, type Page, type PageDeps, whenSignedIn } from '../../page.js'
import { Empty, Field, Id, State, Table, Time } from '../../parts.js'
import type { PageRequest } from '../../request.js'
import { TEXTS } from '../../texts.js'
import { parseDay } from '../../zone.js'
import { wordFor } from '../../words.js'

const { audit: texts } = TEXTS

const SHOWN_AT_ONCE = 50
const READ_AT_ONCE = 200

const DAYS = { from: 'day', to: 'day' } as const

/** The audit log of a workspace, or of all workspaces: as a page, and as a CSV file. */
export const auditPages = (deps: PageDeps): ReadonlyArray<Page> => [
  {
    path: '/console/audit',
    get: choosing(DAYS, listed('audit', whenSignedIn(deps, async (request, signedIn) => {
      const query = queryOf(request, signedIn)
      if (E.isLeft(query)) return failurePage(query.left, signedIn)
      const cursor = cursorIn(request)
      const page = await deps.audit.listAudit({ ...query.right, limit: SHOWN_AT_ONCE, ...(cursor !== undefined && { cursor }) })
      if (E.isLeft(page)) return failurePage(page.left, signedIn)
      const { workspace } = query.right
      const found = workspace === undefined ? E.right(undefined) : await findWorkspace(deps, request, signedIn, workspace)
      if (E.isLeft(found)) return failurePage(found.left, signedIn)
      return auditPage({ signedIn, page: page.right, query: request.query, shown: found.right })
    }, 'audit.view'))),
  },
  {
    path: '/console/audit.csv',
    kind: 'export',
    get: choosing(DAYS, whenSignedIn(deps, async (request, signedIn) => {
      const query = queryOf(request, signedIn)
      if (E.isLeft(query)) return failurePage(query.left, signedIn)
      const first = await deps.audit.listAudit({ ...query.right, limit: READ_AT_ONCE })
      return E.isLeft(first)
        ? failurePage(first.left, signedIn)
        : { _tag: 'Csv', name: 'audit.csv', parts: csvParts(deps.audit.listAudit, query.right, first.right) }
    }, 'audit.view')),
  },
]

type Query = Omit<ListAuditCommand, 'limit' | 'cursor'>

const queryOf = (request: PageRequest, signedIn: Authenticated): E.Either<{ readonly _tag: 'NotFound' }, Query> => {
  const workspace = namedWorkspace(request.query.get('workspace') ?? '')
  if (E.isLeft(workspace)) return workspace
  const since = parseDay(request.query.get('from'))
  const last = parseDay(request.query.get('to'))
  return E.right({
    by: actorOf(signedIn, request),
    ...(workspace.right !== undefined && { workspace: workspace.right }),
    ...(since !== undefined && { since: since.from }),
    ...(last !== undefined && { until: last.to }),
  })
}

/** Continues reading while the browser receives the data. A failure aborts the download, so that an incomplete file does not look complete. */
async function* csvParts(listAudit: ListAudit, query: Query, first: ListPage<AuditEntry>): AsyncGenerator<string> {
  yield AUDIT_CSV_HEADER
  let page = first
  for (;;) {
    yield page.items.map(auditCsvLine).join('')
    if (page.next === undefined) return
    const next = await listAudit({ ...query, limit: READ_AT_ONCE, cursor: page.next })
    if (E.isLeft(next)) throw new Error('The audit log could not be read to its end.', { cause: next.left })
    page = next.right
  }
}

type Shown = {
  readonly signedIn: Authenticated
  readonly page: ListPage<AuditEntry>
  readonly query: URLSearchParams
  readonly shown: Workspace | undefined
}

/** The actor: a person by email only; all others also by their kind. */
const Who = ({ by }: { readonly by: AuditEntry['by'] }): VNode => (
  <>{by.type === 'member' ? by.email : <>{wordFor('actors', by.type)} {by.type === 'key' ? <Id of={by.id} /> : nameOf(by)}</>}</>
)

/** The object of an entry; in the list of all workspaces, also its workspace. */
const Subject = ({ entry: { subject, workspace }, isOfAll }: { readonly entry: AuditEntry; readonly isOfAll: boolean }): VNode => (
  <>
    {subject !== undefined && <div>{ID.test(subject) ? <Id of={subject} /> : subject}</div>}
    {workspace !== undefined && (isOfAll || subject === undefined) && <div class="soft">{texts.workspace} <Id of={workspace} /></div>}
  </>
)

/** An id, as opposed to an email or a name. */
const ID = /^[a-z]+_[0-9A-Za-z-]{16,}$/

/** The details as a list of names and values. */
const Details = ({ details }: { readonly details: JsonObject }): VNode => (
  <dl class="details">
    {Object.entries(details).map(([name, value]) => (
      <div key={name}><dt>{name.replaceAll('_', ' ')}</dt><dd><Value of={value} /></dd></div>
    ))}
  </dl>
)

const Value = ({ of }: { readonly of: Json }): VNode => {
  if (Array.isArray(of)) return <>{of.map((one: Json, index) => <>{index > 0 && ', '}<Value of={one} /></>)}</>
  if (of === null) return <>{texts.nothing}</>
  return typeof of === 'object' ? <Details details={of as JsonObject} /> : <>{String(of)}</>
}

const auditPage = ({ signedIn, page: { items, next }, query, shown }: Shown): HtmlAnswer => {
  const [workspace, from, to] = ['workspace', 'from', 'to'].map((key) => query.get(key) ?? '')
  const filters = new URLSearchParams(Object.entries({ workspace, from, to }).flatMap(([key, value]) => (value ? [[key, value]] : [])))
  return {
    _tag: 'Html',
    title: shown === undefined ? texts.title : texts.titleOf(shown.name),
    path: shown === undefined ? '/console/audit' : `/console/audit?workspace=${shown.id}`,
    signedIn,
    ...(shown !== undefined && { workspace: shown }),
    content: (
      <>
        <form method="get" action="/console/audit">
          <input type="hidden" name="workspace" value={workspace} />
          <div class="row">
            <Field id="from" label={texts.from} type="date" value={from} required={false} />
            <Field id="to" label={texts.to} type="date" value={to} required={false} />
          </div>
          <button>{texts.show}</button> <a class="button plain" href={`/console/audit.csv?${filters.toString()}`}>{texts.csv}</a>
        </form>
        {items.length === 0 ? <Empty sentence={texts.none} icon="audit" /> : (
          <Table label={texts.title} columns={[texts.when, texts.who, texts.what, texts.on, texts.details, texts.address]}>
            {items.map((entry) => (
              <tr key={entry.id}>
                <td data-label={texts.when} class="soft whole"><Time at={entry.at} as="ago" /></td>
                <td data-label={texts.who}><Who by={entry.by} /></td>
                <td data-label={texts.what} class="whole">
                  {entry.act}{entry.outcome === 'refused' && <> <State text={texts.refused} tone="bad" /></>}
                </td>
                <td data-label={texts.on}><Subject entry={entry} isOfAll={workspace === ''} /></td>
                <td data-label={texts.details} class="long">{entry.details !== undefined && <Details details={entry.details} />}</td>
                <td data-label={texts.address} class="soft whole">{entry.address ?? ''}</td>
              </tr>
            ))}
          </Table>
        )}
        {next !== undefined && (
          <p>
            <a class="button plain" href={`/console/audit?${new URLSearchParams([...filters, ['cursor', next]]).toString()}`}>
              {texts.older}
            </a>
          </p>
        )}
      </>
    ),
  }
}
