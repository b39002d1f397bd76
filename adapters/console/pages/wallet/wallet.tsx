import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Forbidden, isAllowed } from '../../../../core/access/access.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Page as ListPage } from '../../../../core/kernel/page.js'
import { type Currency, formatMicros, type InvalidAmount, parseCorrection, parseCredit } from '../../../../core/kernel/money.js'
import { type InvalidNote, type InvalidReference, parseNote, parseReference } from '../../../../core/kernel/text.js'
import { DAY_MS, type Instant } from '../../../../core/kernel/time.js'
import type { UnknownWorkspace } from '../../../../core/kernel/workspace.js'
import { auditWallet, type Entry, type ReferenceReused, STATEMENT_CSV_HEADER, statementCsvLine } from '../../../../core/money/ledger.js'
import {
  type MonthSpend, templateCsvLines, TEMPLATES_CSV_HEADER, type ToppedUp,
} from '../../../../core/money/use-cases.js'
import type { StatementQuery } from '../../../../core/money/statement.js'
import { addToBalance, type BalanceOutOfRange, ENTRY_KINDS } from '../../../../core/money/wallet.js'
import { type Answer, redirectWithFlash } from '../../answer.js'
import { readingsOf } from '../../amount.js'
import { failurePage } from '../../failure-page.js'
import { writeMoney } from '../../money.js'
import {
  actIn, type ActIn, choosing, cursorIn, inWorkspace, type InWorkspace, listed, type Page, type PageDeps, workspacePage,
} from '../../page.js'
import type { Entry as NavigationEntry } from '../../navigation.js'
import { OPEN_PANEL, type Refused } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { parseDay } from '../../zone.js'
import { DayLines, Statement } from './statement.js'
import { dayInWords, MonthActs, monthInWords, MonthLinks, Months, MonthSpending, nameOfMonth } from './wallet-month.js'
import { Asking, Books, Done, type ShownForm, Spend, WalletPage } from './wallet-parts.js'
import type { UsesOf } from '../../gateway.js'
import { isPastMissing } from '../../../../core/messages/statistics.js'

const { wallet: texts, sections } = TEXTS
const PATH = '/console/workspaces/:workspace/wallet'
const SHOWN_AT_ONCE = 50
const READ_AT_ONCE = 1_000
const HOLDS_SHOWN = 20
const SPEND_DAYS = 30
/** From 1,000 units of the currency, an amount must be confirmed before it is added or removed. */
const LARGE_MICROS = 1_000_000_000n

/** The dependencies of these pages. */
export type WalletSection = UsesOf<'money'> & UsesOf<'overview'> & Pick<UsesOf<'clock'>, 'now'>

/** The filters of the statement. */
const FILTERS = { kind: ENTRY_KINDS, from: 'day', to: 'day' } as const

/** Whether a statement shows movements of zero. */
const FREE = { free: ['show'] } as const

/** The wallet of a workspace: its balance, its statement, its spend and the proof of its books. */
export const walletPages = (deps: PageDeps, section: WalletSection): ReadonlyArray<Page> => [
  { path: PATH, get: choosing(FILTERS, listed('entries', inWorkspace(deps, 'workspace.view', (page) => show(section, page, {})))) },
  {
    path: `${PATH}/statement.csv`,
    kind: 'export',
    get: choosing(FILTERS, inWorkspace(deps, 'workspace.view', (page) => download(section, page))),
  },
  { path: `${PATH}/spend`, kind: 'report', get: inWorkspace(deps, 'workspace.view', (page) => spend(section, page)) },
  {
    path: `${PATH}/months/:month`, kind: 'report',
    get: choosing(FREE, inWorkspace(deps, 'workspace.view', (page) => month(section, page))),
  },
  {
    path: `${PATH}/days/:day`, kind: 'report',
    get: choosing(FREE, listed('entries', inWorkspace(deps, 'workspace.view', (page) => day(section, page)))),
  },
  {
    path: `${PATH}/months/:month/templates.csv`,
    kind: 'report',
    get: inWorkspace(deps, 'workspace.view', (page) => templatesCsv(section, page)),
  },
  { path: `${PATH}/books`, kind: 'report', get: inWorkspace(deps, 'workspace.view', (page) => books(section, page)) },
  { path: `${PATH}/top-up`, post: actIn(deps, 'wallet.top_up', (acting) => topUp(section, acting)) },
  { path: `${PATH}/adjust`, post: actIn(deps, 'wallet.adjust', (acting) => adjust(section, acting)) },
]

