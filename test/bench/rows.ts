import type { Transport } from './targets.js'
import type { Operation } from './tenants.js'

export type Relay = 'koa-got' | 'koa-undici' | 'node-undici'
export type Store = 'memory' | 'SQLite' | 'MySQL' | 'PostgreSQL'

/** The program that a row measures. `filled`: with a million stored messages. */
export type Subject =
  | { readonly relay: Relay }
  | { readonly store: Store; readonly transport: Transport; readonly filled: boolean }

/** One line of the table. */
export type RowPlan = {
  readonly name: string
  readonly subject: Subject
  readonly connections: number
  readonly tenants: number
  readonly operation: Operation
}

export const ONE_WALLET = 1
export const MANY_WALLETS = 1_000

/** The numbers of connections; the aims are measured with the higher one. */
export const MANY_CONNECTIONS = 256
export const FEW_CONNECTIONS = 32
/** Only for the latency of a single caller. */
export const ONE_CONNECTION = 1
export const CONNECTIONS = [FEW_CONNECTIONS, MANY_CONNECTIONS]

const TRANSPORTS: ReadonlyArray<Transport> = ['got', 'undici']
const STORES: ReadonlyArray<Store> = ['memory', 'SQLite', 'MySQL', 'PostgreSQL']

export const RELAY_NAMES: Readonly<Record<Relay, string>> = {
  'koa-got': 'Koa relay, got',
  'koa-undici': 'Koa relay, undici',
  'node-undici': 'node:http relay, undici',
}

/** The name of a row of Postern. */
export const gatewayName = (store: Store, transport: Transport, tenants: number, more = ''): string =>
  `Postern, ${store}, ${transport}, ${tenants === ONE_WALLET ? '1 wallet' : '1,000 wallets'}${more}`

/** The suffix of the name of a row with a million stored messages. */
export const FILLED = ', a million stored'

/** Every row of the full table. */
export const fullPlan = (): ReadonlyArray<RowPlan> => [
  ...(['koa-got', 'koa-undici', 'node-undici'] as const).flatMap((relay) => CONNECTIONS.map((connections) => relayRow(relay, connections))),
  ...STORES.flatMap((store) => TRANSPORTS.flatMap((transport) =>
    [ONE_WALLET, MANY_WALLETS].flatMap((tenants) => CONNECTIONS.map((connections) => gatewayRow(store, transport, tenants, connections))))),
  ...(['SQLite', 'MySQL', 'PostgreSQL'] as const).map((store) => gatewayRow(store, 'undici', ONE_WALLET, ONE_CONNECTION)),
  ...CONNECTIONS.map((connections): RowPlan => ({
    ...gatewayRow('MySQL', 'undici', MANY_WALLETS, connections),
    name: gatewayName('MySQL', 'undici', MANY_WALLETS, FILLED),
    subject: { store: 'MySQL', transport: 'undici', filled: true },
  })),
  { ...gatewayRow('MySQL', 'undici', ONE_WALLET, MANY_CONNECTIONS), name: gatewayName('MySQL', 'undici', ONE_WALLET, ', texts'), operation: 'send-text' },
]

/** The rows of `--quick`. */
export const quickPlan = (): ReadonlyArray<RowPlan> =>
  CONNECTIONS.flatMap((connections) => [relayRow('koa-got', connections), gatewayRow('SQLite', 'got', ONE_WALLET, connections)])

const relayRow = (relay: Relay, connections: number): RowPlan => ({
  name: RELAY_NAMES[relay], subject: { relay }, connections, tenants: ONE_WALLET, operation: 'send-template',
})

const gatewayRow = (store: Store, transport: Transport, tenants: number, connections: number): RowPlan => ({
  name: gatewayName(store, transport, tenants), subject: { store, transport, filled: false }, connections, tenants, operation: 'send-template',
})
