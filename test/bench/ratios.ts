import type { Row } from './measure.js'
import { MANY_CONNECTIONS, FILLED, gatewayName, MANY_WALLETS, ONE_WALLET, RELAY_NAMES, type Store } from './rows.js'
import type { Transport } from './targets.js'

/** An aim: a ratio of two rows of one run, with its lower or upper bound. */
export type Aim = { readonly key: RatioKey; readonly measure: string; readonly atLeast?: number; readonly atMost?: number }

export type RatioKey =
  | 'got_sqlite' | 'got_mysql' | 'got_postgres' | 'undici_sqlite' | 'undici_mysql' | 'undici_postgres' | 'undici_memory'
  | 'one_wallet_mysql' | 'one_wallet_postgres' | 'million_stored_mysql' | 'storage_cpu_mysql' | 'p99_half_peak_mysql'

/** The ratios by key; `null` if not measured. */
export type Ratios = Readonly<Record<RatioKey, number | null>>

export const AIMS: ReadonlyArray<Aim> = [
  ...(['sqlite', 'mysql', 'postgres'] as const).map((store): Aim => ({ key: `got_${store}`, measure: 'Postern ÷ Koa relay, both with got', atLeast: 0.85 })),
  ...(['sqlite', 'mysql', 'postgres'] as const).map((store): Aim => ({ key: `undici_${store}`, measure: 'Postern ÷ Koa relay, both with undici', atLeast: 0.7 })),
  { key: 'undici_memory', measure: 'Postern in memory ÷ Koa relay, both with undici', atLeast: 0.7 },
  { key: 'one_wallet_mysql', measure: 'one wallet ÷ 1,000 wallets', atLeast: 0.95 },
  { key: 'one_wallet_postgres', measure: 'one wallet ÷ 1,000 wallets', atLeast: 0.95 },
  { key: 'million_stored_mysql', measure: 'one million stored messages ÷ none', atLeast: 0.95 },
  { key: 'storage_cpu_mysql', measure: 'CPU of storage code a send, group commit ÷ a transaction a write', atMost: 0.15 },
  { key: 'p99_half_peak_mysql', measure: "p99 at half Postern's peak rate, Postern ÷ Koa relay with undici", atMost: 2 },
]

/** Ratios that are not computed from rows. */
export type Extras = { readonly storageCpu: number | null; readonly p99: number | null }

/**
 * The ratios of a run at 256 connections.
 *
 * A comparison with a relay uses the slower of Postern's rows with one wallet and with a thousand.
 */
export const ratiosOf = (rows: ReadonlyArray<Row>, { storageCpu, p99 }: Extras): Ratios => ({
  ...ratiosAt(rows, MANY_CONNECTIONS),
  storage_cpu_mysql: storageCpu,
  p99_half_peak_mysql: p99,
})

/** The ratios of throughput, or of another figure of the rows, at so many connections. */
export const ratiosAt = (rows: ReadonlyArray<Row>, connections: number, figure: 'requests_per_second' | 'per_core' = 'requests_per_second'): Omit<Ratios, 'storage_cpu_mysql' | 'p99_half_peak_mysql'> => {
  const rate = (name: string): number | undefined =>
    rows.find((row) => row.name === name && row.connections === connections)?.[figure] ?? undefined
  const slower = (store: Store, transport: Transport): number | undefined => {
    const rates = [ONE_WALLET, MANY_WALLETS].flatMap((tenants) => rate(gatewayName(store, transport, tenants)) ?? [])
    return rates.length === 0 ? undefined : Math.min(...rates)
  }
  const toRelay = (store: Store, transport: Transport): number | null => over(slower(store, transport), rate(RELAY_NAMES[`koa-${transport}`]))
  const oneToMany = (store: Store): number | null => over(rate(gatewayName(store, 'undici', ONE_WALLET)), rate(gatewayName(store, 'undici', MANY_WALLETS)))
  return {
    got_sqlite: toRelay('SQLite', 'got'),
    got_mysql: toRelay('MySQL', 'got'),
    got_postgres: toRelay('PostgreSQL', 'got'),
    undici_sqlite: toRelay('SQLite', 'undici'),
    undici_mysql: toRelay('MySQL', 'undici'),
    undici_postgres: toRelay('PostgreSQL', 'undici'),
    undici_memory: toRelay('memory', 'undici'),
    one_wallet_mysql: oneToMany('MySQL'),
    one_wallet_postgres: oneToMany('PostgreSQL'),
    million_stored_mysql: over(rate(gatewayName('MySQL', 'undici', MANY_WALLETS, FILLED)), rate(gatewayName('MySQL', 'undici', MANY_WALLETS))),
  }
}

/** One figure over another, to three decimals; `null` if one is missing. */
export const over = (a: number | undefined, b: number | undefined): number | null =>
  a === undefined || b === undefined ? null : Math.round((a / b) * 1_000) / 1_000

/** Whether a ratio reaches its aim. */
export const isMet = ({ atLeast, atMost }: Aim, ratio: number): boolean => ratio >= (atLeast ?? -Infinity) && ratio <= (atMost ?? Infinity)
