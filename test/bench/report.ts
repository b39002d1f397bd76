import { outcomesOf } from './aims.js'
import { amountsOf, ratiosOf, type Measured } from './figures.js'
import type { Machine } from './machine.js'
import { ratioByClock, ratioByCpu, withRelay } from './ratios.js'

/** The result of a run; `failures` says why a row or a figure is missing. */
export type Report = Measured & { readonly machine: Machine; readonly rounds: number; readonly failures: ReadonlyArray<string> }

/** The report as one JSON value: `from` names the rows from which a figure was computed. */
export const asJson = (report: Report): string => {
  const { machine, rounds, processes } = report
  const rows = [...report.rows, ...report.paced]
  const ratios = ratiosOf(report)
  const amounts = amountsOf(report)
  const byKey = (figures: typeof ratios): object => Object.fromEntries(figures.map(({ key, value }) => [key, value]))
  return JSON.stringify({
    machine,
    rounds,
    rows: rows.map((row) => ({ ...row, wall_ratio: ratioByClock(withRelay(row, rows)), cpu_ratio: ratioByCpu(withRelay(row, rows)) })),
    ratios: byKey(ratios),
    ...byKey(amounts),
    ...(processes !== undefined && { starts: processes.starts, in_flight: processes.inFlight }),
    from: Object.fromEntries([...ratios, ...amounts].flatMap(({ key, from }) => (from === undefined ? [] : [[key, from]]))),
    aims: outcomesOf([...ratios, ...amounts]),
    failures: report.failures,
  }, null, 2)
}

/** The report as text: the machine, a table of the rows, and each figure with its aim. */
export const asText = (report: Report, remarks: ReadonlyArray<string>): string => {
  const { machine } = report
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memory_gib} GiB; Node.js ${machine.node}; ${machine.databases.join(', ')}`,
    machine.placement,
    '',
    ...rowLines(report),
    '',
    ...figureLines(report),
    ...remarks.flatMap((remark) => ['', remark]),
    '',
  ].join('\n')
}

const rowLines = (report: Report): ReadonlyArray<string> => {
  const rows = [...report.rows, ...report.paced]
  return columns([
    ['', 'connections', 'requests/s', 'p50 ms', 'p99 ms', 'peak MiB', 'cores busy', 'per CPU s', '÷ relay', 'by CPU'],
    ...rows.map((row) => {
      const pair = withRelay(row, rows)
      return [
        row.name, String(row.connections), String(row.requests_per_second), row.p50_ms.toFixed(1), row.p99_ms.toFixed(1),
        String(row.rss_mib ?? '?'), row.cores?.toFixed(2) ?? '?', String(row.per_core ?? '?'), ratioByClock(pair)?.toFixed(2) ?? '',
        ratioByCpu(pair)?.toFixed(2) ?? '',
      ]
    }),
  ])
}

const figureLines = (report: Report): ReadonlyArray<string> => {
  const figures = [...ratiosOf(report), ...amountsOf(report)]
  const outcomes = new Map(outcomesOf(figures).map((outcome) => [outcome.key, outcome]))
  return columns([
    ['figure', 'value', '', 'aim', 'of what'],
    ...figures.flatMap(({ key, value, measure }) => {
      const outcome = outcomes.get(key)
      if (value === null) return []
      return [[key, String(value), outcome === undefined ? '' : outcome.met ? 'met' : 'NOT MET', outcome?.aim ?? '', measure]]
    }),
  ])
}

/** Aligns cells in columns: words left, figures right. */
export const columns = (lines: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines.map((line) =>
    line.map((cell, column) => (FIGURE.test(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ').trimEnd())
}

/** A figure, or the heading of a column of figures. */
const FIGURE = /^-?[\d.?]+$|^(connections|requests\/s|p\d+ ms|peak MiB|cores busy|per CPU s|÷ relay|by CPU|value|share)$/
