import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import { actorOf as nameOf, AUDIT_CSV_HEADER, auditCsvLine, type ListAudit, type ListAuditCommand } from '../../../../core/access/audit.js'
import type { Authenticated } from '../../../../core/access/sign-in.js'
import { ACTS, type AuditedAct, type AuditEntry, UNGUARDED_ACTS } from '../../../../core/kernel/actor.js'
import { parseMicros } from '../../../../core/kernel/money.js'
import type { Json, JsonObject } from '../../../../core/kernel/json.js'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import type { HtmlAnswer } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { actorOf, choosing, cursorIn, findWorkspace, listed, namedWorkspace, type Page, type PageDeps, whenSignedIn } from '../../page.js'
import { Icon } from '../../icons.js'
import { ChoiceField, Empty, Field, Id, Money, State, Table, Time } from '../../parts.js'
import type { PageRequest } from '../../request.js'
import { TEXTS } from '../../texts.js'
import { parseDay } from '../../zone.js'
import { wordFor } from '../../words.js'

const { audit: texts } = TEXTS

const SHOWN_AT_ONCE = 50
const READ_AT_ONCE = 200

/** Every act of an entry. */
const AUDITED: ReadonlyArray<AuditedAct> = [...ACTS, ...UNGUARDED_ACTS].toSorted()

const FILTERS = { from: 'day', to: 'day', act: AUDITED } as const

/** The audit log of a workspace, or of all workspaces: as a page, and as a CSV file. */
export const auditPages = (deps: PageDeps): ReadonlyArray<Page> => [
  {
    path: '/console/audit',
    get: choosing(FILTERS, listed('audit', whenSignedIn(deps, async (request, signedIn) => {
      const query = queryOf(request, signedIn)
      if (E.isLeft(query)) return failurePage(query.left, signedIn)
      const cursor = cursorIn(request)
      const page = await deps.audit.listAudit({ ...query.right, limit: SHOWN_AT_ONCE, ...(cursor !== undefined && { cursor }) })
      if (E.isLeft(page)) return failurePage(page.left, signedIn)
      const { workspace } = query.right
      const found = workspace === undefined ? E.right(undefined) : await findWorkspace(deps, request, signedIn, workspace)
      if (E.isLeft(found)) return failurePage(found.left, signedIn)
      const names = found.right === undefined ? await namesOf(deps, request, signedIn, page.right.items) : E.right([found.right])
      if (E.isLeft(names)) return failurePage(names.left, signedIn)
      const named = new Map<string, Workspace>(names.right.map((one) => [one.id, one]))
      return auditPage({ signedIn, page: page.right, query: request.query, shown: found.right, named })
    }, 'audit.view'))),
  },
  {
    path: '/console/audit.csv',
    kind: 'export',
    get: choosing(FILTERS, whenSignedIn(deps, async (request, signedIn) => {
      const query = queryOf(request, signedIn)
      if (E.isLeft(query)) return failurePage(query.left, signedIn)
      const first = await deps.audit.listAudit({ ...query.right, limit: READ_AT_ONCE })
      return E.isLeft(first)
        ? failurePage(first.left, signedIn)
        : { _tag: 'Csv', name: 'audit.csv', parts: csvParts(deps.audit.listAudit, query.right, first.right) }
    }, 'audit.view')),
  },
]

/** The workspaces of some entries, whose names and currencies are shown. */
const namesOf = async (
  { workspaces }: PageDeps, request: PageRequest, signedIn: Authenticated, entries: ReadonlyArray<AuditEntry>,
): Promise<E.Either<Parameters<typeof failurePage>[0], ReadonlyArray<Workspace>>> =>
  (entries.some(({ workspace }) => workspace !== undefined) ? workspaces.listWorkspaces({ by: actorOf(signedIn, request) }) : E.right([]))

type Query = Omit<ListAuditCommand, 'limit' | 'cursor'>

