import type { AttemptResult } from '../../core/events/delivery.js'

/** What came of publishing an event; `sentenceOf` says what is wrong where it failed. */
export const publishResult = async (publishing: Promise<void>, sentenceOf: (error: unknown) => string): Promise<AttemptResult> => {
  const startedAt = performance.now()
  const error = await publishing.then(() => undefined, sentenceOf)
  return { delivered: error === undefined, httpStatus: undefined, error, answer: undefined, durationMs: Math.round(performance.now() - startedAt) }
}
