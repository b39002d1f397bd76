import { setTimeout as delay } from 'node:timers/promises'
import { customerOf, nameOf, send } from '../attack/sends.js'
import { megabytes } from '../support/process-usage.js'
import { startChild, type Child } from './child.js'
import type { Cores } from './cores.js'
import type { BenchDatabase } from './database.js'
import { GATEWAY_NODE_ARGS } from './targets.js'
import { SECRET } from './tenants.js'

/** One start of the gateway. */
export type StartFigures = {
  /** From the start of the process to the response to its first send, in milliseconds. */
  readonly start_ms: number
  /** Its memory some seconds later, in megabytes. */
  readonly rest_rss_mb: number | null
}

const REST_MS = 5_000

/** Starts the gateway on a migrated database, on all cores of the machine as an operator would, sends a message and lets it rest. */
export const measureStart = async (cores: Cores, database: BenchDatabase, platform: Child): Promise<StartFigures> => {
  // A process inherits the cores of its parent.
  await cores.pin(process.pid, 'all')
  const begun = performance.now()
  const gateway = await startChild(cores, 'all', {
    program: 'gateway', nodeArgs: GATEWAY_NODE_ARGS,
    env: { PORT: '0', DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: platform.url, PLATFORM_TRANSPORT: 'undici' },
  })
  try {
    const first = nameOf(await send(gateway.url, database.tenants[0]?.key ?? '', customerOf(0)))
    const startMs = Math.round(performance.now() - begun)
    await cores.pin(process.pid, 'rest')
    if (first !== '200') throw new Error(`the first send ended with ${first}`)
    await delay(REST_MS)
    return { start_ms: startMs, rest_rss_mb: megabytes(await gateway.memoryMib()) }
  } finally {
    await gateway.stop()
  }
}
