import type { EndpointId } from './event-endpoint.js'
import type { EventId, EventType } from './event.js'
import type { Instant } from './time.js'

/** What came of one attempt to deliver an event. */
export type AttemptResult = {
  /** Whether the receiver has taken the event. */
  readonly delivered: boolean
  /** The HTTP status of the answer; none without an answer, and none for a broker. */
  readonly httpStatus: number | undefined
  /** Why it failed, in a sentence for the endpoint's owner. It names no secret and no address that was resolved. */
  readonly error: string | undefined
  /** The beginning of the answer's body, at most 8 KiB. */
  readonly answer: string | undefined
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number
  /** How long the receiver asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number
  /** The receiver says that the endpoint is gone for good. */
  readonly isGone?: true
  /** No connection was free in time, so the receiver was never called: this says nothing about it, and is no failure of its endpoint. */
  readonly isUntried?: true
}

/** One attempt to deliver an event to an endpoint, as the delivery log keeps it. */
export type DeliveryAttempt = Omit<AttemptResult, 'retryAfterMs' | 'isGone' | 'isUntried'> & {
  /** Sorts by time: 32 lowercase hexadecimal digits of a UUIDv7. */
  readonly id: string
  readonly endpoint: EndpointId
  readonly event: EventId
  readonly type: EventType
  readonly at: Instant
  /** When the event is tried again; none if it was delivered or given up. */
  readonly nextAttemptAt: Instant | undefined
}
