import type { Row } from './measure.js'
import type { ProcessFigures } from './process-figures.js'
import { MEASURES, over, pairsOf, ratioByClock, ratioByCpu, type Pair, type PairKey } from './ratios.js'
import {
  FEW_CONNECTIONS, gatewayName, MANY_CONNECTIONS, ONE_CONNECTION, ONE_WALLET, paced as pacedName, PACES, PLATFORM_ALONE,
} from './rows.js'

/** A result of a run by its key; `null` if it was not measured. */
export type Figure = { readonly key: string; readonly value: number | null; readonly measure: string; readonly from?: string }

/** The measurements other than the rows at full rate. */
export type Measured = {
  readonly rows: ReadonlyArray<Row>
  /** The relay and Postern on MySQL at half of Postern's peak rate. */
  readonly paced: ReadonlyArray<Row>
  /** Processor time of storage code per send: merged writes, divided by a transaction for each write. */
  readonly storageCpu: number | null
  readonly processes: ProcessFigures | undefined
}

const DATABASES = [['SQLite', 'sqlite'], ['MySQL', 'mysql'], ['PostgreSQL', 'postgres']] as const

/** The ratios, each by the clock and, with the key suffix `_cpu`, by the processor time of all threads. */
export const ratiosOf = ({ rows, paced, storageCpu }: Measured): ReadonlyArray<Figure> => [
  ...ratiosAt(rows, MANY_CONNECTIONS, ''), ...ratiosAt(rows, FEW_CONNECTIONS, `_${FEW_CONNECTIONS}`).filter(({ value }) => value !== null),
  { key: 'storage_cpu_mysql', value: storageCpu, measure: 'CPU of storage code a send, group commit ÷ a transaction a write' },
  { key: 'p99_half_peak_mysql', value: over(paced[1]?.p99_ms, paced[0]?.p99_ms), measure: "p99 at half Postern's peak rate, Postern ÷ Koa relay with undici" },
]

const ratiosAt = (rows: ReadonlyArray<Row>, connections: number, suffix: string): ReadonlyArray<Figure> =>
  (Object.entries(pairsOf(rows, connections)) as ReadonlyArray<readonly [PairKey, Pair | undefined]>).flatMap(([key, pair]): ReadonlyArray<
    Figure
  > => {
    const from = pair === undefined ? {} : { from: `${placeOf(pair.row)} ÷ ${placeOf(pair.to)}` }
    return [
      { key: `${key}${suffix}`, value: ratioByClock(pair), measure: MEASURES[key], ...from },
      { key: `${key}${suffix}_cpu`, value: ratioByCpu(pair), measure: `the same rows, by processor time`, ...from },
    ]
  })

/** The latencies, and the figures of whole processes. */
export const amountsOf = ({ rows, paced, processes }: Measured): ReadonlyArray<Figure> => [
  ...[ONE_CONNECTION, FEW_CONNECTIONS].flatMap((connections) => DATABASES.map(([store, key]): Figure => {
    const row = latencyRow(rows, store, connections)
    return {
      key: `p50_${connections}_${key}_ms`,
      value: row?.p50_ms ?? null,
      measure: `median latency with ${connections} connection${connections === 1 ? '' : 's'}`,
      ...fromRow(row),
    }
  })),
  ...DATABASES.map(([store, key]): Figure => {
    const row = latencyRow(rows, store, ONE_CONNECTION)
    const platform = rows.find(({ name }) => name === PLATFORM_ALONE)
    const value = row === undefined || platform === undefined ? null : Math.round((row.p50_ms - platform.p50_ms) * 100) / 100
    return { key: `lone_send_${key}_ms`, value, measure: "median latency of a lone send beyond the platform's own", ...fromRow(row) }
  }),
  ...PACES.flatMap((pace) => DATABASES.flatMap(([store, key]): ReadonlyArray<Figure> => {
    const row = latencyRow(rows, store, FEW_CONNECTIONS, pacedName(pace))
    const name = `${pace.perSecond}_a_second_${key}`
    const measure = `latency at ${pace.perSecond} a second`
    return [
      { key: `p50_${name}_ms`, value: row?.p50_ms ?? null, measure: `median ${measure}`, ...fromRow(row) },
      { key: `p99_${name}_ms`, value: row?.p99_ms ?? null, measure: `p99 of the ${measure}`, ...fromRow(row) },
      { key: `p99_p50_${name}`, value: over(row?.p99_ms, row?.p50_ms), measure: 'p99 ÷ median of these', ...fromRow(row) },
    ]
  })),
  { key: 'p99_half_peak_mysql_ms', value: paced[1]?.p99_ms ?? null, measure: "p99 at half Postern's peak rate" },
  { key: 'start_ms', value: processes?.start_ms ?? null, measure: 'start of the process to the answer to its first send, on SQLite' },
  { key: 'rest_rss_mb', value: processes?.rest_rss_mb ?? null, measure: 'memory at rest, after the first send' },
  { key: 'in_flight_10000_rss_mb', value: processes?.in_flight_10000_rss_mb ?? null, measure: 'most memory with 10,000 callers at once, HTTP/1.1' },
]

const placeOf = ({ name, connections }: Row): string => `${name}, ${connections} connection${connections === 1 ? '' : 's'}`

const fromRow = (row: Row | undefined): { readonly from?: string } => (row === undefined ? {} : { from: placeOf(row) })

/** Postern with one wallet: with undici, or with got if only got was measured. */
const latencyRow = (
  rows: ReadonlyArray<Row>, store: 'SQLite' | 'MySQL' | 'PostgreSQL', connections: number, suffix = '',
): Row | undefined =>
  [gatewayName(store, 'undici', ONE_WALLET, suffix), gatewayName(store, 'got', ONE_WALLET, suffix)]
    .flatMap((name) => rows.find((row) => row.name === name && row.connections === connections) ?? [])[0]
