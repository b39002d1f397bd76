import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import { DAY_MS, type Instant } from '../../../../core/kernel/time.js'
import { isPastMissing } from '../../../../core/messages/statistics.js'
import { auditWallet } from '../../../../core/money/ledger.js'
import { type MonthSpend, templateCsvLines, TEMPLATES_CSV_HEADER } from '../../../../core/money/use-cases.js'
import type { Answer } from '../../answer.js'
import { failurePage } from '../../failure-page.js'
import { cursorIn, type InWorkspace, workspacePage } from '../../page.js'
import { TEXTS } from '../../texts.js'
import { parseDay } from '../../zone.js'
import { chosenNumber, filterByNumber, NumberChips, readNumbers } from '../numbers/names.js'
import { DayLines, Statement } from './statement.js'
import { dayInWords, MonthActs, monthInWords, MonthLinks, Months, MonthSpending, nameOfMonth } from './wallet-month.js'
import { Books, Holds, HOLDS_SHOWN, Spend, WalletTabs } from './wallet-parts.js'
import { pathOf, type WalletSection } from './wallet-section.js'

const { wallet: texts, sections } = TEXTS
const SHOWN_AT_ONCE = 50
const SPEND_DAYS = 30

/** The spend of the last days, by category, market, template and key, of all numbers or of one. The months are those of the workspace. */
export const spend = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id, currency }, signedIn } = page
  const sender = await filterByNumber(section, page)
  if (E.isLeft(sender)) return failurePage(sender.left, signedIn)
  const since = section.now() - (SPEND_DAYS - 1) * DAY_MS
  const [report, months, isCounting, numbers] = await Promise.all([
    section.reportSpend(id, since, undefined, sender.right), section.listMonths(id), readCounting(section), readNumbers(section, id),
  ])
  if (E.isLeft(report)) return failurePage(report.left, signedIn)
  if (E.isLeft(months)) return failurePage(months.left, signedIn)
  if (E.isLeft(isCounting)) return failurePage(isCounting.left, signedIn)
  const chosen = chosenNumber(page)
  return workspacePage(page, {
    title: texts.spend,
    content: (
      <Spend path={pathOf(page)} report={report.right} currency={currency} days={SPEND_DAYS} isCounting={isCounting.right}>
        <NumberChips
          numbers={numbers} chosen={chosen}
          hrefOf={(one) => `${page.request.path}${one === undefined ? '' : `?sender=${encodeURIComponent(one)}`}`}
        />
        {chosen === undefined && (
          <>
            <h2>{texts.months}</h2>
            <Months path={pathOf(page)} months={months.right} currency={currency} isCounting={isCounting.right} />
          </>
        )}
      </Spend>
    ),
  })
}

/** Whether messages from before an upgrade are still being counted. */
export const readCounting = async ({ showCounting, now }: WalletSection): Promise<E.Either<PortFailure, boolean>> =>
  E.map((progress: ReadonlyMap<string, Instant>) => isPastMissing(progress, now()))(await showCounting())

/** The months that have a statement. */
export const months = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id, currency }, signedIn } = page
  const [read, isCounting] = await Promise.all([section.listMonths(id), readCounting(section)])
  if (E.isLeft(read)) return failurePage(read.left, signedIn)
  if (E.isLeft(isCounting)) return failurePage(isCounting.left, signedIn)
  const path = pathOf(page)
  return workspacePage(page, {
    title: texts.months, path,
    content: (
      <>
        <WalletTabs path={path} current="months" />
        <Months path={path} months={read.right} currency={currency} isCounting={isCounting.right} />
        <p class="hint">{texts.monthCounted}</p>
      </>
    ),
  })
}

/** The statement of a month. */
export const month = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id, name, currency }, signedIn, request: { path: href, query, origin } } = page
  const months = await section.listMonths(id)
  if (E.isLeft(months)) return failurePage(months.left, signedIn)
  const found = monthIn(months.right, page)
  if (found === undefined) return failurePage({ _tag: 'NotFound' }, signedIn)
  const withFree = query.get('free') === 'show'
  const [report, statement, isCounting] = await Promise.all([
    section.reportSpend(id, found.start, found.end), section.showStatement(id, { from: found.start, to: found.end, withFree }),
    readCounting(section),
  ])
  if (E.isLeft(report)) return failurePage(report.left, signedIn)
  if (E.isLeft(statement)) return failurePage(statement.left, signedIn)
  if (E.isLeft(isCounting)) return failurePage(isCounting.left, signedIn)
  if (O.isNone(statement.right)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const path = pathOf(page)
  return workspacePage(page, {
    title: texts.statementOf(monthInWords(found)), zone: 'UTC', path,
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

/** All movements of a day. */
export const day = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
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
    title: TEXTS.statement.ofDay(dayInWords(named.from)), zone: 'UTC', path,
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

/** The cost of the templates of a month, as a file. */
export const templatesCsv = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
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

/** Whether the books agree, and the money that is on hold now. */
export const books = async (section: WalletSection, page: InWorkspace): Promise<Answer> => {
  const { workspace: { id }, signedIn } = page
  const [balance, found, holds] = await Promise.all([
    section.showBalance(id), section.showBooks(id), section.showHolds(id, HOLDS_SHOWN + 1),
  ])
  if (E.isLeft(balance)) return failurePage(balance.left, signedIn)
  if (E.isLeft(found)) return failurePage(found.left, signedIn)
  if (E.isLeft(holds)) return failurePage(holds.left, signedIn)
  if (O.isNone(found.right) || O.isNone(balance.right)) return failurePage({ _tag: 'NotFound' }, signedIn)
  const [totals, { currency }] = [found.right.value, balance.right.value]
  return workspacePage(page, {
    title: texts.tabs.books, path: pathOf(page),
    content: (
      <>
        <WalletTabs path={pathOf(page)} current="books" />
        <Books totals={totals} faults={auditWallet(totals)} currency={currency} />
        <Holds
          holds={holds.right.slice(0, HOLDS_SHOWN)} hasMore={holds.right.length > HOLDS_SHOWN} base={`/console/workspaces/${id}`}
          currency={currency}
        />
      </>
    ),
  })
}
