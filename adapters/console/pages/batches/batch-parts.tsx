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

/** A part of a bar: its look in the style sheet, its name, and its size, which `text` writes. */
export type Part = { readonly look: string; readonly name: string; readonly size: number; readonly text?: string }

const WIDTH = 1_000
const HEIGHT = 10
const GAP = 2
const MIN_WIDTH = 3

/** One bar of several parts, in their order, with a legend. Parts that are empty are left out. Screen readers read the legend instead of the bar. */
export const PartsBar = ({ label, parts, hasLegend = true }: {
  readonly label: string; readonly parts: ReadonlyArray<Part>; readonly hasLegend?: boolean
}): VNode => {
  const shown = parts.filter(({ size }) => size > 0)
  const whole = shown.reduce((sum, { size }) => sum + size, 0)
  const room = WIDTH - GAP * Math.max(0, shown.length - 1) - MIN_WIDTH * shown.length
  let x = 0
  return (
    <div class="progress">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={[label, ...shown.map(sentenceOf)].join(' · ')}
      >
        <defs>
          <pattern id="hatch" width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect class="hatch-ground" width={6} height={6} /><rect class="hatch-line" width={3} height={6} />
          </pattern>
        </defs>
        {shown.length === 0 && <rect class="part-waiting" width={WIDTH} height={HEIGHT} rx={5} />}
        {shown.map(({ look, size }) => {
          const width = MIN_WIDTH + (room * size) / whole
          const at = x
          x += width + GAP
          return <rect key={look} class={`part-${look}`} x={at.toFixed(2)} width={width.toFixed(2)} height={HEIGHT} rx={2} />
        })}
      </svg>
      {hasLegend && (
        <ul class="legend" aria-label={label}>
          {shown.map((part) => (
            <li key={part.look}>
              <Swatch look={part.look} /> {part.name} <strong>{textOf(part)}</strong>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** The look of a part, beside its name. */
export const Swatch = ({ look }: Pick<Part, 'look'>): VNode => (
  <svg viewBox="0 0 10 10" width={10} height={10} aria-hidden="true"><rect class={`part-${look}`} width={10} height={10} rx={2} /></svg>
)

const textOf = ({ size, text }: Part): string => text ?? written(size)

const sentenceOf = (part: Part): string => `${TEXTS.parts.insideSentence(part.name)} ${textOf(part)}`

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
