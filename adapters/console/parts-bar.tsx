import type { VNode } from 'preact'
import { written } from './chart.js'
import { TEXTS } from './texts.js'

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
        {shown.some(({ look }) => look === 'failed') && (
          <defs>
            <pattern id="hatch" width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect class="hatch-ground" width={6} height={6} /><rect class="hatch-line" width={3} height={6} />
            </pattern>
          </defs>
        )}
        {shown.length === 0 && <rect class="part-waiting" width={WIDTH} height={HEIGHT} rx={5} />}
        {shown.map(({ look, size }, place) => {
          const width = MIN_WIDTH + (room * size) / whole
          const at = x
          x += width + GAP
          return <rect key={place} class={`part-${look}`} x={at.toFixed(2)} width={width.toFixed(2)} height={HEIGHT} rx={2} />
        })}
      </svg>
      {hasLegend && (
        <ul class="legend" aria-label={label}>
          {shown.map((part, place) => (
            <li key={place}>
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
