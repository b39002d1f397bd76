import { scaleBand, scaleLinear } from 'd3-scale'
import { line, stack, type SeriesPoint } from 'd3-shape'
import { h, type VNode } from 'preact'
import { numberFormat } from './language.js'
import { TEXTS } from './texts.js'

/** One kind of value that a chart counts; its position in the list decides its colour and its pattern. */
export type Series<Key extends string> = { readonly key: Key; readonly name: string }

/** One bar of a chart: its name, its name under the axis, its value for each kind, and its link. */
export type Bar<Key extends string> = {
  readonly name: string
  readonly tick: string
  readonly values: Readonly<Record<Key, number>>
  readonly href: string
}

/** Stacked bars. Colours and patterns are those of the style sheet, so that both colour schemes have their own. */
export type ChartData<Key extends string> = {
  /** An id that is unique among the charts of the page. */
  readonly id: string
  /** A description of the chart for people who cannot see it. */
  readonly label: string
  readonly series: ReadonlyArray<Series<Key>>
  readonly bars: ReadonlyArray<Bar<Key>>
  /** The words around the table with the same figures. */
  readonly table: { readonly summary: string; readonly name: string; readonly total: string }
  /** Formats a value; as a whole number by default. */
  readonly write?: (value: number) => string
}

const WIDTH = 800
const HEIGHT = 250
const SPACE = { top: 30, right: 4, bottom: 26, left: 56 }
/** The approximate width of a letter next to the grid. */
const LETTER = 7
const MAX_TICKS = 8

/** A chart of stacked bars, a legend with the sums if there are several kinds, and a table with the same figures. A bar with the pointer or the focus shows its values. */
export const StackedBars = <Key extends string>({ id, label, series, bars, table, write = written }: ChartData<Key>): VNode => {
  const totals = bars.map(({ values }) => series.reduce((sum, { key }) => sum + values[key], 0))
  const y = scaleLinear().domain([0, Math.max(1, ...totals)]).nice(4).range([HEIGHT - SPACE.bottom, SPACE.top])
  const longest = Math.max(...gridOf(y.ticks(4), write).map((value) => write(value).length))
  // Amounts of money are longer in some languages.
  const side = Math.max(SPACE.left, 8 + longest * LETTER)
  const x = scaleBand<number>().domain(bars.map((_, index) => index)).range([side, WIDTH - SPACE.right])
    .paddingInner(bars.length > 40 ? 0.15 : 0.25)
  const stacked = stack<unknown, Bar<Key>, Key>().keys(series.map(({ key }) => key)).value(({ values }, key) => values[key])([...bars])
  const every = Math.ceil(bars.length / MAX_TICKS)
  return (
    <figure class="chart">
      {series.length > 1 && <Legend id={id} series={series} bars={bars} write={write} />}
      <div class="scroll" role="region" aria-label={label} tabindex={0}>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={label}>
          <defs>{series.map((_, index) => <Pattern key={index} id={`${id}-${index}`} index={index} />)}</defs>
          {gridOf(y.ticks(4), write).map((value) => (
            <g key={value}>
              <line class="grid" x1={side} x2={WIDTH - SPACE.right} y1={y(value)} y2={y(value)} />
              <text class="tick end" x={side - 8} y={y(value) + 4}>{write(value)}</text>
            </g>
          ))}
          <line class="axis" x1={side} x2={WIDTH - SPACE.right} y1={y(0)} y2={y(0)} />
          {bars.map(({ tick }, index) => (index % every === 0
            ? <text key={index} class="tick middle" x={(x(index) ?? 0) + x.bandwidth() / 2} y={HEIGHT - 8}>{tick}</text> : null))}
          {bars.map((bar, at) => {
            const said = [
              `${bar.name}: ${write(totals[at] ?? 0)}`,
              ...(series.length === 1 ? [] : series.filter(({ key }) => bar.values[key] > 0).map(({ key, name }) => `${TEXTS.parts.insideSentence(name)} ${write(bar.values[key])}`)),
            ].join(' · ')
            const left = x(at) ?? 0
            return (
              <a key={bar.name} class="bar" href={bar.href} aria-label={said}>
                <rect
                  class="hit" x={rounded(left - x.step() * x.paddingInner() / 2)} y={SPACE.top - 8} width={rounded(x.step())}
                  height={HEIGHT - SPACE.bottom - SPACE.top + 8} rx={3}
                />
                {stacked.map((points, index) => (
                  <Piece key={index} point={points[at]} x={left} width={x.bandwidth()} y={y} fill={`url(#${id}-${index})`} />
                ))}
                <Tip text={said} from={left} to={left + x.bandwidth()} />
              </a>
            )
          })}
        </svg>
      </div>
      <details class="quiet">
        <summary>{table.summary}</summary>
        <Figures label={label} series={series} bars={bars} table={table} totals={totals} write={write} />
      </details>
    </figure>
  )
}

