import type { Figure } from './figures.js'

/** The aim of a figure, for medians of three runs on a quiet machine. If `or` is given, meeting that aim is enough. */
export type Aim = { readonly key: string; readonly atLeast?: number; readonly atMost?: number; readonly or?: Aim }

/** An aim with its result. */
export type Outcome = { readonly key: string; readonly value: number; readonly aim: string; readonly met: boolean }

export const AIMS: ReadonlyArray<Aim> = [
  { key: 'got_sqlite_cpu', atLeast: 0.95 },
  { key: 'got_mysql_cpu', atLeast: 0.95 },
  { key: 'got_postgres_cpu', atLeast: 0.95 },
  { key: 'undici_sqlite_cpu', atLeast: 0.4 },
  { key: 'undici_mysql_cpu', atLeast: 0.42 },
  { key: 'undici_postgres_cpu', atLeast: 0.42 },
  { key: 'undici_memory_cpu', atLeast: 0.45 },
  { key: 'undici_sqlite_32_cpu', atLeast: 0.3 },
  { key: 'undici_mysql_32_cpu', atLeast: 0.3 },
  { key: 'undici_postgres_32_cpu', atLeast: 0.3 },
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
  { key: 'lone_send_sqlite_ms', atMost: 3 },
  { key: 'lone_send_mysql_ms', atMost: 3 },
  { key: 'lone_send_postgres_ms', atMost: 3 },
  { key: 'p99_half_peak_mysql', atMost: 2.5, or: { key: 'p99_half_peak_mysql_ms', atMost: 40 } },
  { key: 'start_ms', atMost: 600 },
  { key: 'rest_rss_mb', atMost: 110 },
  { key: 'in_flight_10000_rss_mb', atMost: 600 },
]

/** The outcomes of all aims whose figures were measured. */
export const outcomesOf = (figures: ReadonlyArray<Figure>): ReadonlyArray<Outcome> => {
  const values = new Map(figures.flatMap(({ key, value }) => (value === null ? [] : [[key, value] as const])))
  const isMet = ({ key, atLeast = -Infinity, atMost = Infinity, or }: Aim): boolean => {
    const value = values.get(key)
    return (value !== undefined && value >= atLeast && value <= atMost) || (or !== undefined && isMet(or))
  }
  return AIMS.flatMap((aim) => {
    const value = values.get(aim.key)
    return value === undefined ? [] : [{ key: aim.key, value, aim: wordsOf(aim), met: isMet(aim) }]
  })
}

const wordsOf = ({ atLeast, atMost, or }: Aim): string =>
  `${atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`}${or === undefined ? '' : `, or ${or.key} ${wordsOf(or)}`}`
