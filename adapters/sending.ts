/**
 * What stands beside the core in one process: ids and digests, how many sends run at once, settlements to be written later, and templates kept in memory.
 *
 * @packageDocumentation
 */
export { type AdmissionControl, type AdmissionOptions, type AdmissionState, makeAdmissionControl, type RefusedWhy } from './admission/admission-control.js'
export { machine } from './machine/machine.js'
export { makeRetryQueue, type RetryQueue, type RetryQueueOptions } from './retry-queue/retry-queue.js'
export { makeTemplateCache, type TemplateCacheOptions } from './template-cache/template-cache.js'
