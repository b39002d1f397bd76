import type { Transport } from './targets.js'
import type { Operation } from './tenants.js'

export type Relay = 'koa-got' | 'koa-undici' | 'node-undici'
export type Store = 'memory' | 'SQLite' | 'MySQL' | 'PostgreSQL'

/** What takes the sends of a row. `filled`: with a million messages stored before. */
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

export const ONE = 1
export const MANY = 1_000

/** Where the aims are measured, and what is shown beside it. */
export const BUSY = 256
export const CALM = 32
export const CONNECTIONS = [CALM, BUSY]

const TRANSPORTS: ReadonlyArray<Transport> = ['got', 'undici']
const STORES: ReadonlyArray<Store> = ['memory', 'SQLite', 'MySQL', 'PostgreSQL']

export const RELAY_NAMES: Readonly<Record<Relay, string>> = {
  'koa-got': 'Koa relay, got',
  'koa-undici': 'Koa relay, undici',
  'node-undici': 'node:http relay, undici',
}

/** The name of a row of Postern's. */
export const gatewayName = (store: Store, transport: Transport, tenants: number, more = ''): string =>
  `Postern, ${store}, ${transport}, ${tenants === ONE ? '1 wallet' : '1,000 wallets'}${more}`

/** What is added to the name of a row with a million messages stored. */
export const FILLED = ', a million stored'

/** Every row of the full table. */
export const fullPlan = (): ReadonlyArray<RowPlan> => [
  ...(['koa-got', 'koa-undici', 'node-undici'] as const).flatMap((relay) => CONNECTIONS.map((connections) => relayRow(relay, connections))),
  ...STORES.flatMap((store) => TRANSPORTS.flatMap((transport) =>
    [ONE, MANY].flatMap((tenants) => CONNECTIONS.map((connections) => gatewayRow(store, transport, tenants, connections))))),
  ...CONNECTIONS.map((connections): RowPlan => ({
    ...gatewayRow('MySQL', 'undici', MANY, connections),
    name: gatewayName('MySQL', 'undici', MANY, FILLED),
    subject: { store: 'MySQL', transport: 'undici', filled: true },
  })),
  { ...gatewayRow('MySQL', 'undici', ONE, BUSY), name: gatewayName('MySQL', 'undici', ONE, ', texts'), operation: 'send-text' },
]

/** The rows of a first impression. */
export const quickPlan = (): ReadonlyArray<RowPlan> =>
  CONNECTIONS.flatMap((connections) => [relayRow('koa-got', connections), gatewayRow('SQLite', 'got', ONE, connections)])

const relayRow = (relay: Relay, connections: number): RowPlan => ({
  name: RELAY_NAMES[relay], subject: { relay }, connections, tenants: ONE, operation: 'send-template',
})

const gatewayRow = (store: Store, transport: Transport, tenants: number, connections: number): RowPlan => ({
  name: gatewayName(store, transport, tenants), subject: { store, transport, filled: false }, connections, tenants, operation: 'send-template',
})
