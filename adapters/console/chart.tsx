import { scaleBand, scaleLinear } from 'd3-scale'
import { line, stack, type SeriesPoint } from 'd3-shape'
import { Fragment, h, type VNode } from 'preact'
import { numberFormat } from './language.js'
import { TEXTS } from './texts.js'

/** One kind of value that a chart counts; its position in the list decides its colour and its pattern, unless it is bad. */
export type Series<Key extends string> = { readonly key: Key; readonly name: string; readonly isBad?: true }

/** One bar of a chart: its name, its name under the axis, its value for each kind, and its link. */
export type Bar<Key extends string> = {
  readonly name: string
  readonly tick: string
  readonly values: Readonly<Record<Key, number>>
  readonly href: string
  /** The sum of all kinds one period earlier, if it is known. */
  readonly before?: number | undefined
  /** Whether a day begins with this bar, which a line marks if the bars are shorter than days. */
  readonly isNewDay?: boolean
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
  readonly table: Readonly<Record<'summary' | 'name' | 'total' | 'before' | 'hint', string>>
  /** A line across all bars, which none should pass. */
  readonly limit?: { readonly value: number; readonly name: string } | undefined
  /** Whether the legend has the sum of each kind; it has by default. */
  readonly hasSums?: boolean
  /** Whether the last bar always has its name under the axis, because it is the current one. */
  readonly endsNamed?: boolean
  /** Formats a value; as a whole number by default. */
  readonly write?: (value: number) => string
}

const WIDTH = 800
const HEIGHT = 220
const SPACE = { top: 12, right: 4, bottom: 26, left: 56 }
/** The approximate width of a letter next to the grid. */
const LETTER = 7
const MAX_TICKS = 8
/** How much higher than a limit the chart is, so that the name of the limit has room above its line. */
const ROOM_OVER_LIMIT = 1.05

/** A chart of stacked bars, a legend with the sums, and a table with the same figures. A bar with the pointer or the focus shows its values on a card. */
export const StackedBars = <Key extends string>(
  { id, label, series, bars, table, limit, hasSums = true, endsNamed = false, write = written }: ChartData<Key>,
): VNode => {
  const totals = bars.map(({ values }) => series.reduce((sum, { key }) => sum + values[key], 0))
  const most = Math.max(1, ...totals, ...bars.map(({ before = 0 }) => before), ROOM_OVER_LIMIT * (limit?.value ?? 0))
  const y = scaleLinear().domain([0, most]).nice(4).range([HEIGHT - SPACE.bottom, SPACE.top])
  const longest = Math.max(...gridOf(y.ticks(4), write).map((value) => write(value).length))
  // Amounts of money are longer in some languages.
  const side = Math.max(SPACE.left, 8 + longest * LETTER)
  const x = scaleBand<number>().domain(bars.map((_, index) => index)).range([side, WIDTH - SPACE.right])
    .paddingInner(bars.length > 40 ? 0.15 : 0.25)
  const stacked = stack<unknown, Bar<Key>, Key>().keys(series.map(({ key }) => key)).value(({ values }, key) => values[key])([...bars])
  const every = Math.ceil(bars.length / MAX_TICKS)
  const isNamed = (index: number): boolean => (endsNamed ? bars.length - 1 - index : index) % every === 0
  const edgeOf = (at: number): number => rounded((x(at) ?? 0) - (x.step() * x.paddingInner()) / 2)
  return (
    <figure class="chart">
      <Legend id={id} series={series} bars={bars} write={hasSums ? write : undefined} before={table.before} />
      <div class="scroll" role="region" aria-label={label} tabindex={0}>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={label}>
          <defs>{series.map((one, index) => <Pattern key={index} id={`${id}-${index}`} index={lookOf(one, index)} />)}</defs>
          {gridOf(y.ticks(4), write).map((value) => (
            <g key={value}>
              <line class="grid" x1={side} x2={WIDTH - SPACE.right} y1={y(value)} y2={y(value)} />
              <text class="tick end" x={side - 8} y={y(value) + 4}>{write(value)}</text>
            </g>
          ))}
          <line class="axis" x1={side} x2={WIDTH - SPACE.right} y1={y(0)} y2={y(0)} />
          {limit !== undefined && (
            <g>
              <line class="limit-line" x1={side} x2={WIDTH - SPACE.right} y1={rounded(y(limit.value))} y2={rounded(y(limit.value))} />
              <text class="tick limit-name" x={WIDTH - SPACE.right} y={rounded(y(limit.value) - 5)}>{limit.name}</text>
            </g>
          )}
          {bars.map(({ tick }, index) => (!isNamed(index) ? null : endsNamed && index === bars.length - 1
            ? <text key={index} class="tick end" x={WIDTH - SPACE.right} y={HEIGHT - 8}>{tick}</text>
            : <text key={index} class="tick middle" x={(x(index) ?? 0) + x.bandwidth() / 2} y={HEIGHT - 8}>{tick}</text>))}
          {bars.map(({ before, isNewDay = false }, at) => (
            <Fragment key={at}>
              {isNewDay && <line class="midnight" x1={edgeOf(at)} x2={edgeOf(at)} y1={SPACE.top} y2={HEIGHT - SPACE.bottom} />}
              {stacked.map((points, index) => (
                <Piece key={index} point={points[at]} x={x(at) ?? 0} width={x.bandwidth()} y={y} fill={`url(#${id}-${index})`} />
              ))}
              {before !== undefined && (
                <line class="before" x1={rounded(x(at) ?? 0)} x2={rounded((x(at) ?? 0) + x.bandwidth())} y1={y(before)} y2={y(before)} />
              )}
            </Fragment>
          ))}
          {bars.map((bar, at) => {
            const rows = series.filter(({ key }) => bar.values[key] > 0).map(({ key, name }) => ({ name, value: bar.values[key] }))
            const said = [
              `${bar.name}: ${write(totals[at] ?? 0)}`,
              ...(series.length === 1 ? [] : rows.map(({ name, value }) => `${TEXTS.parts.insideSentence(name)} ${write(value)}`)),
              ...(bar.before === undefined ? [] : [`${TEXTS.parts.insideSentence(table.before)} ${write(bar.before)}`]),
            ].join(' · ')
            return (
              <Fragment key={bar.name}>
                <a class="bar" href={bar.href} aria-label={said}>
                  <rect
                    class="hit" x={edgeOf(at)} y={SPACE.top - 8} width={rounded(x.step())} height={HEIGHT - SPACE.bottom - SPACE.top + 8}
                    rx={3}
                  />
                </a>
                <Card
                  bar={bar} rows={series.length === 1 ? [] : rows} total={totals[at] ?? 0} write={write} table={table}
                  from={x(at) ?? 0} to={(x(at) ?? 0) + x.bandwidth()}
                />
              </Fragment>
            )
          })}
        </svg>
      </div>
      <details class="quiet">
        <summary>{table.summary}</summary>
        <p class="hint">{table.hint}</p>
        <Figures label={label} series={series} bars={bars} table={table} totals={totals} write={write} />
      </details>
    </figure>
  )
}

