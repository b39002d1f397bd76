import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import * as E from 'fp-ts/lib/Either.js'
import { AggregatorRegistry, collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { AdmissionState, RefusalReason } from '../../adapters/admission/admission-control.js'
import type { WorkspaceBalance } from '../../adapters/knex/index.js'
import type { IgnoredItems, Metrics, Observation, WebhookRejection } from '../../adapters/koa/index.js'
import type { DropReason } from '../../adapters/request-log/recorder.js'
import type { AttemptResult } from '../../core/events/delivery.js'
import type { PlatformError } from '../../core/kernel/failure.js'
import type { EventBacklog, EventOutbox } from '../../core/kernel/outbox.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { Forgotten } from '../../core/privacy.js'
import type { Receive } from '../../core/reports/receive.js'
import type { OnLimit, Platform } from '../../core/sending/dispatch.js'
import type { MeasureQueue } from '../../core/sending/show-queue.js'
import type { SyncTemplatesError } from '../../core/templates/sync.js'
import { version } from './package.js'
import { countLimits, showQueue } from './queue-metrics.js'
import { shareForMetrics, shareResult } from './share-result.js'

/** The maximum number of workspaces whose waiting events are shown. */
const MAX_WORKSPACES = 10

/** Counts attempts to deliver events, by their result. */
export const countAttempts = (register: Registry): ((receiver: 'endpoint' | 'broker', result: AttemptResult) => void) => {
  const attempts = new Counter({
    name: 'postern_event_delivery_attempts_total', help: 'Attempts to deliver events.', labelNames: ['receiver', 'result'],
    registers: [register],
  })
  return (receiver, { delivered, httpStatus }) => {
    attempts.inc({ receiver, result: delivered ? 'delivered' : httpStatus === undefined ? 'unanswered' : 'refused' })
  }
}

/**
 * Shows how many events are stored. For the workspaces with the oldest waiting events, it also shows how long the oldest has waited.
 *
 * They are read from the database when the metrics are requested, at most every 15 seconds. If the database fails or is slow, the last values are shown.
 */
export const showEventBacklog = (register: Registry, read: EventOutbox['backlog'], now: () => number = Date.now): void => {
  const latest = shareForMetrics(async (): Promise<EventBacklog> => {
    const known = await read(MAX_WORKSPACES)
    if (E.isLeft(known)) throw known.left.cause
    return known.right
  })
  const shared = { registers: [register], aggregator: 'first' as const }
  const stored: Gauge = new Gauge({
    ...shared, name: 'postern_events_stored', help: 'Events in the database, delivered or not.',
    collect: async () => {
      const known = await latest()
      if (known !== undefined) stored.set(known.stored)
    },
  })
  const oldest: Gauge<'workspace'> = new Gauge({
    ...shared, name: 'postern_event_oldest_undelivered_seconds', help: 'How long the oldest event that is not delivered has waited.',
    labelNames: ['workspace'],
    collect: async () => {
      const known = await latest()
      if (known === undefined) return
      oldest.reset()
      for (const { workspace, at } of known.oldest) oldest.set({ workspace }, Math.max(0, now() - at) / SECOND_MS)
    },
  })
}

/** The maximum number of workspaces that are shown. Each one adds two time series. */
const MAX_BALANCES = 100

const MICROS = 1_000_000

/**
 * Shows `available` and `held` of the wallets with the lowest available balance, in units of their currency.
 *
 * The balances are read from the database when the metrics are requested, at most every 15 seconds. If the database fails or is slow, the
 * last balances are shown.
 */
export const showBalances = (register: Registry, read: (limit: number) => Promise<ReadonlyArray<WorkspaceBalance>>): void => {
  const balances = shareForMetrics(() => read(MAX_BALANCES))
  const show = (name: string, help: string, amount: (balance: WorkspaceBalance) => bigint): void => {
    const gauge: Gauge<'workspace' | 'currency'> = new Gauge({
      name, help, labelNames: ['workspace', 'currency'], registers: [register], aggregator: 'first',
      collect: async () => {
        const latest = await balances()
        if (latest === undefined) return
        gauge.reset()
        for (const balance of latest) {
          gauge.set({ workspace: balance.workspace, currency: balance.currency }, Number(amount(balance)) / MICROS)
        }
      },
    })
  }
  show('postern_wallet_available', 'What the wallets with the least to spend can spend.', ({ available }) => available)
  show('postern_wallet_held', 'The money on hold in the same wallets.', ({ held }) => held)
}

/** How long the supervisor waits for a worker's metrics, in milliseconds. A worker waits twice as long for the supervisor. */
const TIMEOUT_MS = 4 * SECOND_MS

type Values = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The supervisor sends `collect` to each worker; a worker sends `report` to the supervisor. */
type Message =
  | { readonly type: 'metrics:collect' | 'metrics:report'; readonly id: number }
  | { readonly type: 'metrics:collected'; readonly id: number; readonly values: Values }
  | { readonly type: 'metrics:reported'; readonly id: number; readonly body: string }

/** In the supervisor: adds up the metrics of all workers, for itself and for each worker that asks. Rejects if a worker does not reply before the deadline. */
export const clusterMetrics = (): { readonly text: () => Promise<Metrics> } => {
  const calls = makeCalls<Values>()
  // A worker that is still starting does not receive messages and has counted nothing.
  const listening = new Set<Worker>()
  cluster.on('listening', (worker) => listening.add(worker))
  cluster.on('exit', (worker) => listening.delete(worker))

  const valuesOf = async (worker: Worker): Promise<Values> => {
    const finished = new AbortController()
    const exited = once(worker, 'exit', { signal: finished.signal }).then((): Values => [])
    const replied = calls.call((id) => { sendTo(worker, { type: 'metrics:collect', id }) }, TIMEOUT_MS)
    return Promise.race([replied, exited]).finally(() => { finished.abort() })
  }
  const text = shareResult(0, async (): Promise<Metrics> => {
    const values = await Promise.all(Array.from(listening, valuesOf))
    return metricsOf(await AggregatorRegistry.aggregate(values).metrics())
  })
  cluster.on('message', (worker, message: Message) => {
    if (message.type === 'metrics:collected') calls.reply(message.id, message.values)
    if (message.type === 'metrics:report') {
      // Without a reply the worker's own deadline ends the request.
      text().then(({ body }) => { sendTo(worker, { type: 'metrics:reported', id: message.id, body }) }, () => undefined)
    }
  })
  return { text }
}

/** In a worker: sends its own metrics to the supervisor on request, and asks the supervisor for the metrics of all workers. */
export const metricsOfAllWorkers = (own: Registry): (() => Promise<Metrics>) => {
  const calls = makeCalls<string>()
  process.on('message', (message: Message) => {
    if (message.type === 'metrics:reported') calls.reply(message.id, message.body)
    if (message.type === 'metrics:collect') {
      void own.getMetricsAsJSON().then((values) => { sendToSupervisor({ type: 'metrics:collected', id: message.id, values }) })
    }
  })
  return async () => metricsOf(await calls.call((id) => { sendToSupervisor({ type: 'metrics:report', id }) }, 2 * TIMEOUT_MS))
}

/** Calls to another process by message: each call has an id, and its reply has the same id. */
const makeCalls = <Reply>() => {
  const waiting = new Map<number, (reply: Reply) => void>()
  let lastId = 0
  return {
    reply: (id: number, reply: Reply): void => waiting.get(id)?.(reply),
    call: (send: (id: number) => void, timeoutMs: number): Promise<Reply> => {
      const id = (lastId += 1)
      return new Promise<Reply>((resolve, reject) => {
        const timer = setTimeout(() => { reject(new Error('A process did not report its metrics in time.')) }, timeoutMs)
        waiting.set(id, (reply) => {
          clearTimeout(timer)
          resolve(reply)
        })
        send(id)
      }).finally(() => waiting.delete(id))
    },
  }
}

const metricsOf = (body: string): Metrics => ({ contentType: Registry.PROMETHEUS_CONTENT_TYPE, body })

const sendTo = (worker: Worker, message: Message): void => {
  if (worker.isConnected()) worker.send(message, () => undefined)
}

const sendToSupervisor = (message: Message): void => {
  if (process.connected) process.send?.(message)
}

/** The gateway's metrics, for Prometheus. */
export type GatewayMetrics = {
  /** Counts one answered request and records its duration. */
  readonly countRequest: (observation: Observation) => void
  /** The same platform; its responses are counted and timed. */
  readonly measuredPlatform: (platform: Platform) => Platform
  /** The same use case; the outcome of each report is counted. */
  readonly countedReceive: (receive: Receive) => Receive
  /** Counts a notification that was refused. */
  readonly countWebhookRejection: (reason: WebhookRejection) => void
  /** Counts items of a notification that are not used; field and reason must come from fixed lists. */
  readonly countIgnoredItems: (items: IgnoredItems) => void
  /** Counts one reading of a list of templates. */
  readonly countTemplateSync: (outcome: E.Either<SyncTemplatesError, unknown>) => void
  /** Counts a connection that was closed because too many were open. */
  readonly countRefusedConnection: () => void
  /** Counts one send that was refused admission. */
  readonly countRefusedSend: (why: RefusalReason) => void
  /** Shows how many sends are running and how many are waiting. */
  readonly showAdmission: (state: () => AdmissionState) => void
  /** Shows how many settlements wait for a retry. */
  readonly showPending: (pending: () => number) => void
  /** Shows the balances of the wallets with the lowest available balance. */
  readonly showBalances: (read: (limit: number) => Promise<ReadonlyArray<WorkspaceBalance>>) => void
  /** Counts one attempt to deliver an event. */
  readonly countDeliveryAttempt: (receiver: 'endpoint' | 'broker', result: AttemptResult) => void
  /** Counts API requests that the request log does not keep. */
  readonly countLeftOut: (why: DropReason, count: number) => void
  /** Counts the data that retention has deleted. */
  readonly countForgotten: (forgotten: Forgotten) => void
  /** Shows how many events are stored, and how long the oldest have waited. */
  readonly showEventBacklog: (read: EventOutbox['backlog']) => void
  /** Shows what is queued, and the rates of its senders. */
  readonly showQueue: (measure: MeasureQueue) => void
  /** Counts the slots of senders, and what limits refuse. */
  readonly countLimit: OnLimit
  /** All metrics in Prometheus' text format. */
  readonly text: () => Promise<Metrics>
}

/** Seconds: from a few milliseconds, with a database nearby, to the default `PLATFORM_TIMEOUT_MS`. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const OUTCOMES: Readonly<Record<(PlatformError | SyncTemplatesError)['_tag'], string>> = {
  PlatformRejected: 'rejected',
  PlatformThrottled: 'throttled',
  CredentialsRefused: 'credentials_refused',
  PlatformUnreachable: 'unreachable',
  OutcomeUnknown: 'unknown',
  SyncStopped: 'stopped',
  PortFailure: 'storage_failed',
  SenderNotConfigured: 'no_sender',
  UnknownSender: 'no_sender',
  BusinessAccountNotConfigured: 'no_sender',
}

/** Makes metrics with their own registry. A worker's text adds up the registries of all workers. */
export const makeMetrics = (): GatewayMetrics => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const registers = [register]
  new Gauge({
    name: 'postern_build_info', help: 'Which version runs; the value is always 1.', labelNames: ['version'], registers, aggregator: 'first',
  })
    .set({ version: version() }, 1)
  const requests = new Counter({
    name: 'postern_requests_total', help: 'Answered requests.', labelNames: ['method', 'route', 'status'], registers,
  })
  const failures = new Counter({
    name: 'postern_request_failures_total', help: 'Requests that were refused or failed, by the code of the reply.',
    labelNames: ['route', 'code'], registers,
  })
  const requestSeconds = new Histogram({
    name: 'postern_request_duration_seconds', help: 'Time to answer a request.', labelNames: ['route'], buckets: BUCKETS, registers,
  })
  const sends = new Counter({
    name: 'postern_platform_sends_total', help: "The platform's answers to sends.", labelNames: ['outcome'], registers,
  })
  const sendSeconds = new Histogram({
    name: 'postern_platform_send_duration_seconds', help: 'Time the platform took to answer a send.', buckets: BUCKETS, registers,
  })
  const refused = new Counter({
    name: 'postern_platform_refused_total', help: 'Sends refused before they started.', labelNames: ['reason'], registers,
  })
  const reports = new Counter({
    name: 'postern_reports_total', help: 'Reports of the platform, by outcome.', labelNames: ['receipt'], registers,
  })
  const rejections = new Counter({
    name: 'postern_webhook_rejected_total', help: 'Notifications of the platform that were refused.', labelNames: ['reason'], registers,
  })
  const itemsIgnored = new Counter({
    name: 'postern_notifications_ignored_total', help: 'Items of notifications that are not used.', labelNames: ['field', 'reason'],
    registers,
  })
  const templateSyncs = new Counter({
    name: 'postern_template_syncs_total', help: "Readings of the platform's lists of templates.", labelNames: ['outcome'], registers,
  })
  const forgotten = new Counter({
    name: 'postern_forgotten_total', help: 'Records whose person was forgotten, or that were deleted, because of their age.',
    labelNames: ['kind'], registers,
  })
  const leftOut = new Counter({
    name: 'postern_request_log_left_out_total', help: 'Calls of the API that the request log does not keep.', labelNames: ['reason'],
    registers,
  })
  const connectionsRefused = new Counter({
    name: 'postern_connections_refused_total', help: 'Connections closed at once because MAX_CONNECTIONS were open.', registers,
  })

  return {
    countRequest: ({ method, route, status, code, durationMs }) => {
      if (code !== undefined) failures.inc({ route, code })
      requests.inc({ method, route, status })
      requestSeconds.observe({ route }, durationMs / 1_000)
    },
    measuredPlatform: (platform) => ({
      send: async (outbound) => {
        const begun = performance.now()
        const answer = await platform.send(outbound)
        sendSeconds.observe((performance.now() - begun) / 1_000)
        sends.inc({ outcome: E.isRight(answer) ? 'accepted' : OUTCOMES[answer.left._tag] })
        return answer
      },
    }),
    countedReceive: (receive) => async (batch) => {
      const receipts = await receive(batch)
      if (E.isRight(receipts)) for (const receipt of receipts.right) reports.inc({ receipt })
      else reports.inc({ receipt: 'not_durable' })
      return receipts
    },
    countWebhookRejection: (reason) => rejections.inc({ reason }),
    countIgnoredItems: ({ field, reason, count }) => { itemsIgnored.inc({ field, reason }, count) },
    countTemplateSync: (outcome) => { templateSyncs.inc({ outcome: E.isRight(outcome) ? 'listed' : OUTCOMES[outcome.left._tag] }) },
    countLeftOut: (reason, count) => { leftOut.inc({ reason }, count) },
    countForgotten: (counts) => { for (const [kind, count] of Object.entries(counts)) forgotten.inc({ kind }, count) },
    countRefusedConnection: () => { connectionsRefused.inc() },
    countRefusedSend: (reason) => { refused.inc({ reason }) },
    showAdmission: (state) => {
      const gauge = (name: string, help: string, value: (state: AdmissionState) => number): void => {
        const shown: Gauge = new Gauge({ name, help, registers, collect: () => { shown.set(value(state())) } })
      }
      gauge('postern_platform_in_flight', 'Sends under way.', ({ inFlight }) => inFlight)
      gauge('postern_platform_queued', 'Sends waiting to start.', ({ waiting }) => waiting)
      gauge('postern_platform_in_flight_limit', 'Sends that may be under way at once, by how fast the platform answers.', ({ limit }) =>
        limit)
    },
    showPending: (pending) => {
      const gauge: Gauge = new Gauge({
        name: 'postern_settlements_pending', help: 'Settlements waiting to be tried again.', registers,
        collect: () => { gauge.set(pending()) },
      })
    },
    showBalances: (read) => { showBalances(register, read) },
    countDeliveryAttempt: countAttempts(register),
    showEventBacklog: (read) => { showEventBacklog(register, read) },
    showQueue: (measure) => { showQueue(register, measure) },
    countLimit: countLimits(register),
    // Concurrent requests get the same text.
    text: shareResult(
      0,
      cluster.isWorker
        ? metricsOfAllWorkers(register)
        : async () => ({ contentType: register.contentType, body: await register.metrics() }),
    ),
  }
}
