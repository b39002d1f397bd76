import type { Batches } from '../../../core/batches/batch.js'

const missing = (): Promise<never> => Promise.reject(new Error('this storage has no batches yet'))

/** The batches over SQL. */
export const makeBatches = (): Batches => ({
  create: missing, find: missing, list: missing, open: missing, change: missing, append: missing, removeOthers: missing, lines: missing,
  noteChecked: missing, assign: missing, noteOpened: missing, endUnsent: missing, lastSent: missing, counts: missing, forgetContents: missing,
})
