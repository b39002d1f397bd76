import type { Logger } from 'pino'
import type { RateCard } from '../../core/rate-card.js'
import { RECONCILE } from '../../adapters/inversify/index.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Config } from './config.js'
import { HTTP_APP, LOG, makeContainer, METRICS, resolveRoots, RETRIES, STORAGE, TRANSPORT } from './container.js'
import { listen, type Listening } from './http-server.js'
import { metricsHandle } from './metrics-server.js'
import { startReconcileJob, type ReconcileJob } from './reconcile-job.js'

/** A gateway that takes requests. */
export type Gateway = {
  /** The address it is reached at. */
  readonly url: string
  /**
   * Its database, for whatever else runs in this process; it is closed with the gateway. A second connection to a SQLite
   * file would block the process while it waits for the first, which then cannot finish.
   */
  readonly storage: KnexStorage
  /** Takes no new work, lets what is under way finish, writes what is still owed, then closes the database. */
  readonly stop: () => Promise<void>
}

/** Starts a gateway. Rejects with a sentence where the database, the port or a binding is not there. */
export const serve = async (config: Config, card: RateCard, log: Logger): Promise<Gateway> => {
  const container = makeContainer(config, card, log)
  const open: Listening[] = []
  let job: ReconcileJob | undefined
  try {
    resolveRoots(container)
    await container.get(TRANSPORT).opened
    await prepareDatabase()
    const app = container.get(HTTP_APP)
    const gateway = await listen(app.callback(), config.http)
    open.push(gateway)
    const { host, metricsPort } = config.http
    // Several workers' metrics are added up and shown by who started them.
    if (metricsPort !== undefined && config.workers === 1) {
      const metrics = await listen(metricsHandle(container.get(METRICS)), { host, port: metricsPort })
      open.push(metrics)
      log.info({ url: `${metrics.url}/metrics` }, 'metrics_listening')
    }
    if (config.platform.verifyToken === undefined || config.platform.appSecret === undefined) log.warn('webhook_not_configured')
    job = startReconcileJob({
      reconcile: container.get(RECONCILE), lease: container.get(STORAGE).lease, log: container.get(LOG), everyMs: config.reconcileEveryMs,
    })
    log.info({ url: gateway.url, host, port: gateway.port }, 'listening')
    return { url: gateway.url, storage: container.get(STORAGE), stop }
  } catch (error) {
    await stop()
    throw error
  }

  async function prepareDatabase(): Promise<void> {
    const storage = container.get(STORAGE)
    if (config.migrate) {
      const { from, to } = await storage.migrate()
      if (from !== to) log.info({ from, to }, 'migrated')
      return
    }
    const { ready, reasons } = await storage.readiness()
    if (!ready) log.warn({ reasons }, 'database_not_ready')
  }

  /** In this order: what was cut off settles once its call to the platform is ended, and is written before the database closes. */
  async function stop(): Promise<void> {
    log.info('stopping')
    const cut = await Promise.all(open.map((server) => server.stop(config.http.shutdownTimeoutMs)))
    const unfinished = cut.reduce((sum, one) => sum + one, 0)
    if (unfinished > 0) log.warn({ unfinished }, 'requests_cut_off')
    await job?.stop()
    await container.unbindAsync(TRANSPORT)
    await Promise.all(open.map((server) => server.idle()))
    await container.unbindAsync(RETRIES)
    await container.unbindAllAsync()
    log.info('stopped')
  }
}