/** The grid lines, without those whose label equals that of another line. */
const gridOf = (ticks: ReadonlyArray<number>, write: (value: number) => string): ReadonlyArray<number> =>
  ticks.filter((value, index) => Number.isInteger(value) && (index === 0 || write(value) !== write(ticks[index - 1] ?? 0)))

/** The values of the bar with the pointer or the keyboard focus, above the bars and inside the chart. */
const Tip = ({ text, from, to }: { readonly text: string; readonly from: number; readonly to: number }): VNode => {
  const middle = (from + to) / 2
  const { anchor, x } = middle < WIDTH * 0.4 ? { anchor: 'start', x: from }
    : middle > WIDTH * 0.6 ? { anchor: 'end', x: to }
    : { anchor: 'middle', x: middle }
  return <text class={`tip ${anchor}`} x={rounded(x)} y={14} aria-hidden="true">{text}</text>
}

const Piece = ({ point, x, width, y, fill }: {
  readonly point: SeriesPoint<unknown> | undefined
  readonly x: number
  readonly width: number
  readonly y: (value: number) => number
  readonly fill: string
}): VNode | null => {
  const [from, to] = point ?? [0, 0]
  return to > from
    ? <rect class="piece" x={rounded(x)} y={rounded(y(to))} width={rounded(width)} height={rounded(y(from) - y(to))} fill={fill} />
    : null
}

const rounded = (value: number): number => Math.round(value * 100) / 100

/** A fill of one hue by lightness. Only failures have a pattern, so that they are noticed immediately, even without colour. */
const Pattern = ({ id, index }: { readonly id: string; readonly index: number }): VNode => (
  <pattern id={id} width={8} height={8} patternUnits="userSpaceOnUse">
    <rect class={`fill-${index}`} width={8} height={8} />
    {index === STRIPED && <path class="stripes" d="M-2 2l4-4M0 8l8-8M6 10l4-4" />}
  </pattern>
)

/** The last kind that the style sheet defines is failures. */
const STRIPED = 4

const Legend = <Key extends string>({ id, series, bars, write }: Pick<ChartData<Key>, 'id' | 'series' | 'bars'> & {
  readonly write: (value: number) => string
}): VNode => (
  <ul class="legend">
    {series.map(({ key, name }, index) => (
      <li key={key}>
        <svg viewBox="0 0 16 16" width={10} height={10} aria-hidden="true">
          <defs><Pattern id={`legend-${id}-${index}`} index={index} /></defs>
          <rect width={16} height={16} rx={3} fill={`url(#legend-${id}-${index})`} />
        </svg>
        {name} <strong>{write(bars.reduce((sum, { values }) => sum + values[key], 0))}</strong>
      </li>
    ))}
  </ul>
)

const Figures = <Key extends string>({ label, series, bars, table: { name, total }, totals, write }: Omit<ChartData<Key>, 'id'> & {
  readonly totals: ReadonlyArray<number>; readonly write: (value: number) => string
}): VNode => (
  <div class="scroll" role="region" aria-label={`${label}, ${name}`} tabindex={0}>
    <table class="figures">
      <thead>
        <tr>
          {[name, ...series.map((one) => one.name), ...(series.length > 1 ? [total] : [])].map((column) =>
            h(TH, { scope: 'col', key: column }, column))}
        </tr>
      </thead>
      <tbody>
        {bars.map((bar, index) => (
          <tr key={bar.name}>
            {h(TH, { scope: 'row' }, bar.name)}
            {series.map(({ key }) => <td key={key}>{write(bar.values[key])}</td>)}
            {series.length > 1 && <td>{write(totals[index] ?? 0)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const TH: string = 'th'

const SPARK = { width: 88, height: 24, space: 3 }

/** The course of a figure, as a small line that ends with a dot; nothing if it was constant, because a line would add no information. */
export const Spark = ({ values }: { readonly values: ReadonlyArray<number | undefined> }): VNode | null => {
  const known = values.flatMap((value, index): ReadonlyArray<[number, number]> => (value === undefined ? [] : [[index, value]]))
  const [least, most] = [Math.min(...known.map(([, value]) => value)), Math.max(...known.map(([, value]) => value))]
  const last = known.at(-1)
  if (last === undefined || least === most) return null
  const x = scaleLinear().domain([0, values.length - 1]).range([SPARK.space, SPARK.width - SPARK.space])
  const y = scaleLinear().domain([least, most]).range([SPARK.height - SPARK.space, SPARK.space])
  const path = line(([index]) => rounded(x(index)), ([, value]) => rounded(y(value)))(known)
  return (
    <svg class="spark" viewBox={`0 0 ${SPARK.width} ${SPARK.height}`} width={SPARK.width} height={SPARK.height} aria-hidden="true">
      <path d={path ?? ''} /><circle cx={rounded(x(last[0]))} cy={rounded(y(last[1]))} r={2.5} />
    </svg>
  )
}

const NUMBER = numberFormat({})

/** A number, formatted for people. */
export const written = (value: number): string => NUMBER().format(value)
