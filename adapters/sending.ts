/**
 * What stands beside the sends in one process: how many run at once, settlements to be written later, and templates kept in memory.
 *
 * @packageDocumentation
 */
export { type AdmissionControl, type AdmissionOptions, type AdmissionState, makeAdmissionControl, type RefusedWhy } from './admission/admission-control.js'
export { makeRetryQueue, type RetryQueue, type RetryQueueOptions } from './retry-queue/retry-queue.js'
export { makeTemplateCache, type TemplateCacheOptions } from './template-cache/template-cache.js'
