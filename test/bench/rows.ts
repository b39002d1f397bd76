import type { Transport } from './targets.js'
import type { Operation } from './tenants.js'

export type Relay = 'koa-got' | 'koa-undici' | 'node-undici'
export type Store = 'memory' | 'SQLite' | 'MySQL' | 'PostgreSQL'

/** The response time of the platform, in milliseconds. */
export type PlatformMs = 0 | typeof SLOW_PLATFORM_MS

/** The program that a row measures. `filled`: with a million stored messages. `platform`: the stub alone, without a relay. */
export type Subject =
  | { readonly alone: 'platform' }
  | { readonly relay: Relay; readonly platformMs: PlatformMs }
  | { readonly store: Store; readonly transport: Transport; readonly filled: boolean; readonly platformMs: PlatformMs }

/** One line of the table. `relay` is the name of the relay with the same client, for comparison with the row. */
export type RowPlan = {
  readonly name: string
  readonly relay?: string
  readonly subject: Subject
  readonly connections: number
  readonly tenants: number
  readonly operation: Operation
  /** Whether each request has its own idempotency key. */
  readonly isKeyed?: boolean
  /** The constant rate of its requests; without it, each connection sends its next request after the answer. */
  readonly pace?: Pace
}

/** `seconds` is the duration of a run, for rates at which the usual duration has too few requests. */
export type Pace = { readonly perSecond: number; readonly seconds: number }

export const ONE_WALLET = 1
export const MANY_WALLETS = 1_000

/** The numbers of connections; the aims are measured with the higher one. */
export const MANY_CONNECTIONS = 256
export const FEW_CONNECTIONS = 32
/** For the latency of a single caller. */
export const ONE_CONNECTION = 1
export const CONNECTIONS = [FEW_CONNECTIONS, MANY_CONNECTIONS]

/** The response time of a distant platform. */
export const SLOW_PLATFORM_MS = 200

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

/** The suffixes of the names of rows with a million stored messages, and on the slow platform. */
export const FILLED = ', a million stored'
export const SLOW = `, platform of ${SLOW_PLATFORM_MS} ms`

/** The suffix of the names of rows in which each request has an idempotency key, as the pages recommend. */
export const KEYED = ', keyed'

/** The name of the row that measures only the platform's stub. */
export const PLATFORM_ALONE = 'platform stub, no relay'

const DATABASES = ['SQLite', 'MySQL', 'PostgreSQL'] as const

/** The loads of most users: from a message now and then to a bit more than one number may send. */
export const PACES: ReadonlyArray<Pace> = [{ perSecond: 1, seconds: 20 }, { perSecond: 10, seconds: 10 }, { perSecond: 100, seconds: 5 }]

/** The suffix of the names of rows at a constant rate. */
export const paced = ({ perSecond }: Pick<Pace, 'perSecond'>): string => `, at ${perSecond}/s`

/** Every row of the full table. */
export const fullPlan = (): ReadonlyArray<RowPlan> => [
  { name: PLATFORM_ALONE, subject: { alone: 'platform' }, connections: ONE_CONNECTION, tenants: ONE_WALLET, operation: 'send-template' },
  ...(['koa-got', 'koa-undici', 'node-undici'] as const).flatMap((relay) => CONNECTIONS.map((connections) => relayRow(relay, connections))),
  ...STORES.flatMap((store) => TRANSPORTS.flatMap((transport) =>
    [ONE_WALLET, MANY_WALLETS].flatMap((tenants) => CONNECTIONS.map((connections) => gatewayRow(store, transport, tenants, connections))))),
  ...TRANSPORTS.flatMap((transport) =>
    [relayRow(`koa-${transport}`, ONE_CONNECTION), ...STORES.map((store) => gatewayRow(store, transport, ONE_WALLET, ONE_CONNECTION))]),
  ...CONNECTIONS.map((connections): RowPlan => ({
    ...gatewayRow('MySQL', 'undici', MANY_WALLETS, connections),
    name: gatewayName('MySQL', 'undici', MANY_WALLETS, FILLED),
    subject: { store: 'MySQL', transport: 'undici', filled: true, platformMs: 0 },
  })),
  {
    ...gatewayRow('MySQL', 'undici', ONE_WALLET, MANY_CONNECTIONS), name: gatewayName('MySQL', 'undici', ONE_WALLET, ', texts'),
    operation: 'send-text',
  },
  ...DATABASES.flatMap((store) => CONNECTIONS.map((connections): RowPlan =>
    ({ ...gatewayRow(store, 'undici', ONE_WALLET, connections), name: gatewayName(store, 'undici', ONE_WALLET, KEYED), isKeyed: true }))),
  relayRow('koa-undici', MANY_CONNECTIONS, SLOW_PLATFORM_MS),
  ...DATABASES.map((store) => gatewayRow(store, 'undici', ONE_WALLET, MANY_CONNECTIONS, SLOW_PLATFORM_MS)),
  ...[relayRow('koa-undici', FEW_CONNECTIONS), ...DATABASES.map((store) => gatewayRow(store, 'undici', ONE_WALLET, FEW_CONNECTIONS))]
    .flatMap((row) => PACES.map((pace) => atPace(row, pace))),
]

/** A row at a constant rate. */
export const atPace = (row: RowPlan, pace: Pace, suffix: string = paced(pace)): RowPlan => ({
  ...row, name: `${row.name}${suffix}`, ...(row.relay !== undefined && { relay: `${row.relay}${suffix}` }), pace,
})

/** The rows of `--quick`. */
export const quickPlan = (): ReadonlyArray<RowPlan> =>
  CONNECTIONS.flatMap((connections) => [relayRow('koa-got', connections), gatewayRow('SQLite', 'got', ONE_WALLET, connections)])

const relayRow = (relay: Relay, connections: number, platformMs: PlatformMs = 0): RowPlan => ({
  name: `${RELAY_NAMES[relay]}${suffixOf(platformMs)}`, subject: { relay, platformMs }, connections, tenants: ONE_WALLET,
  operation: 'send-template',
})

const gatewayRow = (store: Store, transport: Transport, tenants: number, connections: number, platformMs: PlatformMs = 0): RowPlan => ({
  name: gatewayName(store, transport, tenants, suffixOf(platformMs)), relay: `${RELAY_NAMES[`koa-${transport}`]}${suffixOf(platformMs)}`,
  subject: { store, transport, filled: false, platformMs }, connections, tenants, operation: 'send-template',
})

const suffixOf = (platformMs: PlatformMs): string => (platformMs === 0 ? '' : SLOW)
