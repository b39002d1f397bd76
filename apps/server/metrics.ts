import cluster from 'node:cluster'
import * as E from 'fp-ts/lib/Either.js'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { AdmissionState, RefusedWhy } from '../../adapters/admission/index.js'
import type { WorkspaceBalance } from '../../adapters/knex/index.js'
import type { IgnoredItems, Metrics, Observation, WebhookRejection } from '../../adapters/koa/index.js'
import type { AttemptResult } from '../../core/events/delivery.js'
import type { PlatformError } from '../../core/kernel/failure.js'
import type { EventOutbox } from '../../core/kernel/outbox.js'
import type { Forgotten } from '../../core/privacy.js'
import type { Receive } from '../../core/reports/receive.js'
import type { Platform } from '../../core/sending/transmit.js'
import type { SyncTemplatesError } from '../../core/templates/sync.js'
import { showBalances } from './balance-metrics.js'
import { metricsOfAllWorkers } from './cluster-metrics.js'
import { countAttempts, showEventBacklog } from './event-metrics.js'
import { shareResult } from './share-result.js'
import { version } from './version.js'

/** The gateway's metrics, for Prometheus. */
export type GatewayMetrics = {
  /** Counts one answered request and records how long it took. */
  readonly countRequest: (observation: Observation) => void
  /** The same platform; its answers are counted and timed. */
  readonly measuredPlatform: (platform: Platform) => Platform
  /** The same use case; the outcome of each report is counted. */
  readonly countedReceive: (receive: Receive) => Receive
  /** Counts a notification that was refused. */
  readonly countWebhookRejection: (reason: WebhookRejection) => void
  /** Counts items of a notification that are not used; field and reason must be of fixed lists. */
  readonly countIgnoredItems: (items: IgnoredItems) => void
  /** Counts one reading of a list of templates. */
  readonly countTemplateSync: (outcome: E.Either<SyncTemplatesError, unknown>) => void
  /** Counts a connection that was closed because too many were open. */
  readonly countRefusedConnection: () => void
  /** Counts one send that was not admitted. */
  readonly countRefusedSend: (why: RefusedWhy) => void
  /** Shows how many sends are under way and waiting. */
  readonly showAdmission: (state: () => AdmissionState) => void
  /** Shows how many settlements wait to be tried again. */
  readonly showPending: (pending: () => number) => void
  /** Shows the balances of the wallets with the least to spend. */
  readonly showBalances: (read: (limit: number) => Promise<ReadonlyArray<WorkspaceBalance>>) => void
  /** Counts one attempt to deliver an event. */
  readonly countDeliveryAttempt: (receiver: 'endpoint' | 'broker', result: AttemptResult) => void
  /** Counts what retention has forgotten. */
  readonly countForgotten: (forgotten: Forgotten) => void
  /** Shows how many events are stored, and how long the oldest have waited. */
  readonly showEventBacklog: (read: EventOutbox['backlog']) => void
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
  BusinessAccountNotConfigured: 'no_sender',
}

/** Makes metrics with their own registry. A worker's text adds up the registries of all workers. */
export const makeMetrics = (): GatewayMetrics => {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const registers = [register]
  new Gauge({ name: 'postern_build_info', help: 'Which version runs; the value is always 1.', labelNames: ['version'], registers, aggregator: 'first' })
    .set({ version: version() }, 1)
  const requests = new Counter({
    name: 'postern_requests_total', help: 'Answered requests.', labelNames: ['method', 'route', 'status'], registers,
  })
  const failures = new Counter({
    name: 'postern_request_failures_total', help: 'Requests that were refused or failed, by the code of the reply.', labelNames: ['route', 'code'], registers,
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
    name: 'postern_reports_total', help: 'What came of the reports of the platform.', labelNames: ['receipt'], registers,
  })
  const rejections = new Counter({
    name: 'postern_webhook_rejected_total', help: 'Notifications of the platform that were refused.', labelNames: ['reason'], registers,
  })
  const itemsIgnored = new Counter({
    name: 'postern_notifications_ignored_total', help: 'Items of notifications that are not used.', labelNames: ['field', 'reason'], registers,
  })
  const templateSyncs = new Counter({
    name: 'postern_template_syncs_total', help: "Readings of the platform's lists of templates.", labelNames: ['outcome'], registers,
  })
  const forgotten = new Counter({
    name: 'postern_forgotten_total', help: 'Records whose person was forgotten, or that were deleted, because of their age.', labelNames: ['kind'], registers,
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
      send: (outbound) => async () => {
        const begun = performance.now()
        const answer = await platform.send(outbound)()
        sendSeconds.observe((performance.now() - begun) / 1_000)
        sends.inc({ outcome: E.isRight(answer) ? 'accepted' : OUTCOMES[answer.left._tag] })
        return answer
      },
    }),
    countedReceive: (receive) => (batch) => async () => {
      const receipts = await receive(batch)()
      if (E.isRight(receipts)) for (const receipt of receipts.right) reports.inc({ receipt })
      else reports.inc({ receipt: 'not_durable' })
      return receipts
    },
    countWebhookRejection: (reason) => rejections.inc({ reason }),
    countIgnoredItems: ({ field, reason, count }) => { itemsIgnored.inc({ field, reason }, count) },
    countTemplateSync: (outcome) => { templateSyncs.inc({ outcome: E.isRight(outcome) ? 'listed' : OUTCOMES[outcome.left._tag] }) },
    countForgotten: (counts) => { for (const [kind, count] of Object.entries(counts)) forgotten.inc({ kind }, count) },
    countRefusedConnection: () => { connectionsRefused.inc() },
    countRefusedSend: (reason) => { refused.inc({ reason }) },
    showAdmission: (state) => {
      const gauge = (name: string, help: string, value: (state: AdmissionState) => number): void => {
        const shown: Gauge = new Gauge({ name, help, registers, collect: () => { shown.set(value(state())) } })
      }
      gauge('postern_platform_in_flight', 'Sends under way.', ({ inFlight }) => inFlight)
      gauge('postern_platform_queued', 'Sends waiting to start.', ({ waiting }) => waiting)
      gauge('postern_platform_in_flight_limit', 'Sends that may be under way at once, by how fast the platform answers.', ({ limit }) => limit)
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
    // All who ask at the same time get the same text.
    text: shareResult(0, cluster.isWorker ? metricsOfAllWorkers(register) : async () => ({ contentType: register.contentType, body: await register.metrics() })),
  }
}
