import type { EventSink } from '../../../core/events/delivery.js'
import { eventIdOf } from '../../../core/kernel/ids.js'
import type { Event } from '../../../core/kernel/outbox.js'
import { eventually } from '../../support/eventually.js'
import { EVENT } from '../webhooks/sample-event.js'

/** A sink pauses for up to ten seconds between two attempts to connect, and each may take five; a broker that starts on a busy machine fails more than one. */
const TIME_LIMIT_MS = 60_000

const PROBE: Event = { ...EVENT, id: eventIdOf('0192a000-0000-7000-8000-0000000000ff') }

/** Delivers an event again and again until the broker has confirmed it. Where it does not, the error has what the sink said last. */
export const untilDelivers = async (sink: EventSink, event: Event = PROBE): Promise<void> => {
  let error: string | undefined
  const attempt = async (): Promise<true | undefined> => {
    const result = await sink.deliver(event)
    error = result.error
    return result.delivered || undefined
  }
  await eventually('the delivery of an event', attempt, TIME_LIMIT_MS).catch((cause: unknown) => {
    throw new Error(`The sink said last: ${error}`, { cause })
  })
}