const queryOf = (request: PageRequest, signedIn: Authenticated): E.Either<{ readonly _tag: 'NotFound' }, Query> => {
  const workspace = namedWorkspace(request.query.get('workspace') ?? '')
  if (E.isLeft(workspace)) return workspace
  const since = parseDay(request.query.get('from'))
  const last = parseDay(request.query.get('to'))
  const [act, person] = [AUDITED.find((one) => one === request.query.get('act')), request.query.get('person')?.trim()]
  return E.right({
    by: actorOf(signedIn, request),
    ...(workspace.right !== undefined && { workspace: workspace.right }),
    ...(since !== undefined && { since: since.from }),
    ...(last !== undefined && { until: last.to }), ...(act !== undefined && { act }), ...(person && { person }),
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
  /** The workspaces of the entries, by id. */
  readonly named: ReadonlyMap<string, Workspace>
}

/** The actor: a person by email only; all others also by their kind. */
const Who = ({ by }: { readonly by: AuditEntry['by'] }): VNode => (
  <>{by.type === 'member' ? by.email : <>{wordFor('actors', by.type)} {by.type === 'key' ? <Id of={by.id} /> : nameOf(by)}</>}</>
)

/** The object of an entry; in the list of all workspaces, also its workspace. */
const Subject = ({ entry: { by, subject, workspace }, isOfAll, named, only }: {
  readonly entry: AuditEntry; readonly isOfAll: boolean; readonly named: Shown['named']; readonly only: Only
}): VNode => {
  const isActor = by.type === 'member' && by.id === subject
  const isItself = subject === workspace && workspace !== undefined
  const name = workspace === undefined ? undefined : named.get(workspace)?.name
  return (
    <>
      {subject !== undefined && !isItself && !isActor && <div>{ID.test(subject) ? <Id of={subject} /> : subject}</div>}
      {workspace !== undefined && (isOfAll || isItself || subject === undefined) && (
        <div class={isItself ? '' : 'soft'}>
          {name === undefined
            ? <>{texts.workspace} <Id of={workspace} /></>
            : <a href={only('workspace', workspace)} title={workspace}>{name}</a>}
        </div>
      )}
    </>
  )
}

/** An id, as opposed to an email or a name. */
const ID = /^[a-z]+_[0-9A-Za-z-]{16,}$/

/** The details as a list of names and values. */
const Details = ({ details, currency }: { readonly details: JsonObject; readonly currency: string | undefined }): VNode => (
  <dl class="details">
    {Object.entries(details).map(([name, value]) => (
      <div key={name}><dt>{name.replaceAll('_', ' ')}</dt><dd><Value of={value} currency={currency} /></dd></div>
    ))}
  </dl>
)

const Value = ({ of, currency }: { readonly of: Json; readonly currency: string | undefined }): VNode => {
  if (Array.isArray(of)) return <>{of.map((one: Json, index) => <>{index > 0 && ', '}<Value of={one} currency={currency} /></>)}</>
  if (of === null) return <>{texts.nothing}</>
  if (typeof of === 'object') return <Details details={of as JsonObject} currency={currency} />
  const micros = currency !== undefined && typeof of === 'string' && AMOUNT.test(of) ? parseMicros(of.replace('-', '')) : undefined
  return micros !== undefined && currency !== undefined && E.isRight(micros)
    ? <Money micros={String(of).startsWith('-') ? -micros.right : micros.right} currency={currency} />
    : <>{String(of)}</>
}

/** An amount of money in details, which is always written with six decimals. */
const AMOUNT = /^-?\d+\.\d{6}$/

/** The address of the log with one more filter, or with another value of it. */
type Only = (filter: (typeof FILTER_NAMES)[number], value: string) => string

const FILTER_NAMES = ['workspace', 'person', 'act', 'from', 'to'] as const

const auditPage = ({ signedIn, page: { items, next }, query, shown, named }: Shown): HtmlAnswer => {
  const values = Object.fromEntries(FILTER_NAMES.flatMap((key) => (query.get(key) ? [[key, query.get(key) ?? '']] : [])))
  const { workspace = '', person = '', act = '', from = '', to = '' } = values
  const filters = new URLSearchParams(values)
  const addressOf = (of: Readonly<Record<string, string>>): string => `/console/audit?${new URLSearchParams(of).toString()}`
  const only: Only = (filter, value) => addressOf({ ...values, [filter]: value })
  const without = (filter: string): string => addressOf(Object.fromEntries(Object.entries(values).filter(([key]) => key !== filter)))
  const isSought = person !== '' || act !== ''
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
            <Field id="person" label={texts.person} value={person} required={false} />
            <ChoiceField id="act" label={texts.act}>
              <option value="">{texts.anyAct}</option>
              {AUDITED.map((one) => <option key={one} value={one} selected={one === act}>{one}</option>)}
            </ChoiceField>
            <Field id="from" label={texts.from} type="date" value={from} required={false} />
            <Field id="to" label={texts.to} type="date" value={to} required={false} />
          </div>
          <button>{texts.show}</button> <a class="button plain" href={`/console/audit.csv?${filters.toString()}`}>{texts.csv}</a>
        </form>
        {isSought && (
          <div class="bar">
            <nav class="chips" aria-label={texts.show}>
              {Object.entries({ person, act }).filter(([, value]) => value !== '').map(([filter, value]) => (
                <a key={filter} class="active" href={without(filter)}>{value} <Icon name="close" /></a>
              ))}
            </nav>
          </div>
        )}
        {items.length === 0 ? <Empty sentence={texts.none} icon="audit" /> : (
          <Table label={texts.title} columns={[texts.when, texts.who, texts.what, texts.on, texts.details, texts.address]}>
            {items.map((entry) => (
              <tr key={entry.id}>
                <td data-label={texts.when} class="soft whole"><Time at={entry.at} as="ago" /></td>
                <td data-label={texts.who}>
                  {entry.by.type === 'member'
                    ? <a href={only('person', entry.by.email)}>{entry.by.email}</a>
                    : <Who by={entry.by} />}
                </td>
                <td data-label={texts.what} class="whole">
                  <a href={only('act', entry.act)}>{entry.act}</a>
                  {entry.outcome === 'refused' && <> <State text={texts.refused} tone="bad" /></>}
                </td>
                <td data-label={texts.on} class="long"><Subject entry={entry} isOfAll={workspace === ''} named={named} only={only} /></td>
                <td data-label={texts.details} class="long">{entry.details !== undefined && (
                    <Details details={entry.details} currency={named.get(entry.workspace ?? '')?.currency} />
                  )}</td>
                <td data-label={texts.address} class="soft whole">{entry.address ?? ''}</td>
              </tr>
            ))}
          </Table>
        )}
        {next !== undefined && (
          <p>
            <a class="button plain" href={`/console/audit?${new URLSearchParams([...filters, ['cursor', next]]).toString()}`}>
              {isSought && items.length < SHOWN_AT_ONCE ? texts.further : texts.older}
            </a>
          </p>
        )}
      </>
    ),
  }
}
