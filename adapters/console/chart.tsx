import { scaleBand, scaleLinear } from 'd3-scale'
import { stack, type SeriesPoint } from 'd3-shape'
import { h, type VNode } from 'preact'

/** One kind of what a chart counts; its place in the list is its colour and its pattern. */
export type Series<Key extends string> = { readonly key: Key; readonly name: string }

/** One bar of a chart: its name in the table, its name under the axis, and how much of each kind it has. */
export type Bar<Key extends string> = { readonly name: string; readonly tick: string; readonly values: Readonly<Record<Key, number>> }

/** Stacked bars. Colours and patterns are those of the style sheet, so that both colour schemes have their own. */
export type ChartData<Key extends string> = {
  /** What the chart shows, for those who do not see it. */
  readonly label: string
  readonly series: ReadonlyArray<Series<Key>>
  readonly bars: ReadonlyArray<Bar<Key>>
  /** The words around the table with the same figures. */
  readonly table: { readonly summary: string; readonly name: string; readonly total: string }
}

const WIDTH = 720
const HEIGHT = 240
const SPACE = { top: 12, right: 8, bottom: 28, left: 52 }
const MOST_TICKS = 8

/** A chart of stacked bars, a legend with the sums, and a table with the same figures. */
export const StackedBars = <Key extends string>({ label, series, bars, table }: ChartData<Key>): VNode => {
  const totals = bars.map(({ values }) => series.reduce((sum, { key }) => sum + values[key], 0))
  const x = scaleBand<number>().domain(bars.map((_, index) => index)).range([SPACE.left, WIDTH - SPACE.right]).paddingInner(bars.length > 40 ? 0.15 : 0.25)
  const y = scaleLinear().domain([0, Math.max(1, ...totals)]).nice(4).range([HEIGHT - SPACE.bottom, SPACE.top])
  const stacked = stack<unknown, Bar<Key>, Key>().keys(series.map(({ key }) => key)).value(({ values }, key) => values[key])([...bars])
  const every = Math.ceil(bars.length / MOST_TICKS)
  return (
    <figure class="chart">
      <Legend series={series} bars={bars} />
      <div class="scroll" role="region" aria-label={label} tabindex={0}>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
          <defs>{series.map((_, index) => <Pattern key={index} id={`bars-${index}`} index={index} />)}</defs>
          {y.ticks(4).filter(Number.isInteger).map((value) => (
            <g key={value}>
              <line class="grid" x1={SPACE.left} x2={WIDTH - SPACE.right} y1={y(value)} y2={y(value)} />
              <text class="tick end" x={SPACE.left - 8} y={y(value) + 4}>{written(value)}</text>
            </g>
          ))}
          {stacked.map((points, index) => (
            <g key={index}>
              {points.map((point, at) => <Piece key={at} point={point} x={x(at) ?? 0} width={x.bandwidth()} y={y} fill={`url(#bars-${index})`} />)}
            </g>
          ))}
          <line class="axis" x1={SPACE.left} x2={WIDTH - SPACE.right} y1={y(0)} y2={y(0)} />
          {bars.map(({ tick }, index) => (index % every === 0
            ? <text key={index} class="tick middle" x={(x(index) ?? 0) + x.bandwidth() / 2} y={HEIGHT - 8}>{tick}</text> : null))}
        </svg>
      </div>
      <details class="quiet">
        <summary>{table.summary}</summary>
        <Figures label={label} series={series} bars={bars} table={table} totals={totals} />
      </details>
    </figure>
  )
}

const Piece = ({ point: [from, to], x, width, y, fill }: {
  readonly point: SeriesPoint<unknown>; readonly x: number; readonly width: number; readonly y: (value: number) => number; readonly fill: string
}): VNode | null => (to > from ? <rect class="piece" x={rounded(x)} y={rounded(y(to))} width={rounded(width)} height={rounded(y(from) - y(to))} fill={fill} /> : null)

const rounded = (value: number): number => Math.round(value * 100) / 100

/** A fill of one hue by lightness; only what failed has a pattern, so that it is seen at once, and without its colour, too. */
const Pattern = ({ id, index }: { readonly id: string; readonly index: number }): VNode => (
  <pattern id={id} width={8} height={8} patternUnits="userSpaceOnUse">
    <rect class={`fill-${index}`} width={8} height={8} />
    {index === STRIPED && <path class="stripes" d="M-2 2l4-4M0 8l8-8M6 10l4-4" />}
  </pattern>
)

/** The last of the kinds that the style sheet knows is what failed. */
const STRIPED = 4

const Legend = <Key extends string>({ series, bars }: Pick<ChartData<Key>, 'series' | 'bars'>): VNode => (
  <ul class="legend">
    {series.map(({ key, name }, index) => (
      <li key={key}>
        <svg viewBox="0 0 16 16" width={10} height={10} aria-hidden="true">
          <defs><Pattern id={`legend-${index}`} index={index} /></defs>
          <rect width={16} height={16} rx={3} fill={`url(#legend-${index})`} />
        </svg>
        {name} <strong>{written(bars.reduce((sum, { values }) => sum + values[key], 0))}</strong>
      </li>
    ))}
  </ul>
)

const Figures = <Key extends string>({ label, series, bars, table: { name, total }, totals }: ChartData<Key> & { readonly totals: ReadonlyArray<number> }): VNode => (
  <div class="scroll" role="region" aria-label={`${label}, ${name}`} tabindex={0}>
    <table class="figures">
      <thead><tr>{[name, ...series.map((one) => one.name), total].map((column) => h(TH, { scope: 'col', key: column }, column))}</tr></thead>
      <tbody>
        {bars.map((bar, index) => (
          <tr key={bar.name}>
            {h(TH, { scope: 'row' }, bar.name)}
            {series.map(({ key }) => <td key={key}>{written(bar.values[key])}</td>)}
            <td>{written(totals[index] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const TH: string = 'th'

/** A whole number as English writes it. */
export const written = (value: number): string => value.toLocaleString('en-US')
