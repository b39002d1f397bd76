import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Forbidden } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Page as ListPage } from '../../../../core/kernel/json.js'
import { type Currency, type InvalidAmount, parseCorrection, parseCredit } from '../../../../core/kernel/money.js'
import type { InvalidNote, InvalidReference } from '../../../../core/kernel/text.js'
import { type Clock, DAY_MS, type Instant } from '../../../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../../../core/kernel/workspace.js'
import { auditWallet, type Entry, type Ledger, type ReferenceReused, STATEMENT_CSV_HEADER, statementCsvLine } from '../../../../core/money/ledger.js'
import {
  type AdjustWallet, type ListMonths, type MonthSpend, type ReadStatement, type ReportSpend, type StatementQuery, templateCsvLines, TEMPLATES_CSV_HEADER, type TopUp,
} from '../../../../core/money/use-cases.js'
import { type BalanceOutOfRange, ENTRY_KINDS, type WalletAlerts } from '../../../../core/money/wallet.js'
import { type Answer, redirect } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { writeMoney } from '../../money.js'
import { actIn, type ActIn, inWorkspace, type InWorkspace, type Page, type PageDeps, workspacePage } from '../../page.js'
import { TEXTS } from '../../texts.js'
import { MonthStatement, monthInWords, Months, nameOfMonth, readPaidIn } from './wallet-month.js'
import { Books, type ShownForm, Spend, WalletPage } from './wallet-parts.js'

