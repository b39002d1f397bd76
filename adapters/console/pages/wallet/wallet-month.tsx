import * as E from 'fp-ts/lib/Either.js'
import type { VNode } from 'preact'
import type { PortFailure } from '../../../../core/kernel/failure.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Workspace } from '../../../../core/kernel/workspace.js'
import type { Entry } from '../../../../core/money/ledger.js'
import { type MonthSpend, type ReadStatement, type SpendReport, spendSum } from '../../../../core/money/use-cases.js'
import { written } from '../../chart.js'
import { Icon } from '../../icons.js'
import { dateFormat } from '../../language.js'
import { Empty, Facts, Id, Money, Table, Time } from '../../parts.js'
import { TEXTS } from '../../texts.js'
import { CategoryTable, KeyTable, MarketTable, Movement, TemplateTable } from './wallet-parts.js'

const { wallet: texts } = TEXTS

/** The name of a month in an address: `2026-10`. */
export const nameOfMonth = ({ start }: Pick<MonthSpend, 'start'>): string => new Date(start).toISOString().slice(0, 7)

const writeMonth = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' })
const writeDay = dateFormat({ dateStyle: 'medium', timeZone: 'UTC' })

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

const PAID_AT_ONCE = 200
/** How many times further entries are read for one kind: each read covers some thousands. */
const MAX_LOOKS = 5

/** The top-ups and corrections of a month, newest first, as far as they were found. */
export type PaidIn = { readonly entries: ReadonlyArray<Entry>; readonly isPartial: boolean }

/** Finds top-ups and corrections among the movements; most movements belong to messages. */
export const readPaidIn = async (
  readStatement: ReadStatement, workspace: WorkspaceId, { start, end }: Pick<MonthSpend, 'start' | 'end'>,
): Promise<E.Either<PortFailure, PaidIn>> => {
  const entries: Array<Entry> = []
  let isPartial = false
  for (const kind of ['top_up', 'adjustment'] as const) {
    let cursor: string | undefined
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const read = await readStatement(workspace, {
        limit: PAID_AT_ONCE, kind, since: start, until: end, ...(cursor !== undefined && { cursor }),
      })
      if (E.isLeft(read)) return read
      entries.push(...read.right.items)
      cursor = read.right.next
      if (cursor === undefined) break
    }
    isPartial ||= cursor !== undefined
  }
  return E.right({ entries: entries.sort((a, b) => b.at - a.at), isPartial })
}

/** The statement of a month, suitable for printing. */
export const MonthStatement = ({ path, workspace: { id, name, currency }, month, isOver, report, paidIn, isCounting }: {
  readonly path: string
  readonly workspace: Workspace
  readonly month: MonthSpend
  readonly isOver: boolean
  readonly report: SpendReport
  readonly paidIn: PaidIn
  readonly isCounting: boolean
}): VNode => {
  const spent = spendSum(month.categories)
  const isUncounted = isCounting && spent.messages === 0
  const paid = (kind: Entry['kind']): bigint => paidIn.entries.reduce((sum, entry) => (entry.kind === kind ? sum + entry.micros : sum), 0n)
  const days = [month.start, month.end - 1].map((at) => new Date(at).toISOString().slice(0, 10) + 'Z')
  const [first, last] = [writeDay(month.start), writeDay(month.end - 1)]
  return (
    <>
      <div class="acts">
        <button type="button" class="plain print"><Icon name="print" />{texts.print}</button>
        <a
          class="button plain"
          href={`${path}/statement.csv?${new URLSearchParams([['from', days[0] ?? ''], ['to', days[1] ?? '']]).toString()}`}
        ><Icon name="download" />{texts.csv}</a>
      </div>
      <Facts facts={[
        [texts.workspace, name], [texts.workspaceId, <Id of={id} isWhole />], [texts.period, texts.days(first, last)],
        ...(isOver ? [] : [[texts.state, texts.notOver] as const]),
        [texts.messages, isUncounted ? TEXTS.overview.beingCounted : written(spent.messages)],
        [texts.spent, isUncounted ? TEXTS.overview.beingCounted : <strong><Money micros={spent.micros} currency={currency} /></strong>],
        [texts.paidIn, <Money micros={paid('top_up')} currency={currency} />],
        ...(paid('adjustment') === 0n
          ? []
          : [[texts.adjusted, <Money micros={paid('adjustment')} currency={currency} isMovement />] as const]),
      ]} />
      <h2>{texts.spendByCategory}</h2>
      {month.categories.length === 0
        ? <Empty sentence={isUncounted ? TEXTS.overview.pastMissing : texts.spendNothing} icon="spend" />
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
      <h2>{texts.paidInTitle}</h2>
      {paidIn.isPartial && <p class="note">{texts.paidInPart}</p>}
      {paidIn.entries.length === 0 ? <p class="soft">{texts.paidInNone}</p> : (
        <Table label={texts.paidInTitle} columns={[texts.at, texts.kind, texts.reference, texts.note, { number: texts.amount }]}>
          {paidIn.entries.map((entry) => (
            <tr key={entry.id}>
              <td data-label={texts.at}><Time at={entry.at} /></td>
              <td data-label={texts.kind}>{texts.kinds[entry.kind]}</td>
              <td data-label={texts.reference}>{entry.reference ?? ''}</td>
              <td data-label={texts.note} class="long">{entry.note ?? ''}</td>
              <td data-label={texts.amount} class="number"><Movement entry={entry} currency={currency} /></td>
            </tr>
          ))}
        </Table>
      )}
      <p class="hint">{texts.monthCounted}</p>
    </>
  )
}
