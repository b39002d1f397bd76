import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { makeEventDelivery } from '../../adapters/event-delivery/event-delivery.js'
import type { RunningJob } from '../../adapters/jobs/job.js'
import type { TemplateSyncReport, TemplateSyncPorts } from '../../adapters/jobs/template-sync.js'
import { makeUpkeep, type Upkeep, type UpkeepDeps, type UpkeepReports, type UpkeepSettings } from '../../adapters/jobs/upkeep.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import type { WebhookSender } from '../../adapters/webhooks/webhook-sender.js'
import type { AlertCarrier, AlertCarriers } from '../../core/alerts/use-cases.js'
import type { AttemptResult, EventSink } from '../../core/events/delivery.js'
import type { SinkAddress } from '../../core/events/endpoint-use-cases.js'
import { eventIdOf } from '../../core/kernel/ids.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { TracingDeps } from '../../core/kernel/tracing.js'
import type { Postern } from '../../core/postern.js'
import { catalogueFault } from '../../core/templates/catalogue.js'
import { causeOf, version } from './package.js'
import { logAtIntervals } from './log-throttle.js'

/** The dependencies of a gateway's periodic jobs. */
export type GatewayUpkeepDeps = {
  readonly postern: Pick<Postern, 'alerts' | 'batches' | 'numbers' | 'upkeep'> & {
    readonly sending: Pick<Postern['sending'], 'draining'>
    readonly templates: Pick<Postern['templates'], 'syncTemplates'>
  }
  readonly storage: Pick<
    UpkeepDeps,
    'addUpLedgers' | 'auditLog' | 'batches' | 'compareNames' | 'eventOutbox' | 'leases' | 'messageContents' | 'removeExpiredClaims'
    | 'portfolioBudget' | 'requestLog' | 'sessions'
  >
    & Pick<TemplateSyncPorts, 'senders' | 'templateCatalogue'> & Pick<KnexStorage, 'gateways'>
  readonly carriers?: AlertCarriers
  readonly log: Log
  readonly countForgotten: Required<UpkeepReports>['onForgotten']
  readonly countTemplateSync: (outcome: TemplateSyncReport['outcome']) => void
}

/** Makes the periodic jobs of a gateway. Only the pages show the counts and find names, so without pages these jobs are left out. */
export const makeGatewayUpkeep = (
  { postern: { alerts, batches: batching, numbers, sending: { draining }, upkeep, templates: { syncTemplates } }, storage, carriers, log,
    countForgotten, countTemplateSync }: GatewayUpkeepDeps,
  { countsMessages, ...settings }: UpkeepSettings & { readonly countsMessages: boolean },
): Upkeep => {
  const { addUpLedgers, compareNames, gateways, portfolioBudget, senders, templateCatalogue, ...stored } = storage
  const logReading = logTemplateSync(log)
  const process = { id: randomUUID(), version: version(), host: hostname(), pid: globalThis.process.pid, startedAt: Date.now() }
  return makeUpkeep({
    ...stored, reconcile: upkeep.reconcile, runRetention: upkeep.runRetention,
    ...(countsMessages && {
      rollUpMessages: upkeep.rollUpMessages, ...(addUpLedgers && { addUpLedgers }), ...(compareNames && { compareNames }),
      ...(portfolioBudget && { portfolioBudget }),
    }),
    templates: { syncTemplates, senders, templateCatalogue },
    ...(numbers && { refreshNumbers: numbers.refreshNumbers }),
    ...(upkeep.noteOverdue && { noteOverdue: upkeep.noteOverdue }),
    ...(draining && { draining }),
    ...(batching && { runBatches: batching.runBatches }),
    ...(alerts && carriers && { alerting: { ...alerts, carriers } }),
    presence: { note: (reconciledAt) => gateways.note({ ...process, reconciledAt }), remove: () => gateways.remove(process.id) },
    log, onFailure: (event, error) => log('error', event, { cause: causeOf(error) }), onForgotten: countForgotten,
    onTemplatesRead: (reading) => {
      countTemplateSync(reading.outcome)
      logReading(reading)
    },
  }, settings)
}

/** Posts alerts in the form of Slack's incoming webhooks. */
export const channelOver = ({ post }: Pick<WebhookSender, 'post'>): AlertCarrier => async ({ to, workspace }, { subject, body }) =>
  (to._tag === 'Channel' ? (await post({ workspace, url: to.url }, { text: `*${subject}*\n${body}` })).error : undefined)

/** Logs the results of reading lists of templates. */
export const logTemplateSync = (log: Log) => ({ accountId, outcome, isFirst }: TemplateSyncReport): void => {
  if (E.isRight(outcome)) {
    return log(isFirst ? 'info' : 'debug', 'templates_synced', { business_account_id: accountId, templates: outcome.right.templates })
  }
  const error = outcome.left
  switch (error._tag) {
    case 'PortFailure': return log('error', 'template_sync_failed', { cause: causeOf(error.cause) })
    // The sender was changed after the accounts were listed; reads by the job itself are never stopped.
    case 'SenderNotConfigured': case 'UnknownSender': case 'BusinessAccountNotConfigured': case 'SyncStopped': return
    case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused': case 'PlatformUnreachable':
      return log('warn', 'template_sync_failed', { business_account_id: accountId, fault: catalogueFault(error) })
  }
}

/** How long attempts to deliver events may take after a shutdown was requested, in milliseconds; other attempts are made later. */
const STOP_DELIVERY_MS = 5 * SECOND_MS

export type EventDeliveryJobDeps = TracingDeps & {
  readonly storage: Pick<KnexStorage, 'eventDeliveries' | 'eventOutbox' | 'leases' | 'onEvents'>
  readonly sinkFor: (address: SinkAddress) => EventSink
  readonly broker: EventSink | undefined
  readonly countAttempt: (receiver: 'endpoint' | 'broker', result: AttemptResult) => void
  readonly log: Log
}

/** Makes the job that delivers events; it delivers nothing before it is started. */
export const makeEventDeliveryJob = (
  { storage, sinkFor, broker, countAttempt, log, tracer }: EventDeliveryJobDeps, shutdownTimeoutMs: number,
): RunningJob => {
  const logFailure = logAtIntervals(log, Date.now, 'error', 'event_delivery_failed')
  const logBroker = logAtIntervals(log, Date.now, 'warn', 'event_broker_failed')
  const { start, stop } = makeEventDelivery({
    deliveries: storage.eventDeliveries, outbox: storage.eventOutbox, leases: storage.leases, onEvents: storage.onEvents, sinkFor,
    ...(broker && { broker }), tracer, now: Date.now, newAttemptId: () => uuidv7().replaceAll('-', ''),
    newEventId: () => eventIdOf(uuidv7()),
    onAttempt: (receiver, result) => {
      countAttempt(receiver, result)
      if (receiver === 'broker' && !result.delivered) logBroker({ error: result.error ?? 'no reason given' })
    },
    onDisabled: ({ id, workspace }, reason) => log('warn', 'event_endpoint_disabled', { endpoint: id, workspace, reason }),
    onFailure: (error) => { logFailure({ cause: causeOf(error) }) },
  })
  return { start, stop: () => stop(Math.min(STOP_DELIVERY_MS, shutdownTimeoutMs + SECOND_MS)) }
}