const { wallet: texts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace/wallet'
const SHOWN_AT_ONCE = 50
const READ_AT_ONCE = 1_000
const HOLDS_SHOWN = 20
const SPEND_DAYS = 30

/** What the pages of wallets need. */
export type WalletSection = {
  readonly ledger: Pick<Ledger, 'balance' | 'openHolds' | 'books'>
  readonly walletAlerts: Pick<WalletAlerts, 'alertsOf'>
  readonly readStatement: ReadStatement
  readonly reportSpend: ReportSpend
  readonly listMonths: ListMonths
  readonly topUp: TopUp
  readonly adjustWallet: AdjustWallet
  readonly now: Clock
}

/** The wallet of a workspace: its balance, its statement, its spend and the proof of its books. */
export const walletPages = (deps: PageDeps, section: WalletSection): ReadonlyArray<Page> => [
  { path: PATH, get: inWorkspace(deps, 'workspace.view', (page) => show(section, page, {})) },
  { path: `${PATH}/statement.csv`, kind: 'export', get: inWorkspace(deps, 'workspace.view', (page) => download(section, page)) },
  { path: `${PATH}/spend`, kind: 'report', get: inWorkspace(deps, 'workspace.view', (page) => spend(section, page)) },
  { path: `${PATH}/months/:month`, kind: 'report', get: inWorkspace(deps, 'workspace.view', (page) => month(section, page)) },
  { path: `${PATH}/months/:month/templates.csv`, kind: 'report', get: inWorkspace(deps, 'workspace.view', (page) => templatesCsv(section, page)) },
  { path: `${PATH}/books`, kind: 'report', get: inWorkspace(deps, 'workspace.view', (page) => books(section, page)) },
  {
    path: `${PATH}/top-up`,
    post: actIn(deps, 'wallet.top_up', async (acting) => {
      const { amount = '', reference = '' } = acting.request.form
      const micros = parseCredit(amount.trim())
      const done = E.isLeft(micros) ? micros : await section.topUp({ by: acting.by, workspace: acting.workspace, micros: micros.right, reference: reference.trim() })
      return answer(section, acting, 'top-up', done)
    }),
  },
  {
    path: `${PATH}/adjust`,
    post: actIn(deps, 'wallet.adjust', async (acting) => {
      const { amount = '', reference = '', note = '' } = acting.request.form
      const micros = parseCorrection(amount.trim())
      const done = E.isLeft(micros) ? micros
        : await section.adjustWallet({ by: acting.by, workspace: acting.workspace, micros: micros.right, note: note.trim(), reference: reference.trim() })
      return answer(section, acting, 'adjust', done)
    }),
  },
]

const pathOf = ({ workspace }: InWorkspace): string => `/console/workspaces/${workspace.id}/wallet`

type Refusal = InvalidAmount | InvalidNote | InvalidReference | UnknownWorkspace | ReferenceReused | BalanceOutOfRange | Forbidden | PortFailure

const answer = async (
  section: WalletSection, { workspace, request: { form }, signedIn, again }: ActIn, name: ShownForm['name'], done: E.Either<Refusal, unknown>,
): Promise<Answer> => {
  if (E.isRight(done)) return redirect(`/console/workspaces/${workspace}/wallet?done=1`)
  const { left } = done
  if (left._tag === 'UnknownWorkspace') return failurePage({ _tag: 'NotFound' }, signedIn)
  if (left._tag === 'Forbidden' || left._tag === 'PortFailure') return failurePage(left, signedIn)
  return again((page) => show(section, page, { shownForm: { name, values: form, problem: problemOf(left, page.workspace.currency) } }))
}

const problemOf = (failure: Exclude<Refusal, UnknownWorkspace | Forbidden | PortFailure>, currency: Currency): string => {
  switch (failure._tag) {
    case 'InvalidAmount': return texts.problems.InvalidAmount(failure.reason)
    case 'InvalidNote': case 'InvalidReference': case 'BalanceOutOfRange': return texts.problems[failure._tag]
    case 'ReferenceReused': return texts.problems.ReferenceReused(writeMoney(failure.credited, currency))
  }
}

const show = async (section: WalletSection, page: InWorkspace, { shownForm }: { readonly shownForm?: ShownForm }): Promise<Answer> => {
  const { workspace, request: { query }, signedIn } = page
  const { id } = workspace
  const cursor = query.get('cursor')
  const [balance, alerts, holds, statement] = await Promise.all([
    section.ledger.balance(id), section.walletAlerts.alertsOf(id), section.ledger.openHolds(id, HOLDS_SHOWN + 1),
    section.readStatement(id, { ...filtersOf(query), limit: SHOWN_AT_ONCE, ...(cursor !== null && { cursor }) }),
  ])
  if (E.isLeft(balance)) return failurePage(balance.left, signedIn)
  if (E.isLeft(alerts)) return failurePage(alerts.left, signedIn)
  if (E.isLeft(holds)) return failurePage(holds.left, signedIn)
  if (E.isLeft(statement)) return failurePage(statement.left, signedIn)
  if (O.isNone(balance.right)) return failurePage({ _tag: 'NotFound' }, signedIn)
  return workspacePage(page, {
    title: sections.wallet, path: pathOf(page), ...(shownForm !== undefined && { status: 422 }),
    content: (
      <WalletPage
        path={pathOf(page)} base={`/console/workspaces/${id}`} principal={page.by.principal} workspace={workspace} query={query} balance={balance.right.value}
        alerts={O.toUndefined(alerts.right)} holds={holds.right.slice(0, HOLDS_SHOWN)} hasMoreHolds={holds.right.length > HOLDS_SHOWN} statement={statement.right}
        isFull={statement.right.items.length === SHOWN_AT_ONCE} shownForm={shownForm} problem={hasUnreadDay(query) ? texts.unreadDay : undefined}
      />
    ),
  })
}

const filtersOf = (query: URLSearchParams): Omit<StatementQuery, 'limit' | 'cursor'> => {
  const kind = ENTRY_KINDS.find((one) => one === query.get('kind'))
  const [since, last] = [dayOf(query.get('from')), dayOf(query.get('to'))]
  return { ...(kind !== undefined && { kind }), ...(since !== undefined && { since }), ...(last !== undefined && { until: last + DAY_MS }) }
}

const dayOf = (text: string | null): Instant | undefined => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') ? Date.parse(`${text ?? ''}T00:00:00Z`) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

const hasUnreadDay = (query: URLSearchParams): boolean => ['from', 'to'].some((name) => (query.get(name) ?? '') !== '' && dayOf(query.get(name)) === undefined)

const download = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id }, request: { query }, signedIn } = page
  const filters = { ...filtersOf(query), limit: READ_AT_ONCE }
  const [balance, first] = await Promise.all([section.ledger.balance(id), section.readStatement(id, filters)])
  if (E.isLeft(balance)) return failurePage(balance.left, signedIn)
  if (E.isLeft(first)) return failurePage(first.left, signedIn)
  if (O.isNone(balance.right)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const read = { section, workspace: id, filters, currency: balance.right.value.currency }
  return { _tag: 'Csv', name: 'statement.csv', parts: csvParts(read, first.right) }
}

