/**
 * A retry queue in memory, for settlements that could not be written at once.
 *
 * @packageDocumentation
 */
export { makeRetryQueue, type RetryQueue, type RetryQueueOptions } from './retry-queue.js'
