import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AggregatorRegistry } from 'prom-client'
import { openStorage } from '../../adapters/knex/index.js'
import type { Config } from './config.js'
import { listen } from './http-server.js'
import { metricsHandle } from './metrics-server.js'

/** What the supervisor tells a worker. A signal would not do: terminals and service managers send theirs to every process by themselves. */
export const STOP = 'stop'

/** Several processes that serve one port. */
export type Workers = {
  /** Tells every worker to stop with care, and waits for them. */
  readonly stop: () => Promise<void>
  /** Ends every worker at once. */
  readonly kill: () => void
}

const PAUSE_MS = 1_000

/**
 * Starts the workers and starts another for each one that dies. Rejects where the first one cannot start; it has said why.
 *
 * Node hands each new connection to one of them. The database is brought up to date here, once.
 */
export const startWorkers = async (config: Config, log: Logger): Promise<Workers> => {
  let stopping = false
  const fork = (): Worker => {
    const worker = cluster.fork({ MIGRATE: 'off' })
    let listens = false
    worker.once('listening', () => { listens = true })
    worker.once('exit', (code, signal) => {
      if (stopping || !started) return
      log.error({ worker: worker.process.pid, code, signal }, 'worker_died')
      // One that cannot even start would otherwise be started as fast as the machine allows.
      void delay(listens ? 0 : PAUSE_MS).then(() => { if (!stopping) fork() })
    })
    return worker
  }

  let started = false
  if (config.migrate) await migrate(config, log)
  const first = fork()
  await Promise.race([once(first, 'listening'), once(first, 'exit').then(() => Promise.reject(new Error('The gateway could not start.')))])
  started = true
  for (let n = 1; n < config.workers; n += 1) fork()
  const { host, metricsPort } = config.http
  const metrics = metricsPort === undefined ? undefined : await listen(metricsHandle(ofAllWorkers()), { host, port: metricsPort })
  if (metrics !== undefined) log.info({ url: `${metrics.url}/metrics` }, 'metrics_listening')

  return {
    stop: async () => {
      stopping = true
      const workers = living()
      const ended = workers.map((worker) => once(worker, 'exit'))
      for (const worker of workers) worker.send(STOP)
      await Promise.all(ended)
      await metrics?.stop(0)
    },
    kill: () => {
      for (const worker of living()) worker.process.kill('SIGKILL')
    },
  }
}

const living = (): ReadonlyArray<Worker> =>
  Object.values(cluster.workers ?? {}).flatMap((worker) => (worker?.isConnected() === true && !worker.isDead() ? [worker] : []))

const migrate = async ({ databaseUrl: url, secret }: Config, log: Logger): Promise<void> => {
  const storage = openStorage({ url, secret })
  try {
    const { from, to } = await storage.migrate()
    if (from !== to) log.info({ from, to }, 'migrated')
  } finally {
    await storage.close()
  }
}

/** The workers' metrics, added up. */
const ofAllWorkers = (): Parameters<typeof metricsHandle>[0] => {
  const registry = new AggregatorRegistry()
  return { text: async () => ({ contentType: registry.contentType, body: await registry.clusterMetrics() }) }
}
