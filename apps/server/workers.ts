import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { openStorage } from '../../adapters/knex/index.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { Config } from './config.js'
import { listenForMetrics } from './http-server.js'
import { clusterMetrics } from './metrics.js'
import { requested, SHUTDOWN_MARGIN_MS, STOP, WorkerFailed } from './process.js'

const RESTART_PAUSE_MS = SECOND_MS
const RESEND_MS = 250

/**
 * Runs `WORKERS` processes that serve one port and replaces each process that ends, until a shutdown is requested and all have ended.
 *
 * Node.js gives each new connection to one of them. The supervisor migrates the database once, before it starts workers. Rejects
 * with `WorkerFailed` if the first worker cannot start.
 */
export const runWorkers = async (config: Config, log: Logger, shutdown: AbortSignal): Promise<void> => {
  const running = new Set<Worker>()
  let started = false

  const start = (): Worker => {
    const worker = cluster.fork({ MIGRATE: 'off' })
    running.add(worker)
    closeUntaken(worker)
    let listens = false
    worker.once('listening', () => { listens = true })
    worker.once('exit', (code, signal) => {
      running.delete(worker)
      if (shutdown.aborted || !started) return
      log.error({ worker: worker.process.pid, code, signal }, 'worker_died')
      // The pause keeps a worker that cannot start from being replaced in a busy loop.
      void delay(listens ? 0 : RESTART_PAUSE_MS).then(() => { if (!shutdown.aborted) start() })
    })
    return worker
  }

  if (config.migrate) await migrate(config, log)
  // Before the first worker starts: the supervisor ends if its port is in use, and a worker that starts meanwhile would end with a stack trace.
  const metricsServer = await listenForMetrics(config, log, clusterMetrics())
  const first = start()
  await Promise.race([once(first, 'listening'), once(first, 'exit'), requested(shutdown)])
  if (first.isDead() && !shutdown.aborted) throw new WorkerFailed()
  started = true
  for (let n = 1; n < config.workers && !shutdown.aborted; n += 1) start()
  await requested(shutdown)
  await stopAll(running, Date.now() + config.http.shutdownTimeoutMs + SHUTDOWN_MARGIN_MS + SECOND_MS)
  await metricsServer?.stop(0)
}

/** Ends every worker by SIGKILL. */
export const killWorkers = (): void => {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
}

/** Repeats the request, since a worker that is still starting does not receive it. Rejects if the deadline passes and workers are killed. */
const stopAll = async (running: ReadonlySet<Worker>, deadline: number): Promise<void> => {
  while (running.size > 0) {
    if (Date.now() > deadline) {
      killWorkers()
      throw new Error('A worker did not stop within SHUTDOWN_TIMEOUT_MS and was killed.')
    }
    for (const worker of running) if (worker.isConnected()) worker.send(STOP, () => undefined)
    await Promise.race([once(cluster, 'exit'), delay(RESEND_MS)])
  }
}

const migrate = async ({ databaseUrl: url, secret }: Config, log: Logger): Promise<void> => {
  const storage = openStorage({ url, secret })
  try {
    const { from, to } = await storage.migrate()
    if (from !== to) log.info({ from, to }, 'migrated')
  } finally {
    await storage.close()
  }
}

/** What the supervisor hands to a worker: a socket without the classes of `net`. */
type Handle = { readonly close: () => void }

/**
 * Closes the connection that was passed to a worker but not accepted before the worker ended, so that its client learns that there will be no response.
 *
 * Node.js passes a connection to a worker and closes its own copy when the worker confirms it. If the worker is killed before, it confirms nothing,
 * and the copy would stay open as long as the supervisor runs. A worker has at most one such connection:
 * the next one is passed after the last one was accepted. Closing a closed copy does nothing.
 */
export const closeUntaken = (worker: Worker): void => {
  const { process: child } = worker
  const send = child.send.bind(child) as (...args: ReadonlyArray<unknown>) => boolean
  let given: Handle | undefined
  child.send = (...args: ReadonlyArray<unknown>): boolean => {
    const [, handle] = args
    if (isHandle(handle)) given = handle
    return send(...args)
  }
  worker.once('exit', () => given?.close())
}

const isHandle = (value: unknown): value is Handle =>
  typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function'
