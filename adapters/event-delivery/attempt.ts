import type { AttemptResult, EventSink } from '../../core/events/delivery.js'
import type { Event } from '../../core/kernel/outbox.js'

/** Longer than an attempt takes by the promise of `EventSink`: a sink that breaks it must not keep its endpoint for ever. */
const LONGEST_ATTEMPT_MS = 25_000

/** Tries once to deliver an event. Never rejects and always ends, whatever the sink does. */
export const attemptToDeliver = async (sink: EventSink, event: Event): Promise<AttemptResult> => {
  const startedAt = performance.now()
  const failed = (error: string): AttemptResult => ({
    delivered: false, httpStatus: undefined, error, answer: undefined, durationMs: Math.round(performance.now() - startedAt),
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<AttemptResult>((resolve) => {
    timer = setTimeout(() => { resolve(failed('The attempt did not end in time.')) }, LONGEST_ATTEMPT_MS)
  })
  try {
    return await Promise.race([sink.deliver(event)(), late])
  } catch {
    return failed('The attempt could not be made.')
  } finally {
    clearTimeout(timer)
  }
}