/** The grid lines, without those whose label equals that of another line. */
const gridOf = (ticks: ReadonlyArray<number>, write: (value: number) => string): ReadonlyArray<number> =>
  ticks.filter((value, index) => Number.isInteger(value) && (index === 0 || write(value) !== write(ticks[index - 1] ?? 0)))

const CARD = { width: 216, row: 18, space: 12, gap: 8 }

/**
 * The card of the bar with the pointer or the focus, beside the bar: each kind with its value and its share. Cards come after all bars, because what comes later in
 * a drawing covers what came before.
 */
const Card = <Key extends string>({ bar: { name, before }, rows, total, write, table, from, to }: {
  readonly bar: Bar<Key>
  readonly rows: ReadonlyArray<{ readonly name: string; readonly value: number }>
  readonly total: number
  readonly write: (value: number) => string
  readonly table: ChartData<Key>['table']
  readonly from: number
  readonly to: number
}): VNode => {
  const left = to + CARD.gap + CARD.width > WIDTH ? from - CARD.gap - CARD.width : to + CARD.gap
  const lines = [
    ...rows.map((row) => [row.name, write(row.value), SHARE().format(row.value / Math.max(1, total))] as const),
    [table.total, write(total), ''] as const,
    ...(before === undefined ? [] : [[table.before, write(before), ''] as const]),
  ]
  const line = (at: number): number => SPACE.top + CARD.space + 10 + at * CARD.row
  return (
    <g class="tip" aria-hidden="true">
      <rect x={rounded(left)} y={SPACE.top} width={CARD.width} height={CARD.space * 2 + (lines.length + 1) * CARD.row - 6} rx={7} />
      <text class="name" x={rounded(left + CARD.space)} y={line(0)}>{name}</text>
      {lines.map(([text, value, share], index) => (
        <Fragment key={text}>
          <text x={rounded(left + CARD.space)} y={line(index + 1)}>{text}</text>
          <text class="end" x={rounded(left + CARD.width - CARD.space - 40)} y={line(index + 1)}>{value}</text>
          <text class="end share" x={rounded(left + CARD.width - CARD.space)} y={line(index + 1)}>{share}</text>
        </Fragment>
      ))}
    </g>
  )
}

const SHARE = numberFormat({ style: 'percent', maximumFractionDigits: 0 })

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

const lookOf = ({ isBad }: { readonly isBad?: true | undefined }, index: number): number => (isBad === true ? STRIPED : index)

const Legend = <Key extends string>({ id, series, bars, write, before }: Pick<ChartData<Key>, 'id' | 'series' | 'bars'> & {
  /** Formats the sums; absent if there are none. */
  readonly write: ((value: number) => string) | undefined
  readonly before: string
}): VNode => (
  <ul class="legend">
    {series.map(({ key, name, isBad }, index) => (
      <li key={key}>
        <svg viewBox="0 0 16 16" width={10} height={10} aria-hidden="true">
          <defs><Pattern id={`legend-${id}-${index}`} index={lookOf({ isBad }, index)} /></defs>
          <rect width={16} height={16} rx={3} fill={`url(#legend-${id}-${index})`} />
        </svg>
        {name}{write !== undefined && <> <strong>{write(bars.reduce((sum, { values }) => sum + values[key], 0))}</strong></>}
      </li>
    ))}
    {bars.some((bar) => bar.before !== undefined) && (
      <li>
        <svg viewBox="0 0 16 16" width={10} height={10} aria-hidden="true"><line class="before" x2={16} y1={8} y2={8} /></svg>
        {before}{write !== undefined && <> <strong>{write(bars.reduce((sum, bar) => sum + (bar.before ?? 0), 0))}</strong></>}
      </li>
    )}
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
