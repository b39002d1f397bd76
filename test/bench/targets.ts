import { join } from 'node:path'
import { startChild, type Child } from './child.js'
import type { Closing } from './closing.js'
import type { Cores } from './cores.js'
import type { BenchDatabase } from './database.js'
import type { MemoryQuestion } from './memory-gateway.js'
import { SECRET, type Tenant } from './tenants.js'

/** Something that takes sends, in a process of its own. */
export type Target = {
  readonly child: Child
  /** Makes it as it was before anything was sent; gives so many of its tenants. */
  readonly reset: (tenants: number) => Promise<ReadonlyArray<Tenant>>
  /** Throws where its books do not agree with so many sends since the last reset. */
  readonly check: (sent: number) => Promise<void>
  /** The same for all sends so far, where `check` only noted them. */
  readonly finalCheck: () => Promise<void>
}

export type Transport = 'got' | 'undici'

/** What every target needs to start. */
export type Ground = { readonly cores: Cores; readonly closing: Closing; readonly platform: string; readonly profile: string | undefined }

const NO_ONE: Tenant = { workspace: 'ws_00000000000000000000000000000000' as Tenant['workspace'], key: 'pst_0000000000000000_000000000000000000000000000000000000000000000000' }

/** A relay with nothing but HTTP; it ignores whose key it is shown. */
export const startRelay = async (ground: Ground, kind: 'koa-got' | 'koa-undici' | 'node-undici'): Promise<Target> => {
  const child = await startMeasured(ground, { program: { file: 'relay.ts' }, args: [kind, ground.platform] })
  return { child, reset: async () => [NO_ONE], check: async () => undefined, finalCheck: async () => undefined }
}

/** The gateway on a database, as an operator runs it. */
export const startGateway = async (ground: Ground, database: BenchDatabase, transport: Transport, name: string): Promise<Target> => {
  const child = await startMeasured(ground, {
    program: 'gateway', env: { ...environment(ground, transport), DATABASE_URL: database.url }, nodeArgs: profiling(ground, name),
  })
  return {
    child,
    reset: async (tenants) => {
      await database.reset()
      return database.tenants.slice(0, tenants)
    },
    check: database.check,
    finalCheck: database.finalCheck,
  }
}

/** The gateway over storage in memory. */
export const startMemoryGateway = async (ground: Ground, transport: Transport, name: string): Promise<Target> => {
  const child = await startMeasured(ground, {
    program: { file: 'memory-gateway.ts' }, env: environment(ground, transport), nodeArgs: profiling(ground, name),
  })
  const ask = (question: MemoryQuestion): Promise<unknown> => child.ask(question)
  return {
    child,
    reset: async (tenants) => (await ask({ reset: tenants })) as ReadonlyArray<Tenant>,
    check: async () => { await ask('check') },
    finalCheck: async () => undefined,
  }
}

/** As `npm start` has it; the relays get the same, so that the runtime is the same for all. */
const NODE_ARGS = ['--max-semi-space-size=64']

const startMeasured = async ({ cores, closing }: Ground, start: Parameters<typeof startChild>[2]): Promise<Child> => {
  const child = await startChild(cores, 'measured', { ...start, nodeArgs: [...NODE_ARGS, ...(start.nodeArgs ?? [])] })
  closing.defer(child.stop)
  return child
}

const environment = ({ platform }: Ground, transport: Transport): Readonly<Record<string, string>> => ({
  PORT: '0', POSTERN_SECRET: SECRET, PLATFORM_URL: platform, PLATFORM_TRANSPORT: transport,
})

const profiling = ({ profile }: Ground, name: string): ReadonlyArray<string> =>
  profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(profile, name)}`]
