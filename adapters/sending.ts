/**
 * The parts next to the core in one process: ids and digests, the limit of concurrent sends, settlements to be written later, templates kept in memory, and periodic
 * jobs.
 *
 * @packageDocumentation
 */
export {
  type AdmissionControl, type AdmissionOptions, type AdmissionState, makeAdmissionControl, type RefusalReason,
} from './admission/admission-control.js'
export type { Presence } from './jobs/heartbeat.js'
export type { JobReports, RunningJob } from './jobs/job.js'
export type { ReconciliationDeps } from './jobs/reconciliation.js'
export type { RetentionDeps } from './jobs/retention.js'
export type { WorkThrough } from './jobs/slow-work.js'
export type { TemplateSyncReport, TemplateSyncPorts } from './jobs/template-sync.js'
export { makeUpkeep, type Upkeep, type UpkeepDeps, type UpkeepReports, type UpkeepSettings } from './jobs/upkeep.js'
export { machine } from './machine/machine.js'
export { makeRetryQueue, type RetryQueue, type RetryQueueOptions } from './retry-queue/retry-queue.js'
export { makeTemplateCache, type TemplateCacheOptions } from './template-cache/template-cache.js'
