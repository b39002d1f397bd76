import { assert } from 'chai'
import type { Row } from './measure.js'
import { asJson, asText, type Report } from './report.js'
import { fullPlan, gatewayName, MANY_WALLETS, ONE_WALLET, PLATFORM_ALONE, RELAY_NAMES } from './rows.js'

const KEYS = [
  'got_sqlite', 'got_mysql', 'got_postgres', 'undici_sqlite', 'undici_mysql', 'undici_postgres', 'undici_memory', 'platform_200_sqlite',
  'million_stored_mysql',
]
const AMOUNTS = [
  'p50_1_mysql_ms', 'p50_32_sqlite_ms', 'p50_32_mysql_ms', 'p50_32_postgres_ms', 'lone_send_sqlite_ms', 'start_ms', 'rest_rss_mb',
  'in_flight_10000_rss_mb', 'p50_1_a_second_sqlite_ms', 'p99_100_a_second_postgres_ms', 'p99_p50_10_a_second_mysql',
]

/** Every row of the full plan; all rows have the same figures, except for the values that `change` sets. */
const reportOf = (change: (row: Row) => Partial<Row> = () => ({})): Report => ({
  machine: { cpu: 'a processor', cores: 2, memory_gib: 8, node: 'v20', databases: [], placement: 'somewhere' },
  rounds: 3,
  rows: fullPlan().map(({ name, relay = null, connections }) => {
    const row: Row = {
      name, relay, connections, requests_per_second: 1_000, p50_ms: 5, p99_ms: 9, rss_mib: 200, cores: 1, per_core: 1_000, ranges: {},
    }
    return { ...row, ...change(row) }
  }),
  paced: [],
  storageCpu: 0.02,
  processes: { start_ms: 500, rest_rss_mb: 100, in_flight_10000_rss_mb: 700, starts: [], inFlight: [] },
  failures: [],
})

type Json = {
  readonly rows: ReadonlyArray<Row & { readonly wall_ratio: number | null; readonly cpu_ratio: number | null }>
  readonly ratios: Readonly<Record<string, number | null>>
  readonly from: Readonly<Record<string, string>>
  readonly aims: ReadonlyArray<{ readonly key: string; readonly met: boolean }>
} & Readonly<Record<string, unknown>>

const jsonOf = (report: Report): Json => JSON.parse(asJson(report)) as Json

describe('the report of the bench', () => {
  it('has every ratio of a full run by the clock and by processor time, and the other figures', () => {
    const report = jsonOf(reportOf())
    for (const key of KEYS) assert.deepEqual([report.ratios[key], report.ratios[`${key}_cpu`]], [1, 1], key)
    for (const key of AMOUNTS) assert.isNumber(report[key], key)
  })

  it('compares each row of Postern with the relay with the same client, connections and platform', () => {
    const slow = / 200 ms/
    const { rows } = jsonOf(
      reportOf(({ name }) => ({ requests_per_second: slow.test(name) ? 500 : 1_000, ...(name.startsWith('Koa') && { per_core: 2_000 }) })),
    )
    const gateways = rows.filter(({ name }) => name.startsWith('Postern'))
    assert.isAbove(gateways.length, 40)
    for (const { name, wall_ratio, cpu_ratio } of gateways) assert.deepEqual([wall_ratio, cpu_ratio], [1, 0.5], name)
    for (const { name, wall_ratio } of rows.filter((row) => !row.name.startsWith('Postern'))) assert.isNull(wall_ratio, name)
  })

  it('takes both ratios from the row that is slower by the clock, also if the other one takes more processor time', () => {
    const slower = gatewayName('MySQL', 'undici', MANY_WALLETS)
    const dearer = gatewayName('MySQL', 'undici', ONE_WALLET)
    const { ratios, from } = jsonOf(
      reportOf(({ name }) => ({ ...(name === slower && { requests_per_second: 400 }), ...(name === dearer && { per_core: 300 }) })),
    )
    assert.deepEqual([ratios['undici_mysql'], ratios['undici_mysql_cpu']], [0.4, 1])
    assert.equal(from['undici_mysql_cpu'], `${slower}, 256 connections ÷ ${RELAY_NAMES['koa-undici']}, 256 connections`)
  })

  it('reports what failed beside the figures of the rows that did not', () => {
    const [first, ...rows] = reportOf().rows
    const failures = [`${first?.name}: 3 requests failed, 7 succeeded`]
    const report = jsonOf({ ...reportOf(), rows, failures })
    assert.deepEqual(report['failures'], failures)
    assert.lengthOf(report.rows, rows.length)
  })

  it("subtracts the platform's own time from the latency of a lone send", () => {
    const report = jsonOf(reportOf(({ name }) => (name === PLATFORM_ALONE ? { p50_ms: 0.5 } : {})))
    assert.equal(report['lone_send_mysql_ms'], 4.5)
  })

  it('says which aims are not met', () => {
    const report = reportOf()
    const unmet = jsonOf(report).aims.filter(({ met }) => !met).map(({ key }) => key)
    assert.deepEqual(unmet, ['in_flight_10000_rss_mb'])
    assert.match(asText(report, []), /in_flight_10000_rss_mb +700 +NOT MET +≤ 600/)
  })

  it('compares the 99th percentile at half the peak with that of the relay', () => {
    const paced = (p99: number): Report => ({
      ...reportOf(), paced: [10, p99].map((p99_ms, place) => ({ ...reportOf().rows[place]!, p99_ms })),
    })
    const met = (p99: number): boolean | undefined => jsonOf(paced(p99)).aims.find(({ key }) => key === 'p99_half_peak_mysql')?.met
    assert.deepEqual([met(20), met(30), met(31)], [true, true, false])
  })
})