type Reading = { readonly section: WalletSection; readonly workspace: WorkspaceId; readonly filters: StatementQuery; readonly currency: Currency }

/** Reads on while the browser takes what was read. A failure breaks the download off, so that half a file does not look like a whole one. */
async function* csvParts({ section, workspace, filters, currency }: Reading, first: ListPage<Entry>): AsyncGenerator<string> {
  yield STATEMENT_CSV_HEADER
  let page = first
  for (;;) {
    if (page.items.length > 0) yield page.items.map((entry) => statementCsvLine(entry, currency)).join('')
    if (page.next === undefined) return
    const next = await section.readStatement(workspace, { ...filters, cursor: page.next })
    if (E.isLeft(next)) throw new Error('The statement could not be read to its end.', { cause: next.left })
    page = next.right
  }
}

const spend = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id, currency }, signedIn } = page
  const [report, months] = await Promise.all([section.reportSpend(id, section.now() - (SPEND_DAYS - 1) * DAY_MS), section.listMonths(id)])
  if (E.isLeft(report)) return failurePage(report.left, signedIn)
  if (E.isLeft(months)) return failurePage(months.left, signedIn)
  return workspacePage(page, {
    title: texts.spend,
    content: (
      <Spend path={pathOf(page)} report={report.right} currency={currency} days={SPEND_DAYS}>
        <h2>{texts.months}</h2>
        <Months path={pathOf(page)} months={months.right} currency={currency} />
      </Spend>
    ),
  })
}

const month = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace, signedIn } = page
  const named = await monthOf(section, page)
  if (E.isLeft(named)) return failurePage(named.left, signedIn)
  const found = named.right
  const [report, paidIn] = await Promise.all([section.reportSpend(workspace.id, found.start, found.end), readPaidIn(section.readStatement, workspace.id, found)])
  if (E.isLeft(report)) return failurePage(report.left, signedIn)
  if (E.isLeft(paidIn)) return failurePage(paidIn.left, signedIn)
  return workspacePage(page, {
    title: texts.statementOf(monthInWords(found)), path: `${pathOf(page)}/spend`,
    content: <MonthStatement path={pathOf(page)} workspace={workspace} month={found} isOver={found.end <= section.now()} report={report.right} paidIn={paidIn.right} />,
  })
}

/** The month that the address names. */
const monthOf = async ({ listMonths }: WalletSection, { workspace, request: { params } }: InWorkspace): Promise<E.Either<PortFailure | { readonly _tag: 'NotFound' }, MonthSpend>> => {
  const months = await listMonths(workspace.id)
  return E.isLeft(months) ? months : E.fromNullable({ _tag: 'NotFound' } as const)(months.right.find((one) => nameOfMonth(one) === params['month']))
}

const templatesCsv = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id, currency }, signedIn } = page
  const found = await monthOf(section, page)
  if (E.isLeft(found)) return failurePage(found.left, signedIn)
  const report = await section.reportSpend(id, found.right.start, found.right.end)
  if (E.isLeft(report)) return failurePage(report.left, signedIn)
  return { _tag: 'Csv', name: `templates-${nameOfMonth(found.right)}.csv`, parts: inOrder([TEMPLATES_CSV_HEADER, ...templateCsvLines(report.right, currency)]) }
}

async function* inOrder(lines: ReadonlyArray<string>): AsyncGenerator<string> {
  yield* lines
}

const books = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const [balance, found] = await Promise.all([section.ledger.balance(page.workspace.id), section.ledger.books(page.workspace.id)])
  if (E.isLeft(balance)) return failurePage(balance.left, page.signedIn)
  if (E.isLeft(found)) return failurePage(found.left, page.signedIn)
  if (O.isNone(found.right) || O.isNone(balance.right)) return failurePage({ _tag: 'NotFound' }, page.signedIn)
  const totals = found.right.value
  return workspacePage(page, {
    title: texts.books, path: pathOf(page), content: <Books path={pathOf(page)} totals={totals} faults={auditWallet(totals)} currency={balance.right.value.currency} />,
  })
}

