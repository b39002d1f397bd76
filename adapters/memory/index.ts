/**
 * Every storage port in memory, a trial of everything in memory, and the retrying of what could not be written at once.
 *
 * @packageDocumentation
 */
export { makeRetryLater, type RetryLaterOptions, type RetryingLater } from './retry-later.js'
export { makeMemoryStorage, type MemoryStorage, type MemoryStorageOptions } from './storage.js'
export { openTrial, type Trial, type TrialOptions } from './trial.js'