const pathOf = ({ workspace }: InWorkspace): string => `/console/workspaces/${workspace.id}/wallet`

const topUp = async (section: WalletSection, acting: ActIn): Promise<Answer> => {
  const { by, workspace, request: { form: { amount = '', reference = '' } } } = acting
  const { text, readings } = meantBy(acting, amount)
  const micros = parseCredit(text)
  if (E.isLeft(micros)) return answer(section, acting, { name: 'top-up', micros: 0n }, micros)
  const asked = {
    name: 'top-up', act: 'wallet.top_up', micros: micros.right, readings, isRead: E.isRight(parseReference(reference.trim())),
  } as const
  return askFirst(section, acting, asked, async () =>
    answer(section, acting, asked, await section.topUp({ by, workspace, micros: micros.right, reference: reference.trim() })))
}

const adjust = async (section: WalletSection, acting: ActIn): Promise<Answer> => {
  const { by, workspace, request: { form: { amount = '', reference = '', note = '' } } } = acting
  const { text, readings } = meantBy(acting, amount)
  const micros = parseCorrection(text)
  if (E.isLeft(micros)) return answer(section, acting, { name: 'adjust', micros: 0n }, micros)
  const asked = {
    name: 'adjust',
    act: 'wallet.adjust',
    micros: micros.right,
    readings,
    isRead: E.isRight(parseReference(reference.trim())) && E.isRight(parseNote(note.trim())),
  } as const
  return askFirst(section, acting, asked, async () =>
    answer(
      section, acting, asked,
      await section.adjustWallet({ by, workspace, micros: micros.right, note: note.trim(), reference: reference.trim() }),
    ))
}

/** The amount as it is read, and both possible amounts while the person has not chosen one of them. */
const meantBy = ({ request: { form } }: ActIn, amount: string): { readonly text: string; readonly readings: ReadonlyArray<bigint> } => {
  const readings = readingsOf(amount)
  const [first] = readings
  if (first === undefined) return { text: amount.trim(), readings }
  const chosen = readings.find((micros) => form['sure'] === formatMicros(micros))
  return chosen === undefined ? { text: formatMicros(first), readings } : { text: formatMicros(chosen), readings: [] }
}

/** The request of a form; `isRead`: all its other fields are valid. */
type Asked = {
  readonly name: ShownForm['name']; readonly act: 'wallet.top_up' | 'wallet.adjust'; readonly micros: bigint; readonly isRead: boolean
  /** The possible amounts; empty if the amount is known. */
  readonly readings: ReadonlyArray<bigint>
}

/**
 * Asks before a large or ambiguous amount is moved: the page shows it, and its buttons repeat it. An impossible movement is not asked about: the use case refuses it, and records
 * who tried. A confirmation applies to one amount.
 */
