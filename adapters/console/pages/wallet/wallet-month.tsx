import type { VNode } from 'preact'
import type { Instant } from '../../../../core/kernel/time.js'
import { type MonthSpend, type SpendReport, spendSum } from '../../../../core/money/use-cases.js'
import { written } from '../../chart.js'
import { Icon, type IconName } from '../../icons.js'
import { dateFormat } from '../../language.js'
import { Empty, Money, Table, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { CategoryTable, KeyTable, MarketTable, TemplateTable } from './wallet-parts.js'

const { wallet: texts, statement } = TEXTS

/** The name of a month in an address: `2026-10`. */
export const nameOfMonth = ({ start }: Pick<MonthSpend, 'start'>): string => new Date(start).toISOString().slice(0, 7)

const writeMonth = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' })

const writeDay = dateFormat({ dateStyle: 'long', timeZone: 'UTC' })

/** A UTC day in words. */
export const dayInWords = (day: Instant): string => writeDay(day)

/** A month in words. */
export const monthInWords = ({ start }: Pick<MonthSpend, 'start'>): string => writeMonth(start)

/** The months whose messages are all counted, each with a link to its statement. */
export const Months = ({ path, months, currency, isCounting }: {
  readonly path: string
  readonly months: ReadonlyArray<MonthSpend>
  readonly currency: string
  readonly isCounting: boolean
}): VNode => (
  <Table label={texts.months} columns={[texts.month, { number: texts.messages }, { number: texts.cost }]}>
    {months.map((month, index) => {
      const { messages, micros } = spendSum(month.categories)
      return (
        <tr key={month.start}>
          <td class="first">
            <a href={`${path}/months/${nameOfMonth(month)}`}>{monthInWords(month)}</a>
            {index === 0 && <span class="soft"> {texts.soFar}</span>}
          </td>
          <td data-label={texts.messages} class="number">
            {isCounting && messages === 0 ? TEXTS.overview.beingCounted : written(messages)}
          </td>
          <td data-label={texts.cost} class="number">
            {isCounting && messages === 0 ? TEXTS.overview.beingCounted : <Money micros={micros} currency={currency} />}
          </td>
        </tr>
      )
    })}
  </Table>
)

/** The months before and after a month, as far as they have statements, as links next to its title. */
export const MonthLinks = ({ path, months, month }: {
  readonly path: string; readonly months: ReadonlyArray<MonthSpend>; readonly month: MonthSpend
}): VNode => {
  const at = months.findIndex(({ start }) => start === month.start)
  return (
    <nav class="steps" aria-label={texts.months}>
      <a href={path}>{TEXTS.sections.wallet}</a>
      <MonthLink path={path} month={months[at + 1]} label={statement.earlier} icon="earlier" />
      <MonthLink path={path} month={months[at - 1]} label={statement.later} icon="later" />
    </nav>
  )
}

const MonthLink = ({ path, month, label, icon }: {
  readonly path: string; readonly month: MonthSpend | undefined; readonly label: string; readonly icon: IconName
}): VNode | null =>
  (month === undefined ? null : <a href={`${path}/months/${nameOfMonth(month)}`} aria-label={label} title={label}><Icon name={icon} /></a>)

/** The downloads of a month's statement, and its printing. */
export const MonthActs = ({ path, month }: { readonly path: string; readonly month: MonthSpend }): VNode => {
  const [from = '', to = ''] = [month.start, month.end - 1].map((at) => `${new Date(at).toISOString().slice(0, 10)}Z`)
  return (
    <div class="acts">
      <a class="button plain" href={`${path}/statement.csv?${new URLSearchParams([['from', from], ['to', to]]).toString()}`}>
        <Icon name="download" />{texts.csv}
      </a>
      <button type="button" class="print"><Icon name="print" />{statement.print}</button>
    </div>
  )
}

/** What was spent in a month, by category, market, template and key. It is not printed. */
export const MonthSpending = ({ path, currency, month, report, isCounting }: {
  readonly path: string
  readonly currency: string
  readonly month: MonthSpend
  readonly report: SpendReport
  readonly isCounting: boolean
}): VNode => (
  <section class="unprinted">
    <h2>{texts.spendByCategory}</h2>
    {month.categories.length === 0
      ? <Empty sentence={isCounting ? TEXTS.overview.pastMissing : texts.spendNothing} icon="spend" />
      : <CategoryTable categories={month.categories} currency={currency} />}
    {report.shares.length > 0 && (
      <>
        <h2>{texts.spendByMarket}</h2>
        <p class="soft">{texts.spendAll(written(report.messages))}</p>
        {report.reachedBack !== undefined && <p class="note">{texts.spendPart} <Time at={report.reachedBack} />.</p>}
        <MarketTable shares={report.shares} currency={currency} />
        <h2>{texts.spendByTemplate}</h2>
        <TemplateTable templates={report.templates} currency={currency} />
        <h2>{texts.spendByKey}</h2>
        <KeyTable keys={report.keys} currency={currency} />
        <p>
          <a class="button plain" href={`${path}/months/${nameOfMonth(month)}/templates.csv`}>
            <Icon name="download" />{texts.csvByTemplate}
          </a>
        </p>
      </>
    )}
    <p class="hint">{texts.monthCounted}</p>
  </section>
)
