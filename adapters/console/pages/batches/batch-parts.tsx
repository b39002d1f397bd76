import type { VNode } from 'preact'
import { written } from '../../chart.js'
import type { BatchDay } from '../../../../core/batches/forecast.js'
import { dateFormat, numberFormat } from '../../language.js'
import { TEXTS } from '../../texts.js'

const PERCENT = numberFormat({ style: 'percent', maximumFractionDigits: 0 })

/** A share of a whole in percent. Only the whole is 100%, and only nothing is 0%. */
export const percentOf = (part: number, whole: number): string => {
  const share = whole === 0 ? 0 : part / whole
  return PERCENT().format(share > 0 && share < 0.01 ? 0.01 : share < 1 ? Math.min(share, 0.99) : 1)
}

const FINE = numberFormat({ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** A share of a whole in percent, with a decimal. */
export const finePercentOf = (part: number, whole: number): string => FINE().format(whole === 0 ? 0 : part / whole)

const DAY = dateFormat({ weekday: 'short', day: 'numeric', month: 'short' })

/** How many messages leave on each day, with bars; nothing if all leave in one day. */
export const DaysBar = ({ label, days, total = days.length, look = 'part-read' }: {
  readonly label: string; readonly days: ReadonlyArray<BatchDay>; readonly look?: string
  /** How many days there are, of which the first are shown. */
  readonly total?: number
}): VNode | null => (days.length < 2 ? null : (
  <ol class="days" aria-label={label}>
    {days.map(({ from, lines }) => (
      <li key={from}>
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
          <rect class="part-waiting" width={100} height={6} />
          <rect class={look} width={Math.max(1, (100 * lines) / Math.max(1, ...days.map((day) => day.lines)))} height={6} />
        </svg>
        <strong>{written(lines)}</strong> <span class="soft">{DAY(from)}</span>
      </li>
    ))}
    {total > days.length && <li><strong>…</strong> <span class="soft">{TEXTS.batches.moreDays(total - days.length)}</span></li>}
  </ol>
))