const askFirst = async (
  section: WalletSection, { request: { form }, workspace: id, signedIn: { principal }, again }: ActIn, asked: Asked,
  act: () => Promise<Answer>,
): Promise<Answer> => {
  if (form['change'] !== undefined) return again((page) => show(section, page, { shownForm: { name: asked.name, values: form } }))
  const isAsked = asked.micros >= LARGE_MICROS || asked.micros <= -LARGE_MICROS || asked.readings.length > 0
  if (!isAsked || !asked.isRead || form['sure'] === formatMicros(asked.micros) || !isAllowed(principal, asked.act, { id })) return act()
  return again(async (page) => {
    if (!isAllowed(principal, asked.act, page.workspace)) return act()
    const balance = await section.showBalance(id)
    if (E.isLeft(balance)) return failurePage(balance.left, page.signedIn)
    if (O.isNone(balance.right) || E.isLeft(addToBalance(balance.right.value, asked.micros))) return act()
    return workspacePage(page, {
      title: asked.name === 'top-up' ? texts.topUp : texts.adjust, path: pathOf(page),
      content: (
        <Asking
          path={pathOf(page)} name={asked.name} workspace={page.workspace} micros={asked.micros} readings={asked.readings} values={form}
          balance={balance.right.value}
        />
      ),
    })
  })
}

type Refusal =
  | InvalidAmount | InvalidNote | InvalidReference | UnknownWorkspace | ReferenceReused | BalanceOutOfRange | Forbidden | PortFailure

const answer = async (
  section: WalletSection, { workspace, request: { form }, signedIn, again }: ActIn, { name, micros }: Pick<Asked, 'name' | 'micros'>,
  done: E.Either<Refusal, ToppedUp>,
): Promise<Answer> => {
  if (E.isRight(done)) {
    const { isNew, currency } = done.right
    return redirectWithFlash(
      `/console/workspaces/${workspace}/wallet`,
      <Done micros={micros} currency={currency} reference={(form['reference'] ?? '').trim()} isNew={isNew} />,
    )
  }
  const { left } = done
  if (left._tag === 'UnknownWorkspace') return failurePage({ _tag: 'NotFound' }, signedIn)
  if (left._tag === 'Forbidden' || left._tag === 'PortFailure') return failurePage(left, signedIn)
  return again((page) => show(section, page, { shownForm: { name, values: form, ...problemOf(left, page.workspace.currency, name) } }))
}

const problemOf = (
  failure: Exclude<Refusal, UnknownWorkspace | Forbidden | PortFailure>, currency: Currency, form: ShownForm['name'],
): Refused => {
  switch (failure._tag) {
    case 'InvalidAmount': return { problem: texts.problems.InvalidAmount(failure.reason), at: `${form}-amount` }
    case 'BalanceOutOfRange': return { problem: texts.problems.BalanceOutOfRange, at: `${form}-amount` }
    case 'InvalidNote': return { problem: texts.problems.InvalidNote, at: `${form}-note` }
    case 'InvalidReference': return { problem: texts.problems.InvalidReference, at: `${form}-reference` }
    case 'ReferenceReused':
      return { problem: texts.problems.ReferenceReused(writeMoney(failure.credited, currency)), at: `${form}-reference` }
  }
}

/** Opens the form that adds money. */
export const ADD_MONEY: NavigationEntry = {
  path: `${PATH}?${OPEN_PANEL}`, get text() { return texts.topUp }, icon: 'plus', act: 'wallet.top_up', keys: 'a m',
}

const show = async (section: WalletSection, page: InWorkspace, { shownForm }: { readonly shownForm?: ShownForm }): Promise<Answer> => {
  const { workspace, request: { query }, signedIn } = page
  const { id } = workspace
  const cursor = cursorIn(page.request)
  const [balance, alerts, holds, statement] = await Promise.all([
    section.showBalance(id), section.showAlerts(id), section.showHolds(id, HOLDS_SHOWN + 1),
    section.readStatement(id, { ...filtersOf(query), limit: SHOWN_AT_ONCE, ...(cursor !== undefined && { cursor }) }),
  ])
  if (E.isLeft(balance)) return failurePage(balance.left, signedIn)
  if (E.isLeft(alerts)) return failurePage(alerts.left, signedIn)
  if (E.isLeft(holds)) return failurePage(holds.left, signedIn)
  if (E.isLeft(statement)) return failurePage(statement.left, signedIn)
  if (O.isNone(balance.right)) return failurePage({ _tag: 'NotFound' }, signedIn)
  return workspacePage(page, {
    title: sections.wallet, path: pathOf(page), firstAct: ADD_MONEY,
    ...(isAllowed(page.by.principal, 'wallet.adjust', workspace) && {
      rareActs: { content: <a href={`${pathOf(page)}?${OPEN_PANEL}=adjust`}>{texts.adjust}</a> },
    }),
    ...(shownForm?.problem !== undefined && { status: 422 }),
    content: (
      <WalletPage
        path={pathOf(page)} base={`/console/workspaces/${id}`} principal={page.by.principal} workspace={workspace} query={query}
        balance={balance.right.value} alerts={O.toUndefined(alerts.right)} holds={holds.right.slice(0, HOLDS_SHOWN)}
        hasMoreHolds={holds.right.length > HOLDS_SHOWN} statement={statement.right} isFull={statement.right.items.length === SHOWN_AT_ONCE}
        shownForm={shownForm}
      />
    ),
  })
}

