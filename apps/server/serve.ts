import cluster from 'node:cluster'
import * as E from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import { stopInOrder, type StopStep } from '../../adapters/gateway.js'
import type { RunningJob } from '../../adapters/jobs/job.js'
import { POSTERN } from '../../adapters/inversify/index.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { RateCards } from '../../core/money/rate-card.js'
import type { Postern } from '../../core/postern.js'
import type { Config } from './config.js'
import { consoleOnDemand, loadConsole, type ServedConsole, withConsole } from './console.js'
import {
  CONSOLE_DEPS, EVENT_BROKER, HTTP_APP, JOBS, LOG, makeContainer, METRICS, RECORDER, resolveRoots, RETRIES, STORAGE, TRANSPORT,
} from './container.js'
import { listen, listenForMetrics, type Listening } from './http-server.js'
import { logAtIntervals } from './log-throttle.js'
import { causeOf } from './package.js'
import { SHUTDOWN_MARGIN_MS } from './process.js'
import { openTraces } from './transport.js'

/** A gateway that accepts requests. */
export type Gateway = {
  /** The address it listens at, without a trailing slash. */
  readonly url: string
  /**
   * Its database, for other code in this process; `stop` closes it. A second connection to the same SQLite file blocks the process for some
   * milliseconds whenever it waits for the first one, so use this one.
   */
  readonly storage: KnexStorage
  /** Its use cases. */
  readonly postern: Postern
  /** Accepts no new requests, waits for running requests, writes the remaining settlements, and closes the database. */
  readonly stop: () => Promise<void>
}

/** How long jobs may take after a shutdown was requested, in milliseconds: deliveries record their attempts when their own time is over. */
const STOP_JOBS_MS = 7 * SECOND_MS

/** How long before the process would kill itself a stop has to end, in milliseconds. */
const STOP_RESERVE_MS = SECOND_MS

/** What each step of a stop waits for, for the log. */
const WAITS_FOR: Readonly<Record<StopStep, string>> = {
  stopJobs: 'jobs that read or write the database',
  waitForCalls: 'requests under way',
  closePlatform: 'connections to the platform to close',
  waitForRest: 'requests that were cut off to store their outcome',
  writeSettlements: 'settlements and the request log to be written to the database',
  closeStorage: 'the database to close',
}

/** Starts a gateway. Rejects with a sentence if the database or the port cannot be opened or a binding is missing. */
export const serve = async (config: Config, cards: RateCards, log: Logger): Promise<Gateway> => {
  const container = makeContainer(config, cards, log, config.traces ? await openTraces() : undefined)
  const open: Listening[] = []
  const logRefused = logAtIntervals(container.get(LOG), Date.now, 'warn', 'connections_refused')
  let jobs: ReadonlyArray<RunningJob> = []
  let pages: ServedConsole | undefined
  try {
    resolveRoots(container)
    const { queue } = container.get(POSTERN)
    if (queue !== undefined) container.get(METRICS).showQueue(queue.measureQueue)
    await Promise.all([container.get(TRANSPORT).opened, container.get(EVENT_BROKER)?.opened])
    await prepareDatabase()
    const app = container.get(HTTP_APP)
    const callback = app.callback()
    pages = config.console.isServed ? openConsole() : undefined
    const gateway = await listen(pages === undefined ? callback : withConsole(callback, pages.handle), {
      ...config.http, onConnectionRefused: connectionRefused,
    })
    open.push(gateway)
    // The supervisor of several workers serves METRICS_PORT.
    const metrics = cluster.isPrimary ? await listenForMetrics(config, log, container.get(METRICS)) : undefined
    if (metrics !== undefined) open.push(metrics)
    await checkSecret()
    if (!(await hasWebhook())) log.warn('webhook_not_configured')
    jobs = container.get(JOBS)
    for (const job of jobs) job.start()
    log.info({ url: gateway.url, host: config.http.host, port: gateway.port }, 'listening')
    return { url: gateway.url, storage: container.get(STORAGE), postern: container.get(POSTERN), stop }
  } catch (error) {
    await close()
    throw error
  }

  function openConsole(): ServedConsole {
    const [deps, { members }] = [container.get(CONSOLE_DEPS), container.get(POSTERN)]
    return consoleOnDemand(
      () => loadConsole(config, deps, members), (error) => { log.error({ cause: causeOf(error) }, 'console_failed') },
    )
  }

  function connectionRefused(): void {
    container.get(METRICS).countRefusedConnection()
    logRefused({ advice: 'see which clients hold connections open, or raise MAX_CONNECTIONS' })
  }

  async function prepareDatabase(): Promise<void> {
    const storage = container.get(STORAGE)
    if (config.migrate) {
      const { from, to } = await storage.migrate({
        onWaiting: (seconds) => { log.warn({ lease_seconds: seconds }, 'waiting_for_migration') },
      })
      if (from !== to) log.info({ from, to }, 'migrated')
    }
    // A database that is up to date may be read-only for this user.
    const { ready, reasons } = await storage.readiness()
    if (!ready) log.warn({ reasons, run: 'postern doctor' }, 'database_not_ready')
  }

  /** Whether the environment has a webhook, or a stored app has one. If the database does not respond now, that was reported already. */
  async function hasWebhook(): Promise<boolean> {
    if (config.platform.verifyToken !== undefined && config.platform.appSecret !== undefined) return true
    const apps = await container.get(STORAGE).apps.list()
    return E.isRight(apps) && apps.right.length > 0
  }

  /** Without the secret with which they were stored, no sender can be read and no message sent. Senders of other workspaces may have been stored since. */
  async function checkSecret(): Promise<void> {
    if (config.secret === undefined) return log.warn('secret_not_configured')
    // If the database does not respond now or is not migrated, that was reported already.
    const fault = await container.get(STORAGE).senderFault().catch(() => undefined)
    if (fault !== undefined) log.error({ fault, run: 'postern doctor' }, 'secret_does_not_fit')
  }

  async function stop(): Promise<void> {
    log.info('stopping')
    await close()
    log.info('stopped')
  }

  function close(): Promise<void> {
    return stopInOrder({
      refuseCalls: () => { pages?.close() },
      stopJobs: () => Promise.all(jobs.map((job) => job.stop())),
      waitForCalls: stopServers,
      closePlatform: () => container.unbindAsync(TRANSPORT),
      waitForRest: () => Promise.all([...jobs.map(async (job) => job.idle?.()), ...open.map((server) => server.idle())]),
      writeSettlements: () => Promise.all([container.unbindAsync(RETRIES), container.unbindAsync(RECORDER)]),
      closeStorage: () => container.unbindAllAsync(),
    }, {
      jobsMs: Math.min(STOP_JOBS_MS, config.http.shutdownTimeoutMs + SECOND_MS),
      wholeMs: config.http.shutdownTimeoutMs + SHUTDOWN_MARGIN_MS - STOP_RESERVE_MS,
      onSlow: (step) => { log.info({ for: WAITS_FOR[step] }, 'stop_waits') },
      onLeft: (step) => { log.warn({ for: WAITS_FOR[step] }, 'stop_waits_no_longer') },
    })
  }

  async function stopServers(): Promise<void> {
    const cut = await Promise.all(open.map((server) => server.stop(config.http.shutdownTimeoutMs)))
    const unfinished = cut.reduce((sum, one) => sum + one, 0)
    if (unfinished > 0) log.warn({ unfinished }, 'requests_cut_off')
  }
}
