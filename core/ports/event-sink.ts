import type { Task } from 'fp-ts/lib/Task.js'
import type { AttemptResult } from '../delivery.js'
import type { Event } from '../event.js'

export type { AttemptResult } from '../delivery.js'
export type { Event, EventId, EventType } from '../event.js'

/** A receiver of events: an endpoint of an application, or a broker. */
export interface EventSink {
  /**
   * Tries once to deliver an event, and never fails: what came of it is the answer, within 20 seconds.
   *
   * `delivered` only once the receiver has confirmed that it has the event. An event that is delivered again has the same id, so that the receiver
   * can recognise it. Events of concurrent calls may arrive in any order; one that is delivered after the answer to another arrives after it.
   */
  readonly deliver: (event: Event) => Task<AttemptResult>
}