const filtersOf = (query: URLSearchParams): Omit<StatementQuery, 'limit' | 'cursor'> => {
  const kind = ENTRY_KINDS.find((one) => one === query.get('kind'))
  const [since, last] = [parseDay(query.get('from')), parseDay(query.get('to'))]
  return {
    ...(kind !== undefined && { kind }), ...(since !== undefined && { since: since.from }), ...(last !== undefined && { until: last.to }),
  }
}

const download = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id }, request: { query }, signedIn } = page
  const filters = { ...filtersOf(query), limit: READ_AT_ONCE }
  const [balance, first] = await Promise.all([section.showBalance(id), section.readStatement(id, filters)])
  if (E.isLeft(balance)) return failurePage(balance.left, signedIn)
  if (E.isLeft(first)) return failurePage(first.left, signedIn)
  if (O.isNone(balance.right)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const read = { section, workspace: id, filters, currency: balance.right.value.currency }
  return { _tag: 'Csv', name: 'statement.csv', parts: csvParts(read, first.right) }
}

type Reading = {
  readonly section: WalletSection
  readonly workspace: WorkspaceId
  readonly filters: StatementQuery
  readonly currency: Currency
}

/** Continues reading while the browser receives the data. A failure aborts the download, so that an incomplete file does not look complete. */
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
  const [report, months, isCounting] = await Promise.all([
    section.reportSpend(id, section.now() - (SPEND_DAYS - 1) * DAY_MS), section.listMonths(id), countingOf(section),
  ])
  if (E.isLeft(report)) return failurePage(report.left, signedIn)
  if (E.isLeft(months)) return failurePage(months.left, signedIn)
  if (E.isLeft(isCounting)) return failurePage(isCounting.left, signedIn)
  return workspacePage(page, {
    title: texts.spend,
    content: (
      <Spend path={pathOf(page)} report={report.right} currency={currency} days={SPEND_DAYS} isCounting={isCounting.right}>
        <h2>{texts.months}</h2>
        <Months path={pathOf(page)} months={months.right} currency={currency} isCounting={isCounting.right} />
      </Spend>
    ),
  })
}

/** Whether messages from before an upgrade are still being counted. */
const countingOf = async ({ showCounting, now }: WalletSection): Promise<E.Either<PortFailure, boolean>> =>
  E.map((progress: ReadonlyMap<string, Instant>) => isPastMissing(progress, now()))(await showCounting())

