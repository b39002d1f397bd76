import type { Machine } from './machine.js'
import type { Row } from './measure.js'
import { AIMS, isMet, ratiosAt, type Aim, type Ratios } from './ratios.js'
import { FEW_CONNECTIONS, gatewayName, MANY_CONNECTIONS, ONE_CONNECTION, ONE_WALLET } from './rows.js'

/** The result of a run. */
export type Report = { readonly machine: Machine; readonly rows: ReadonlyArray<Row>; readonly ratios: Ratios }

/** The report as one JSON value. */
export const asJson = ({ machine, rows, ratios }: Report): string =>
  JSON.stringify({ machine, rows: rows.map(({ cores: _cores, per_core: _perCore, ...row }) => row), ratios: { ...ratios, ...byCpu(rows) }, ...latencies(rows) }, null, 2)

/** The ratios of the rows by their own processor time, which other programs on the same cores change less. */
const byCpu = (rows: ReadonlyArray<Row>): Readonly<Record<string, number | null>> =>
  Object.fromEntries(Object.entries(ratiosAt(rows, MANY_CONNECTIONS, 'per_core')).map(([key, ratio]) => [`${key}_cpu`, ratio]))

/** The median latency of Postern on each store with one and with a few connections: with undici, or with got where only that was measured. */
const latencies = (rows: ReadonlyArray<Row>): Readonly<Record<string, number | null>> =>
  Object.fromEntries([ONE_CONNECTION, FEW_CONNECTIONS].flatMap((connections) => (['SQLite', 'MySQL', 'PostgreSQL'] as const).map((store) => {
    const names = [gatewayName(store, 'undici', ONE_WALLET), gatewayName(store, 'got', ONE_WALLET)]
    const found = names.flatMap((name) => rows.find((row) => row.name === name && row.connections === connections) ?? [])
    return [`p50_${connections}_${store === 'PostgreSQL' ? 'postgres' : store.toLowerCase()}_ms`, found[0]?.p50_ms ?? null]
  })))

/** The report as text: the machine, a table, and each aim with its result. */
export const asText = ({ machine, rows, ratios }: Report, remarks: ReadonlyArray<string>): string => [
  `${machine.cpu}, ${machine.cores} cores, ${machine.memory_gib} GiB; Node.js ${machine.node}; ${machine.databases.join(', ')}`,
  machine.placement,
  '',
  ...columns([
    ['', 'connections', 'requests/s', 'p50 ms', 'p99 ms', 'peak MiB', 'cores busy', 'per CPU s'],
    ...rows.map(({ name, connections, requests_per_second, p50_ms, p99_ms, rss_mib, cores, per_core }) =>
      [name, String(connections), String(requests_per_second), p50_ms.toFixed(1), p99_ms.toFixed(1), String(rss_mib ?? '?'), cores?.toFixed(2) ?? '?', String(per_core ?? '?')]),
  ]),
  '',
  ...columns([
    ['ratio', 'at 32', 'at 256', 'by CPU', 'aim', '', 'of what'],
    ...AIMS.filter(({ key }) => ratios[key] !== null).map((aim) => aimLine(aim, ratios, rows)),
  ]),
  ...remarks.flatMap((remark) => ['', remark]),
  '',
].join('\n')

const aimLine = (aim: Aim, ratios: Ratios, rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const ratio = ratios[aim.key] ?? NaN
  const calm: Readonly<Record<string, number | null>> = ratiosAt(rows, FEW_CONNECTIONS)
  const byCpu: Readonly<Record<string, number | null>> = ratiosAt(rows, MANY_CONNECTIONS, 'per_core')
  const wanted = aim.atLeast === undefined ? `≤ ${aim.atMost}` : `≥ ${aim.atLeast}`
  return [aim.key, calm[aim.key]?.toFixed(2) ?? '', ratio.toFixed(3), byCpu[aim.key]?.toFixed(2) ?? '', wanted, isMet(aim, ratio) ? 'met' : 'NOT MET', aim.measure]
}

/** Aligns cells in columns: words left, figures right. */
export const columns = (lines: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines.map((line) =>
    line.map((cell, column) => (/^[\d.?]+$|^(connections|requests\/s|p\d+ ms|peak MiB|cores busy|per CPU s|at \d+|by CPU|share)$/.test(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ').trimEnd())
}
