import type { Figure } from './figures.js'

/** The aim of a figure, for medians of three runs on a quiet machine. */
export type Aim = { readonly key: string; readonly atLeast?: number; readonly atMost?: number }

/** An aim with its result. */
export type Outcome = { readonly key: string; readonly value: number; readonly aim: string; readonly met: boolean }

export const AIMS: ReadonlyArray<Aim> = [
  { key: 'got_sqlite_cpu', atLeast: 0.95 },
  { key: 'got_mysql_cpu', atLeast: 0.95 },
  { key: 'got_postgres_cpu', atLeast: 0.95 },
  { key: 'undici_memory_cpu', atLeast: 0.52 },
  { key: 'undici_sqlite_cpu', atLeast: 0.45 },
  { key: 'undici_mysql_cpu', atLeast: 0.45 },
  { key: 'undici_postgres_cpu', atLeast: 0.45 },
  { key: 'undici_memory_32_cpu', atLeast: 0.45 },
  { key: 'undici_sqlite_32_cpu', atLeast: 0.33 },
  { key: 'undici_mysql_32_cpu', atLeast: 0.33 },
  { key: 'undici_postgres_32_cpu', atLeast: 0.33 },
  { key: 'keyed_sqlite', atLeast: 0.95 },
  { key: 'keyed_mysql', atLeast: 0.95 },
  { key: 'keyed_postgres', atLeast: 0.95 },
  { key: 'one_wallet_mysql', atLeast: 0.95 },
  { key: 'one_wallet_postgres', atLeast: 0.95 },
  { key: 'million_stored_mysql', atLeast: 0.95 },
  { key: 'storage_cpu_mysql', atMost: 0.15 },
  { key: 'p50_32_sqlite_ms', atMost: 10 },
  { key: 'p50_32_mysql_ms', atMost: 10 },
  { key: 'p50_32_postgres_ms', atMost: 10 },
  { key: 'lone_send_sqlite_ms', atMost: 2 },
  { key: 'lone_send_mysql_ms', atMost: 3 },
  { key: 'lone_send_postgres_ms', atMost: 3.5 },
  ...['sqlite', 'mysql', 'postgres'].flatMap((key): ReadonlyArray<Aim> => [
    { key: `p99_100_a_second_${key}_ms`, atMost: 12 }, { key: `p99_p50_100_a_second_${key}`, atMost: 2 },
  ]),
  { key: 'p99_half_peak_mysql', atMost: 3 },
  { key: 'start_ms', atMost: 600 },
  { key: 'rest_rss_mb', atMost: 110 },
  { key: 'in_flight_10000_rss_mb', atMost: 600 },
]

/** The outcomes of all aims whose figures were measured. */
export const outcomesOf = (figures: ReadonlyArray<Figure>): ReadonlyArray<Outcome> => {
  const values = new Map(figures.flatMap(({ key, value }) => (value === null ? [] : [[key, value] as const])))
  const isMet = ({ key, atLeast = -Infinity, atMost = Infinity }: Aim): boolean => {
    const value = values.get(key)
    return value !== undefined && value >= atLeast && value <= atMost
  }
  return AIMS.flatMap((aim) => {
    const value = values.get(aim.key)
    return value === undefined ? [] : [{ key: aim.key, value, aim: wordsOf(aim), met: isMet(aim) }]
  })
}

const wordsOf = ({ atLeast, atMost }: Aim): string =>
  atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