const month = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id, name, currency }, signedIn, request: { path: href, query, origin } } = page
  const months = await section.listMonths(id)
  if (E.isLeft(months)) return failurePage(months.left, signedIn)
  const found = monthIn(months.right, page)
  if (found === undefined) return failurePage({ _tag: 'NotFound' }, signedIn)
  const withFree = query.get('free') === 'show'
  const [report, statement, isCounting] = await Promise.all([
    section.reportSpend(id, found.start, found.end), section.showStatement(id, { from: found.start, to: found.end, withFree }),
    countingOf(section),
  ])
  if (E.isLeft(report)) return failurePage(report.left, signedIn)
  if (E.isLeft(statement)) return failurePage(statement.left, signedIn)
  if (E.isLeft(isCounting)) return failurePage(isCounting.left, signedIn)
  if (O.isNone(statement.right)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const path = pathOf(page)
  return workspacePage(page, {
    title: texts.statementOf(monthInWords(found)), zone: 'UTC', path: `${path}/spend`,
    content: (
      <>
        <div class="over"><MonthLinks path={path} months={months.right} month={found} /><MonthActs path={path} month={found} /></div>
        <Statement
          statement={statement.right.value} month={found} isOver={found.end <= section.now()} path={path} href={href} currency={currency}
          withFree={withFree} issuer={[name, origin === undefined ? TEXTS.layout.product : new URL(origin).host]}
        />
        <MonthSpending path={path} currency={currency} month={found} report={report.right} isCounting={isCounting.right} />
      </>
    ),
  })
}

const day = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id, currency }, signedIn, request: { path: href, params, query } } = page
  const named = parseDay(`${params['day'] ?? ''}Z`)
  if (named === undefined) return failurePage({ _tag: 'NotFound' }, signedIn)
  const [cursor, withFree] = [cursorIn(page.request), query.get('free') === 'show']
  const read = await section.showDay(id, { day: named.from, limit: SHOWN_AT_ONCE, withFree, ...(cursor !== undefined && { cursor }) })
  if (E.isLeft(read)) return failurePage(read.left, signedIn)
  if (O.isNone(read.right)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const path = pathOf(page)
  const months = `${path}/months/${nameOfMonth({ start: named.from })}`
  return workspacePage(page, {
    title: TEXTS.statement.ofDay(dayInWords(named.from)), zone: 'UTC', path: `${path}/spend`,
    content: (
      <>
        <nav class="steps" aria-label={texts.months}>
          <a href={path}>{sections.wallet}</a><a href={months}>{monthInWords({ start: named.from })}</a>
        </nav>
        <DayLines
          statement={read.right.value} day={named.from} href={href} isFirst={cursor === undefined} path={path} currency={currency}
          withFree={withFree}
        />
      </>
    ),
  })
}

/** The month in the address. */
const monthIn = (months: ReadonlyArray<MonthSpend>, { request: { params } }: InWorkspace): MonthSpend | undefined =>
  months.find((one) => nameOfMonth(one) === params['month'])

const templatesCsv = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id, currency }, signedIn } = page
  const months = await section.listMonths(id)
  if (E.isLeft(months)) return failurePage(months.left, signedIn)
  const found = monthIn(months.right, page)
  if (found === undefined) return failurePage({ _tag: 'NotFound' }, signedIn)
  const report = await section.reportSpend(id, found.start, found.end)
  if (E.isLeft(report)) return failurePage(report.left, signedIn)
  return {
    _tag: 'Csv',
    name: `templates-${nameOfMonth(found)}.csv`,
    parts: inOrder([TEMPLATES_CSV_HEADER, ...templateCsvLines(report.right, currency)]),
  }
}

async function* inOrder(lines: ReadonlyArray<string>): AsyncGenerator<string> {
  yield* lines
}

const books = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const [balance, found] = await Promise.all([section.showBalance(page.workspace.id), section.showBooks(page.workspace.id)])
  if (E.isLeft(balance)) return failurePage(balance.left, page.signedIn)
  if (E.isLeft(found)) return failurePage(found.left, page.signedIn)
  if (O.isNone(found.right) || O.isNone(balance.right)) return failurePage({ _tag: 'NotFound' }, page.signedIn)
  const totals = found.right.value
  return workspacePage(page, {
    title: texts.books, path: pathOf(page),
    content: <Books path={pathOf(page)} totals={totals} faults={auditWallet(totals)} currency={balance.right.value.currency} />,
  })
}

