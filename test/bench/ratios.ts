import type { Row } from './measure.js'
import { FILLED, gatewayName, KEYED, MANY_CONNECTIONS, MANY_WALLETS, ONE_WALLET, RELAY_NAMES, SLOW, type Store } from './rows.js'
import type { Transport } from './targets.js'

/** Two rows of one run that a ratio compares. */
export type Pair = { readonly row: Row; readonly to: Row }

export type PairKey =
  | 'got_sqlite' | 'got_mysql' | 'got_postgres' | 'undici_sqlite' | 'undici_mysql' | 'undici_postgres' | 'undici_memory'
  | 'platform_200_sqlite' | 'platform_200_mysql' | 'platform_200_postgres'
  | 'one_wallet_mysql' | 'one_wallet_postgres' | 'million_stored_mysql' | 'keyed_sqlite' | 'keyed_mysql' | 'keyed_postgres'

/** Descriptions of what each pair compares. */
export const MEASURES: Readonly<Record<PairKey, string>> = {
  got_sqlite: 'Postern ÷ Koa relay, both with got',
  got_mysql: 'Postern ÷ Koa relay, both with got',
  got_postgres: 'Postern ÷ Koa relay, both with got',
  undici_sqlite: 'Postern ÷ Koa relay, both with undici',
  undici_mysql: 'Postern ÷ Koa relay, both with undici',
  undici_postgres: 'Postern ÷ Koa relay, both with undici',
  undici_memory: 'Postern in memory ÷ Koa relay, both with undici',
  platform_200_sqlite: 'Postern ÷ Koa relay, both with undici, on a platform of 200 ms',
  platform_200_mysql: 'Postern ÷ Koa relay, both with undici, on a platform of 200 ms',
  platform_200_postgres: 'Postern ÷ Koa relay, both with undici, on a platform of 200 ms',
  one_wallet_mysql: 'one wallet ÷ 1,000 wallets',
  one_wallet_postgres: 'one wallet ÷ 1,000 wallets',
  million_stored_mysql: 'one million stored messages ÷ none',
  keyed_sqlite: 'with an idempotency key each ÷ without',
  keyed_mysql: 'with an idempotency key each ÷ without',
  keyed_postgres: 'with an idempotency key each ÷ without',
}

/**
 * The pairs of rows that were measured with this number of connections.
 *
 * The slower of Postern's rows with one wallet and with a thousand is compared with a relay. Ratios by the clock and by processor time use the
 * same two rows.
 */
export const pairsOf = (rows: ReadonlyArray<Row>, connections = MANY_CONNECTIONS): Readonly<Record<PairKey, Pair | undefined>> => {
  const named = (name: string): Row | undefined => rows.find((row) => row.name === name && row.connections === connections)
  const slower = (store: Store, transport: Transport): Row | undefined =>
    [ONE_WALLET, MANY_WALLETS].flatMap((tenants) => named(gatewayName(store, transport, tenants)) ?? [])
      .sort((a, b) => a.requests_per_second - b.requests_per_second)[0]
  const toRelay = (store: Store, transport: Transport): Pair | undefined =>
    pair(slower(store, transport), named(RELAY_NAMES[`koa-${transport}`]))
  const slowPlatform = (store: Store): Pair | undefined =>
    pair(named(gatewayName(store, 'undici', ONE_WALLET, SLOW)), named(`${RELAY_NAMES['koa-undici']}${SLOW}`))
  const oneToMany = (store: Store): Pair | undefined =>
    pair(named(gatewayName(store, 'undici', ONE_WALLET)), named(gatewayName(store, 'undici', MANY_WALLETS)))
  const keyed = (store: Store): Pair | undefined =>
    pair(named(gatewayName(store, 'undici', ONE_WALLET, KEYED)), named(gatewayName(store, 'undici', ONE_WALLET)))
  return {
    got_sqlite: toRelay('SQLite', 'got'),
    got_mysql: toRelay('MySQL', 'got'),
    got_postgres: toRelay('PostgreSQL', 'got'),
    undici_sqlite: toRelay('SQLite', 'undici'),
    undici_mysql: toRelay('MySQL', 'undici'),
    undici_postgres: toRelay('PostgreSQL', 'undici'),
    undici_memory: toRelay('memory', 'undici'),
    platform_200_sqlite: slowPlatform('SQLite'),
    platform_200_mysql: slowPlatform('MySQL'),
    platform_200_postgres: slowPlatform('PostgreSQL'),
    one_wallet_mysql: oneToMany('MySQL'),
    one_wallet_postgres: oneToMany('PostgreSQL'),
    million_stored_mysql: pair(
      named(gatewayName('MySQL', 'undici', MANY_WALLETS, FILLED)), named(gatewayName('MySQL', 'undici', MANY_WALLETS)),
    ),
    keyed_sqlite: keyed('SQLite'),
    keyed_mysql: keyed('MySQL'),
    keyed_postgres: keyed('PostgreSQL'),
  }
}

const pair = (row: Row | undefined, to: Row | undefined): Pair | undefined =>
  row === undefined || to === undefined ? undefined : { row, to }

/** The ratio of requests per second. */
export const ratioByClock = (pair: Pair | undefined): number | null => over(pair?.row.requests_per_second, pair?.to.requests_per_second)

/** The ratio of requests per second of processor time, which other programs on the same cores affect less. */
export const ratioByCpu = (pair: Pair | undefined): number | null => over(pair?.row.per_core, pair?.to.per_core)

/** A row and the relay with the same client, the same number of connections and the same platform; `undefined` for a relay itself. */
export const withRelay = (row: Row, rows: ReadonlyArray<Row>): Pair | undefined =>
  pair(row, rows.find(({ name, connections }) => name === row.relay && connections === row.connections))

/** One figure over another, to three decimals; `null` if one is missing. */
export const over = (a: number | null | undefined, b: number | null | undefined): number | null =>
  a === undefined || a === null || b === undefined || b === null ? null : Math.round((a / b) * 1_000) / 1_000
