import type { AuditLog } from '../../core/access/acting.js'
import type { Sessions } from '../../core/access/members.js'
import type { Batches } from '../../core/batches/batch.js'
import type { RunBatches } from '../../core/batches/run.js'
import type { Leases } from '../../core/kernel/leases.js'
import type { EventOutbox } from '../../core/kernel/outbox.js'
import { type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { NoteOverdue } from '../../core/messages/deadlines.js'
import type { MessageContents } from '../../core/messages/kept-content.js'
import type { PortfolioBudget } from '../../core/messages/portfolio-budget.js'
import type { RollUpMessages } from '../../core/messages/statistics.js'
import type { Forgotten, RunRetention } from '../../core/privacy.js'
import type { RequestLog } from '../../core/requests/request-log.js'
import type { RefreshNumbers } from '../../core/senders/number-health.js'
import type { Draining } from '../../core/sending/drain.js'
import type { Reconcile } from '../../core/sending/reconcile.js'
import { alerts as alertsJob, type AlertsJobDeps } from './alerts.js'
import { batches as batchesJob } from './batches.js'
import { deliveryDeadlines } from './delivery-deadlines.js'
import { heartbeat, type Presence } from './heartbeat.js'
import { type JobReports, runJob, type RunningJob } from './job.js'
import { messageCounts } from './message-counts.js'
import { numberHealth } from './number-health.js'
import { portfolioDays } from './portfolio-days.js'
import { queue } from './queue.js'
import { reconciliation } from './reconciliation.js'
import { accessCleanup, batchContentRetention, contentRetention, eventRetention, requestRetention } from './removals.js'
import { retention } from './retention.js'
import { customerNames, ledgerSums, type WorkThrough } from './slow-work.js'
import { makeTemplateSyncJob, type TemplateSyncReport, type TemplateSyncPorts } from './template-sync.js'

/** The periodic jobs. Each runs only on the process that holds its lease, except the heartbeat, which every process sends, and the queue, which has a lease of each sender. */
export type Upkeep = Required<RunningJob> & {
  /** Requests that an account's list of templates is read soon, because the platform has reported a change; once a minute at most. */
  readonly readTemplatesSoon: (accountId: string) => void
}

/** What jobs report. */
export type UpkeepReports = JobReports & {
  /** Gets what a run of retention has forgotten since the last call. */
  readonly onForgotten?: (forgotten: Forgotten) => void
  /** Gets the outcome of each reading of a list of templates. */
  readonly onTemplatesRead?: (reading: TemplateSyncReport) => void
}

/** What the jobs work on: use cases of `makePostern` and ports of a storage. A job is left out if its use case or port is absent. */
export type UpkeepDeps = UpkeepReports & {
  readonly leases: Leases
  readonly reconcile?: Reconcile
  readonly draining?: Draining
  readonly runBatches?: RunBatches
  /** Deletes what the lines of ended batches said. */
  readonly batches?: Pick<Batches, 'forgetContents'>
  /** Removes expired idempotency keys, after each pass of reconciliation. */
  readonly removeExpiredClaims?: () => Promise<unknown>
  /** Adds up the movements of wallets by day. */
  readonly addUpLedgers?: WorkThrough
  /** Corrects what customers are found by, if another release has written their names. */
  readonly compareNames?: WorkThrough
  /** Notes how many customers portfolios reach each day. */
  readonly portfolioBudget?: Pick<PortfolioBudget, 'noteDay'>
  readonly eventOutbox?: Pick<EventOutbox, 'removeOld'>
  readonly messageContents?: Pick<MessageContents, 'removeOld'>
  readonly sessions?: Pick<Sessions, 'removeOld'>
  readonly auditLog?: Pick<AuditLog, 'removeAnonymous'>
  readonly requestLog?: Pick<RequestLog, 'removeOld'>
  readonly runRetention?: RunRetention
  readonly rollUpMessages?: RollUpMessages
  readonly templates?: TemplateSyncPorts
  readonly refreshNumbers?: RefreshNumbers
  readonly noteOverdue?: NoteOverdue
  readonly presence?: Presence
  /** Alerts to people, and how they are carried. */
  readonly alerting?: AlertsJobDeps
}

/** How often jobs run, and how long the data that they delete is kept, in milliseconds. */
export type UpkeepSettings = {
  /** The pause between two passes of reconciliation; half a minute by default. */
  readonly reconcileEveryMs?: number
  /** How old a list of templates may become before it is read again; a quarter of an hour by default. 0 turns the readings off. */
  readonly templateSyncMs?: number
  /** How long people are remembered, which is also the limit for events; forever by default. */
  readonly retentionMs?: number | undefined
  /** How long events are kept; forever by default. */
  readonly eventRetentionMs?: number
  /** How long the content of messages is kept, if it is stored; forever by default, and 0 removes what is left of it. */
  readonly contentRetentionMs?: number
  /** How long the lines of an ended batch keep what they said; forever by default. */
  readonly batchContentRetentionMs?: number
  /** How long calls of the API are kept, if they are stored; forever by default, and 0 removes what is left of them. */
  readonly requestRetentionMs?: number
}

/** Creates the upkeep of a process; it does nothing before it is started. */
export const makeUpkeep = (deps: UpkeepDeps, settings: UpkeepSettings = {}): Upkeep => {
  const { reconcileEveryMs = 30 * SECOND_MS, templateSyncMs = 15 * MINUTE_MS, retentionMs = Infinity } = settings
  const { eventRetentionMs = Infinity, contentRetentionMs = Infinity, requestRetentionMs = Infinity } = settings
  const { batchContentRetentionMs = Infinity } = settings
  const {
    reconcile, eventOutbox, messageContents, requestLog, sessions, auditLog, runRetention, rollUpMessages, templates, presence,
    alerting, refreshNumbers, noteOverdue, draining, runBatches, batches, addUpLedgers, compareNames,
    portfolioBudget,
  } = deps
  const eventsKeptMs = Math.min(eventRetentionMs, retentionMs)
  const requestsKeptMs = Math.min(requestRetentionMs, retentionMs)
  let reconciledAt: Instant | undefined
  const leased = [
    reconcile && reconciliation({ ...deps, reconcile }, reconcileEveryMs, () => { reconciledAt = Date.now() }),
    eventOutbox && eventsKeptMs < Infinity && eventRetention({ ...deps, eventOutbox }, eventsKeptMs),
    messageContents && contentRetentionMs < Infinity && contentRetention({ ...deps, messageContents }, contentRetentionMs),
    batches && batchContentRetentionMs < Infinity && batchContentRetention({ ...deps, batches }, batchContentRetentionMs),
    runBatches && batchesJob({ ...deps, runBatches }),
    requestLog && requestsKeptMs < Infinity && requestRetention({ ...deps, requestLog }, requestsKeptMs),
    sessions && auditLog && accessCleanup({ ...deps, sessions, auditLog }),
    runRetention && retentionMs < Infinity && retention({ ...deps, runRetention }, retentionMs),
    rollUpMessages && messageCounts({ ...deps, rollUpMessages }),
    addUpLedgers && ledgerSums(addUpLedgers),
    compareNames && customerNames(compareNames),
    portfolioBudget && portfolioDays({ ...deps, portfolioBudget }),
    refreshNumbers && numberHealth({ ...deps, refreshNumbers }),
    noteOverdue && deliveryDeadlines({ ...deps, noteOverdue }),
    alerting && alertsJob({ ...deps, ...alerting }),
  ]
  const templateSync = templates && templateSyncMs > 0 ? makeTemplateSyncJob({ ...deps, ...templates }, templateSyncMs) : undefined
  const jobs: ReadonlyArray<RunningJob> = [
    ...leased.filter((job) => job !== undefined && job !== false).map((job) => runJob(job, deps)),
    ...(templateSync ? [templateSync] : []),
    ...(draining ? [queue({ ...deps, draining })] : []),
    ...(presence ? [heartbeat(presence, () => reconciledAt, deps)] : []),
  ]
  return {
    start: () => { for (const job of jobs) job.start() },
    stop: async () => { await Promise.all(jobs.map((job) => job.stop())) },
    idle: async () => { await Promise.all(jobs.map(async (job) => job.idle?.())) },
    readTemplatesSoon: (accountId) => templateSync?.readSoon(accountId),
  }
}
