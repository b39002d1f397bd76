import type { AttemptResult } from '../../core/events/delivery.js'
import type { SinkAddress } from '../../core/events/endpoint-use-cases.js'
import type { Event } from '../../core/kernel/outbox.js'

export const DELIVERED: AttemptResult = { delivered: true, httpStatus: 204, error: undefined, answer: undefined, durationMs: 12 }

/** Endpoints that accept every event, unless a test sets how attempts end, perhaps by the address. */
export const scriptedReceiver = (resultAt: (address: SinkAddress) => AttemptResult = () => DELIVERED) => {
  const tried: Array<SinkAddress & { readonly event: Event }> = []
  let result = resultAt
  return {
    /** The attempts that were made, in order. */
    tried,
    /** The result of attempts from now on. */
    attemptsWillEnd: (next: AttemptResult) => { result = () => next },
    webhooks: {
      sinkFor: (address: SinkAddress) => ({
        deliver: async (event: Event) => {
          tried.push({ ...address, event })
          return result(address)
        },
      }),
    },
  }
}
