import { join } from 'node:path'
import { startChild, type Child } from './child.js'
import type { Cleanup } from './cleanup.js'
import type { Cores } from './cores.js'
import type { BenchDatabase } from './database.js'
import type { MemoryRequest } from './memory-gateway.js'
import { SECRET, type Tenant } from './tenants.js'

/** A process that accepts messages: a relay or a gateway. */
export type Target = {
  readonly child: Child
  /** The stub that it sends to. */
  readonly platform: Child
  /** Restores the state before anything was sent; resolves with a number of its workspaces. */
  readonly reset: (tenants: number) => Promise<ReadonlyArray<Tenant>>
  /** Throws if its audit differs from the number of messages since the last reset. */
  readonly check: (sent: number) => Promise<void>
  /** The same for all messages so far, if `check` only added up the numbers. */
  readonly finalCheck: () => Promise<void>
}

export type Transport = 'got' | 'undici'

/** The values that every target needs to start. */
export type TargetContext = {
  readonly cores: Cores
  readonly cleanup: Cleanup
  readonly platform: Child
  readonly profile: string | undefined
  /** The path of another release of Node.js that runs the gateway. */
  readonly node?: string | undefined
}

const UNKNOWN_TENANT: Tenant = { workspace: 'ws_00000000000000000000000000000000' as Tenant['workspace'], key: 'pst_0000000000000000_000000000000000000000000000000000000000000000000' }

/** Only the stub of the platform. */
export const platformAlone = (platform: Child): Target => withoutBooks(platform, platform)

/** A relay with only HTTP; it does not check the key. */
export const startRelay = async (context: TargetContext, kind: 'koa-got' | 'koa-undici' | 'node-undici'): Promise<Target> =>
  withoutBooks(await startMeasured(context, { program: { compiled: 'relay.js' }, args: [kind, context.platform.url] }), context.platform)

const withoutBooks = (child: Child, platform: Child): Target =>
  ({ child, platform, reset: async () => [UNKNOWN_TENANT], check: async () => undefined, finalCheck: async () => undefined })

/** The gateway on a database, as an operator runs it. */
export const startGateway = async (
  context: TargetContext, database: BenchDatabase, transport: Transport, name: string,
): Promise<Target> => {
  const child = await startMeasured(context, {
    node: context.node, program: 'gateway', env: { ...environment(context, transport), DATABASE_URL: database.url },
    nodeArgs: profiling(context, name),
  })
  return {
    child,
    platform: context.platform,
    reset: async (tenants) => {
      await database.reset()
      return database.tenants.slice(0, tenants)
    },
    check: database.check,
    finalCheck: database.finalCheck,
  }
}

/** The gateway over storage in memory. */
export const startMemoryGateway = async (context: TargetContext, transport: Transport, name: string): Promise<Target> => {
  const child = await startMeasured(context, {
    program: { compiled: 'memory-gateway.js' }, env: environment(context, transport), nodeArgs: profiling(context, name),
  })
  const ask = (request: MemoryRequest): Promise<unknown> => child.ask(request)
  return {
    child,
    platform: context.platform,
    reset: async (tenants) => (await ask({ reset: tenants })) as ReadonlyArray<Tenant>,
    check: async () => { await ask('check') },
    finalCheck: async () => undefined,
  }
}

/** The options of `npm start`; the relays use the same ones. */
export const GATEWAY_NODE_ARGS = ['--max-semi-space-size=64']

const startMeasured = async ({ cores, cleanup }: TargetContext, start: Parameters<typeof startChild>[2]): Promise<Child> => {
  const child = await startChild(cores, 'measured', { ...start, nodeArgs: [...GATEWAY_NODE_ARGS, ...(start.nodeArgs ?? [])] })
  cleanup.defer(child.stop)
  return child
}

/** The secrets of the platform's notifications. */
export const WEBHOOK_SECRETS = { appSecret: 'app-secret-of-the-bench', verifyToken: 'verify-token-of-the-bench' }

const environment = ({ platform }: TargetContext, transport: Transport): Readonly<Record<string, string>> => ({
  PORT: '0', POSTERN_SECRET: SECRET, PLATFORM_URL: platform.url, PLATFORM_TRANSPORT: transport, RATE_LIMIT_PER_SECOND: '0',
  // The load has few customers.
  PAIR_LIMIT: 'off', SENDER_LIMIT: 'off', PORTFOLIO_LIMIT: 'off',
  PLATFORM_APP_SECRET: WEBHOOK_SECRETS.appSecret, PLATFORM_VERIFY_TOKEN: WEBHOOK_SECRETS.verifyToken, EVENTS_ALLOW: '127.0.0.0/8',
})

const profiling = ({ profile }: TargetContext, name: string): ReadonlyArray<string> =>
  profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(profile, name)}`]
