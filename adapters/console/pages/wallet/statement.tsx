import type { ComponentChildren, VNode } from 'preact'
import { isForgotten } from '../../../../core/customers/customer.js'
import { DAY_MS, type Instant, UTC_DAYS } from '../../../../core/kernel/time.js'
import { formatMicros } from '../../../../core/kernel/money.js'
import { errorCodeOf } from '../../../../core/messages/own-errors.js'
import type {
  DayStatement, LatestMovements, PeriodStatement, StatementLine, StatementRow, StatementSum,
} from '../../../../core/money/statement.js'
import { currentLanguage, dateFormat, perLanguage, writeDays } from '../../language.js'
import { moneyParts, writeMoney } from '../../money.js'
import { capitalised, Empty, Stat, Stats } from '../../parts.js'
import { writeCustomerId } from '../../phone.js'
import { TEXTS } from '../../texts.js'
import { messagesPath, shortErrorOf } from '../messages/message-table.js'

const { statement: texts } = TEXTS

const writeTime = dateFormat({ hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
const writeDayTime = dateFormat({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

/** The name of a UTC day in an address, such as `2026-11-24`. */
export const nameOfDay = (day: Instant): string => new Date(day).toISOString().slice(0, 10)

/** A statement as it is shown: the wallet's address, its currency, and whether movements of zero are shown. */
type Shown = { readonly path: string; readonly currency: string; readonly withFree: boolean }

/** An amount of a column that is aligned at the decimal point; what is below the usual decimals is muted. */
const Amount = ({ micros, currency, isMovement = false }: {
  readonly micros: bigint; readonly currency: string; readonly isMovement?: boolean
}): VNode => {
  const { whole, below, after } = moneyParts(micros, currency, isMovement)
  return (
    <span class={isMovement && micros > 0n ? 'money in' : 'money'} title={`${formatMicros(micros)} ${currency}`}>
      {whole}<span class="below">{below}</span>{after}
    </span>
  )
}

/** A movement in words. */
const sentenceOf = ({ entry: { kind, reference, note, error }, message, customer }: Omit<StatementLine, 'balance' | 'change'>): string => {
  if (kind === 'top_up') return texts.topUp(reference ?? '')
  if (kind === 'adjustment') return texts.adjustment(note ?? '')
  const to = customer ?? (message === undefined || isForgotten(message.to) ? texts.someone : writeCustomerId(message.to))
  if (kind === 'capture') {
    const { templateName, summary, kind: type } = message ?? {}
    const what = templateName ?? (summary === undefined ? type && TEXTS.messages.kinds[type] : TEXTS.messages.summary(summary))
    return texts.sent(what ?? texts.message, to)
  }
  const code = errorCodeOf(error)
  return code === NOT_ON_WHATSAPP ? texts.notOnWhatsApp(to) : texts.refund(to, code === undefined ? undefined : shortErrorOf(code))
}

/** The platform's code of a number that is not on WhatsApp. */
const NOT_ON_WHATSAPP = 131026

/** A movement in words, with a link to its message. */
export const LineText = ({ line }: { readonly line: Omit<StatementLine, 'balance' | 'change'> }): VNode => {
  const sentence = sentenceOf(line)
  const { message } = line.entry
  return message === undefined || line.message === undefined
    ? <>{sentence}</>
    : <a href={`${messagesPath(line.message.workspace)}/${message}`}>{sentence}</a>
}

/** The movements of a row in words; one top-up or adjustment is named. */
const summaryOf = ({ counts, paid }: StatementSum): string => {
  const named = (kind: 'top_up' | 'adjustment', write: (count: number) => string): ReadonlyArray<string> => {
    const [one] = paid.filter(({ entry }) => entry.kind === kind)
    return counts[kind] === 0 ? [] : [counts[kind] === 1 && one !== undefined ? sentenceOf(one) : write(counts[kind])]
  }
  return [
    ...named('top_up', texts.topUps), ...named('adjustment', texts.adjustments),
    ...(counts.capture === 0 ? [] : [texts.messages(counts.capture)]), ...(counts.refund === 0 ? [] : [texts.refunds(counts.refund)]),
  ].join(', ')
}

/** The amounts that a line or a sum shows. */
const moved = ({ change, balance }: { readonly change: bigint; readonly balance: bigint }): ReadonlyArray<bigint> => [change, balance]

/** The amounts that a row and what it opens to show. */
const amountsOf = (row: StatementRow): ReadonlyArray<bigint> =>
  [row, ...row.lines, ...row.days, ...row.paid.map(({ change, balance }) => ({ change, balance: row.balance - row.change + balance }))]
    .flatMap(moved)

const totalOf = ({ counts }: StatementSum): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** One line of a statement: when, what, the amount and the balance after it. */
const Cells = ({ when, what, change, balance, currency }: {
  readonly when: string; readonly what: ComponentChildren; readonly change?: bigint; readonly balance: bigint; readonly currency: string
}): VNode => (
  <>
    <span class="when">{when}</span>
    <span class="text">{what}</span>
    <span class="number">{change !== undefined && <Amount micros={change} currency={currency} isMovement />}</span>
    <span class="number soft"><Amount micros={balance} currency={currency} /></span>
  </>
)

/** The opening or the closing balance. */
const Edge = ({ when, what, balance, currency }: {
  readonly when: string; readonly what: string; readonly balance: bigint; readonly currency: string
}): VNode => <li class="entry edge"><Cells when={when} what={what} balance={balance} currency={currency} /></li>

const Line = ({ line, when, currency }: { readonly line: StatementLine; readonly when: string; readonly currency: string }): VNode => (
  <li class="entry">
    <Cells when={when} what={<LineText line={line} />} change={line.change} balance={line.balance} currency={currency} />
  </li>
)

/** A row: a movement that is alone on its day, or movements behind a line that opens to them. */
const Row = ({ row, path, currency, withFree }: Shown & { readonly row: StatementRow }): VNode => {
  const { first, last, lines, days, paid, change, balance } = row
  const when = writeDays(first, last)
  const [only] = totalOf(row) === 1 ? lines : []
  if (only !== undefined) return <Line line={only} when={when} currency={currency} />
  const dayHref = (day: Instant): string => `${path}/days/${nameOfDay(day)}${withFree ? '?free=show' : ''}`
  const isDay = first === last
  const opening = balance - change
  return (
    <li>
      <details>
        <summary class="entry"><Cells when={when} what={summaryOf(row)} change={change} balance={balance} currency={currency} /></summary>
        <ol>
          {lines.map((line) => (
            <Line key={line.entry.id} line={line} when={(isDay ? writeTime : writeDayTime)(line.entry.at)} currency={currency} />
          ))}
          {lines.length > 0 ? [] : isDay
            ? (
              <ClosedDay
                row={row} paid={paid.map((line) => ({ ...line, balance: opening + line.balance }))} currency={currency}
                href={dayHref(first)}
              />
            )
            : days.map((day) => (
              <li class="entry" key={day.first}>
                <Cells
                  when={writeDays(day.first, day.last)} what={<a href={dayHref(day.first)}>{summaryOf(day)}</a>} change={day.change}
                  balance={day.balance} currency={currency}
                />
              </li>
            ))}
        </ol>
      </details>
    </li>
  )
}

/** A day with too many movements: its top-ups and adjustments, the sum of its messages, and a link to all of them. */
const ClosedDay = ({ row, paid, currency, href }: {
  readonly row: StatementRow; readonly paid: ReadonlyArray<StatementLine>; readonly currency: string; readonly href: string
}): VNode => {
  const counts = paid.length > 0 ? { ...row.counts, top_up: 0, adjustment: 0 } : row.counts
  const before = paid.at(-1)?.balance ?? row.balance - row.change
  return (
    <>
      {paid.map((line) => <Line key={line.entry.id} line={line} when={writeTime(line.entry.at)} currency={currency} />)}
      {row.balance === before && totalOf({ ...row, counts }) === 0 ? [] : (
        <li class="entry">
          <Cells
            when="" what={summaryOf({ ...row, counts, paid: [] })} change={row.balance - before} balance={row.balance} currency={currency}
          />
        </li>
      )}
      <li class="entry unprinted"><span class="when" /><a class="text" href={href}>{texts.all(totalOf(row))}</a></li>
    </>
  )
}

/** An amount of more characters needs a wider column. */
const LONG_AMOUNT = 14

/** The rows of a statement. `amounts` are all that it shows: as many digits below the usual decimals as one of them has are left free, so that the points align. */
const Rows = ({ amounts, currency, children }: {
  readonly amounts: ReadonlyArray<bigint>; readonly currency: string; readonly children: ComponentChildren
}): VNode => (
  <div
    class="statement card" data-below={Math.max(0, ...amounts.map((micros) => moneyParts(micros, currency).below.length))}
    {...(amounts.some((micros) => writeMoney(micros, currency).length > LONG_AMOUNT) && { 'data-long': '' })}
  >
    <div class="columns" aria-hidden="true">
      <p class="entry names">
        <span class="when">{texts.when}</span><span class="text">{texts.what}</span>
        <span class="number">{TEXTS.wallet.amount}</span><span class="number">{texts.balance}</span>
      </p>
    </div>
    <ol>{children}</ol>
  </div>
)

/** What is hidden, with a link that shows it. */
const Hidden = ({ free, withFree, currency, href }: {
  readonly free: number; readonly withFree: boolean; readonly currency: string; readonly href: string
}): VNode | null => {
  if (free === 0) return null
  const zero = writeMoney(0n, currency)
  return (
    <p class="soft">
      {(withFree ? texts.shown : texts.hidden)(free, zero)}{' '}
      <a href={withFree ? href : `${href}?free=show`}>{withFree ? texts.hideFree : texts.showFree}</a>
    </p>
  )
}

/** The statement of a month: from the opening to the closing balance, once as a sum and once as rows, oldest first. */
export const Statement = ({ statement, month: { start, end }, isOver, issuer, href, ...shown }: Shown & {
  readonly statement: PeriodStatement
  readonly month: { readonly start: Instant; readonly end: Instant }
  readonly isOver: boolean
  /** The name of the workspace, and who issues the statement. */
  readonly issuer: readonly [name: string, by: string]
  /** The address of the statement. */
  readonly href: string
}): VNode => {
  const { opening, added, adjusted, spent, closing, held, free, rows } = statement
  const { currency, withFree } = shown
  const [first, last] = [writeDays(start, start), writeDays(end - 1, end - 1)]
  return (
    <>
      <div class="sum">
        <Stats>
          <Stat name={texts.openingOn(first)} value={<Amount micros={opening} currency={currency} />} />
          <Stat name={texts.added} value={<Amount micros={added} currency={currency} isMovement />} />
          <Stat name={texts.adjusted} value={<Amount micros={adjusted} currency={currency} isMovement />} />
          <Stat name={texts.spent} value={<Amount micros={-spent} currency={currency} isMovement />} />
          <Stat name={isOver ? texts.closingOn(last) : texts.now} value={<Amount micros={closing} currency={currency} />} />
        </Stats>
      </div>
      <Rows amounts={[opening, ...rows.flatMap(amountsOf), closing]} currency={currency}>
        <Edge when={first} what={texts.opening} balance={opening} currency={currency} />
        {rows.map((row) => <Row key={row.first} row={row} {...shown} />)}
        <Edge when={isOver ? last : ''} what={isOver ? texts.closing : texts.now} balance={closing} currency={currency} />
      </Rows>
      {rows.length === 0 && <p class="soft">{texts.none}</p>}
      <div class="over">
        <p class="soft">
          {texts.issued(...issuer)}{!isOver && held > 0n && ` · ${texts.onHold(writeMoney(held, currency))}`}
        </p>
        <Hidden free={free} withFree={withFree} currency={currency} href={href} />
      </div>
    </>
  )
}

/** The latest movements, newest first: some one by one, and the days before them. */
export const Latest = ({ latest: { lines, days }, path, currency, now }: {
  readonly latest: LatestMovements; readonly path: string; readonly currency: string; readonly now: Instant
}): VNode => {
  const today = UTC_DAYS.startOf(now)
  if (lines.length === 0 && days.length === 0) return <Empty sentence={texts.none} icon="wallet" />
  return (
    <Rows amounts={[...lines, ...days].flatMap(moved)} currency={currency}>
      {lines.map((line) => (
        <Line
          key={line.entry.id} line={line} when={(line.entry.at >= today ? writeTime : writeDayTime)(line.entry.at)} currency={currency}
        />
      ))}
      {days.map((day) => (
        <li class="entry" key={day.first}>
          <Cells
            when={dayBefore(day.first, today)} what={<a href={`${path}/days/${nameOfDay(day.first)}`}>{summaryOf(day)}</a>}
            change={day.change} balance={day.balance} currency={currency}
          />
        </li>
      ))}
    </Rows>
  )
}

const relative = perLanguage(() => new Intl.RelativeTimeFormat(currentLanguage(), { numeric: 'auto' }))

/** A day in words: today and yesterday by their names. */
const dayBefore = (day: Instant, today: Instant): string =>
  (day < today - DAY_MS ? writeDays(day, day) : capitalised(relative().format(day < today ? -1 : 0, 'day')))

/** All movements of a day, oldest first. */
export const DayLines = ({ statement: { opening, lines, closing, free, next }, day, href, isFirst, path, currency, withFree }: Shown & {
  readonly statement: DayStatement; readonly day: Instant; readonly href: string; readonly isFirst: boolean
}): VNode => (
  <>
    {lines.length === 0 && next === undefined ? <Empty sentence={texts.none} icon="wallet" /> : (
      <Rows amounts={[opening, ...lines.flatMap(moved), closing]} currency={currency}>
        <Edge when="" what={isFirst ? texts.opening : texts.balance} balance={opening} currency={currency} />
        {lines.map((line) => <Line key={line.entry.id} line={line} when={writeTime(line.entry.at)} currency={currency} />)}
        {next === undefined && <Edge when="" what={texts.closing} balance={closing} currency={currency} />}
      </Rows>
    )}
    <div class="over">
      {next === undefined ? <span /> : (
        <a
          class="button plain"
          href={`${path}/days/${nameOfDay(day)}?${new URLSearchParams({ ...(withFree && { free: 'show' }), cursor: next }).toString()}`}
        >{texts.more}</a>
      )}
      <Hidden free={free} withFree={withFree} currency={currency} href={href} />
    </div>
  </>
)
