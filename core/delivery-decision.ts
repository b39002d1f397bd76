import { GIVES_UP_AFTER_MS, nextAttemptAt } from './delivery-schedule.js'
import type { AttemptResult, DeliveryAttempt } from './delivery.js'
import type { EndpointId } from './event-endpoint.js'
import type { Event } from './event.js'
import type { DeliveryProgress, Retry } from './ports/event-deliveries.js'
import { MINUTE_MS, SECOND_MS, type Instant } from './time.js'

/** How an endpoint has answered: how many attempts in a row have failed, and since when. */
export type EndpointHealth = Pick<DeliveryProgress, 'failures' | 'failingSince'>

/** One attempt that was made. */
export type MadeAttempt = {
  /** Sorts by time: 32 lowercase hexadecimal digits of a UUIDv7. */
  readonly id: string
  readonly event: Pick<Event, 'id' | 'type'>
  readonly startedAt: Instant
  readonly result: AttemptResult
  /** The waiting retry that this attempt was; absent where the event was tried for the first time. */
  readonly retry?: Pick<Retry, 'attempts' | 'firstAttemptAt'>
  /** From 0 to 1, chosen at random: it spreads the next attempts. */
  readonly random: number
}

/** Why an endpoint is disabled: it answered 410, or every attempt of five days has failed. */
export type DisabledReason = 'gone' | 'failing'

/** What has to be noted after some attempts to deliver to an endpoint. */
export type AttemptsOutcome = Omit<DeliveryProgress, 'endpoint' | 'from' | 'to' | 'disabled'> & { readonly disabled?: DisabledReason }

/** After so many failures in a row an endpoint gets one attempt at a time, with pauses. */
const OPENS_AFTER_FAILURES = 5

const LONGEST_PAUSE_MS = MINUTE_MS

/** What failed less than this time ago is tried again soon in any case, so a shorter outage hastens nothing. */
const SHORTEST_OUTAGE_MS = 5 * SECOND_MS

/** Whether an endpoint has failed so often in a row that it gets one attempt at a time. */
export const isCircuitOpen = ({ failures }: Pick<EndpointHealth, 'failures'>): boolean => failures >= OPENS_AFTER_FAILURES

/** The pause after a failure, in milliseconds; 0 until several in a row have failed, then from a second to a minute. */
export const pauseAfter = (failures: number): number =>
  failures < OPENS_AFTER_FAILURES ? 0 : Math.min(SECOND_MS * 2 ** (failures - OPENS_AFTER_FAILURES), LONGEST_PAUSE_MS)

/** Decides what to note after attempts that were made one after the other, or side by side in this order. */
export const noteAttempts = (endpoint: EndpointId, health: EndpointHealth, made: ReadonlyArray<MadeAttempt>): AttemptsOutcome =>
  made.reduce<AttemptsOutcome>(
    (noted, attempt) => (attempt.result.delivered ? afterSuccess(endpoint, noted, attempt) : afterFailure(endpoint, noted, attempt)),
    { ...health, attempts: [], retry: [], done: [], pausedUntil: undefined },
  )

const afterSuccess = (endpoint: EndpointId, noted: AttemptsOutcome, attempt: MadeAttempt): AttemptsOutcome => {
  const at = endedAt(attempt)
  const hastenSince = noted.hastenSince ?? endedOutage(noted, at)
  return {
    ...noted,
    attempts: [...noted.attempts, logged(endpoint, attempt, undefined)],
    retry: hastenSince === undefined ? noted.retry : noted.retry.map((retry) => ({ ...retry, at: Math.min(retry.at, at) })),
    done: attempt.retry !== undefined ? [...noted.done, attempt.event.id] : noted.done,
    failures: 0,
    failingSince: undefined,
    pausedUntil: undefined,
    ...(hastenSince !== undefined && { hastenSince }),
  }
}

const afterFailure = (endpoint: EndpointId, noted: AttemptsOutcome, attempt: MadeAttempt): AttemptsOutcome => {
  const { event, result, retry, startedAt, random } = attempt
  const [at, attempts, failures] = [endedAt(attempt), (retry?.attempts ?? 0) + 1, noted.failures + 1]
  const firstAttemptAt = retry === undefined || retry.attempts === 0 ? startedAt : retry.firstAttemptAt
  const failingSince = noted.failingSince ?? startedAt
  const disabled = noted.disabled ?? (result.isGone === true ? 'gone' : at - failingSince >= GIVES_UP_AFTER_MS ? 'failing' : undefined)
  const next = disabled === undefined ? nextAttemptAt({ attempts, firstAttemptAt, now: at, retryAfterMs: result.retryAfterMs, random }) : undefined
  const pause = pauseAfter(failures)
  return {
    ...noted,
    attempts: [...noted.attempts, logged(endpoint, attempt, next)],
    retry: next === undefined ? noted.retry : [...noted.retry, { event: event.id, attempts, firstAttemptAt, at: next }],
    done: next === undefined && retry !== undefined ? [...noted.done, event.id] : noted.done,
    failures,
    failingSince,
    pausedUntil: pause === 0 ? undefined : at + pause,
    ...(disabled !== undefined && { disabled }),
  }
}

/** Since when an outage lasted that a success ends; `undefined` where there was none, or only a few failures. */
const endedOutage = (health: EndpointHealth, at: Instant): Instant | undefined =>
  isCircuitOpen(health) && health.failingSince !== undefined && at - health.failingSince >= SHORTEST_OUTAGE_MS ? health.failingSince : undefined

const endedAt = ({ startedAt, result }: MadeAttempt): Instant => startedAt + result.durationMs

function logged(endpoint: EndpointId, { id, event, startedAt, result }: MadeAttempt, next: Instant | undefined): DeliveryAttempt {
  const { delivered, httpStatus, error, answer, durationMs } = result
  return { id, endpoint, event: event.id, type: event.type, at: startedAt, delivered, httpStatus, error, answer, durationMs, nextAttemptAt: next }
}
