import type * as E from 'fp-ts/lib/Either.js'
import type { PortFailure } from '../kernel/failure.js'
import type { EventId, WorkspaceId } from '../kernel/ids.js'
import type { Page, PageQuery } from '../kernel/page.js'
import {
  type MakeOutboxEntries, type Event, type EventFilter, type EventPosition, type EventType, type NewEvent, type StoredEvent, wantsEvent,
} from '../kernel/outbox.js'
import { DAY_MS, HOUR_MS, type Instant, iso, isoOrNull, MINUTE_MS, SECOND_MS } from '../kernel/time.js'
import { type DeliveryStatus, deliveryStatus, type EndpointId, type EndpointSecrets, endpointView, type EventEndpoint } from './endpoint.js'

/** An attempt to deliver an event as JSON. */
export type DeliveryView = {
  readonly id: string
  readonly event: string
  readonly type: string
  readonly status: DeliveryStatus
  readonly http_status: number | null
  readonly duration_ms: number
  readonly error: string | null
  readonly answer: string | null
  readonly at: string
  readonly next_attempt_at: string | null
}

/** Shows an attempt to deliver an event. */
export const deliveryView = ({
  id, event, type, delivered, httpStatus, durationMs, error, answer, at, nextAttemptAt,
}: DeliveryAttempt): DeliveryView => ({
  id, event, type,
  status: deliveryStatus(delivered),
  http_status: httpStatus ?? null,
  duration_ms: durationMs,
  error: error ?? null,
  answer: answer ?? null,
  at: iso(at),
  next_attempt_at: isoOrNull(nextAttemptAt),
})

/** The result of one attempt to deliver an event. */
export type AttemptResult = {
  /** Whether the receiver has accepted the event. */
  readonly delivered: boolean
  /** The HTTP status of the response; absent without a response, and for a broker. */
  readonly httpStatus: number | undefined
  /** Why it failed, in a sentence for the endpoint's owner. It contains no secret and no resolved address. */
  readonly error: string | undefined
  /** The beginning of the response body, at most 8 KiB. */
  readonly answer: string | undefined
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number
  /** How long the receiver asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number
  /** The receiver reports that the endpoint is gone permanently. */
  readonly isGone?: true
  /** No connection was free before the deadline, so the receiver was never called. This says nothing about it, and does not count as a failure of its endpoint. */
  readonly isUntried?: true
}

/** One attempt to deliver an event to an endpoint, as stored in the delivery log. */
export type DeliveryAttempt = Omit<AttemptResult, 'retryAfterMs' | 'isGone' | 'isUntried'> & {
  /** Sorts by time: 32 lowercase hexadecimal digits of a UUIDv7. */
  readonly id: string
  readonly endpoint: EndpointId
  readonly event: EventId
  readonly type: EventType
  readonly at: Instant
  /** When the event is tried again; absent if it was delivered or given up. */
  readonly nextAttemptAt: Instant | undefined
}

/** The pauses between the attempts to deliver an event: before the second, the third and so on. The last one is repeated. */
const PAUSES_MS: ReadonlyArray<number> = [
  5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, DAY_MS,
]

/** How long delivery of an event is tried, and how long an endpoint may fail before it is disabled. */
export const GIVES_UP_AFTER_MS = 5 * DAY_MS

/** The maximum fraction by which a pause is longer than scheduled, so that many events that failed together are not retried together. */
const JITTER = 0.1

/** The number of attempts for an event, the time of the first one, and the wait that the receiver asked for. */
export type Attempted = {
  readonly attempts: number
  readonly firstAttemptAt: Instant
  readonly now: Instant
  /** How long the receiver asks to wait, in milliseconds; at most a day counts, so that no response causes an event to be given up immediately. */
  readonly retryAfterMs: number | undefined
  /** From 0 to 1. */
  readonly random: number
}

/** When an event whose attempts failed is tried again; `undefined` once five days have passed since the first. */
export const nextAttemptAt = ({ attempts, firstAttemptAt, now, retryAfterMs = 0, random }: Attempted): Instant | undefined => {
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? DAY_MS
  const next = now + Math.round(Math.max(Math.min(retryAfterMs, DAY_MS), pause * (1 + JITTER * random)))
  return next - firstAttemptAt > GIVES_UP_AFTER_MS ? undefined : next
}

/** An endpoint was disabled because of its responses, so it misses events from now on; other endpoints of the workspace are notified. */
export const endpointDisabled = (endpoint: EventEndpoint, reason: DisabledReason): NewEvent => ({
  type: 'endpoint.disabled',
  workspace: endpoint.workspace,
  subject: endpoint.id,
  data: { ...endpointView({ ...endpoint, status: 'disabled' }), reason },
})

/** The health of an endpoint: how many attempts in a row have failed, and since when. */
export type EndpointHealth = Pick<DeliveryProgress, 'failures' | 'failingSince'>

/** One attempt that was made. */
export type MadeAttempt = {
  /** Sorts by time: 32 lowercase hexadecimal digits of a UUIDv7. */
  readonly id: string
  readonly event: Pick<Event, 'id' | 'type'>
  readonly startedAt: Instant
  readonly result: AttemptResult
  /** The pending retry that this attempt was; absent if the event was tried for the first time. */
  readonly retry?: Pick<Retry, 'attempts' | 'firstAttemptAt'>
  /** From 0 to 1, chosen at random; it spreads the next attempts. */
  readonly random: number
}

/** Why an endpoint is disabled: it answered 410, or every attempt in five days has failed. */
export type DisabledReason = 'gone' | 'failing'

/** The changes to store after some attempts to deliver to an endpoint. */
export type AttemptsOutcome = Omit<DeliveryProgress, 'endpoint' | 'from' | 'to' | 'disabled'> & { readonly disabled?: DisabledReason }

/** After this number of failures in a row an endpoint gets one attempt at a time, with pauses. */
const OPENS_AFTER_FAILURES = 5

const LONGEST_PAUSE_MS = MINUTE_MS

/**
 * A pause of an endpoint that ends later than this from now was stored by a clock that was ahead, so it counts as over. It is twice the longest pause, because the clocks of two
 * gateways may differ.
 */
export const MAX_STORED_PAUSE_MS = 2 * LONGEST_PAUSE_MS

/** Whether an endpoint is paused at a given time. */
export const isPaused = (pausedUntil: Instant | undefined, at: Instant): boolean =>
  pausedUntil !== undefined && pausedUntil > at && pausedUntil <= at + MAX_STORED_PAUSE_MS

/** Recent failures are retried soon anyway, so the end of an outage shorter than this does not bring retries forward. */
const SHORTEST_OUTAGE_MS = 5 * SECOND_MS

/** Whether an endpoint has failed so often in a row that it gets one attempt at a time. */
export const isCircuitOpen = ({ failures }: Pick<EndpointHealth, 'failures'>): boolean => failures >= OPENS_AFTER_FAILURES

/** The pause after a failure, in milliseconds; 0 until several in a row have failed, then from a second to a minute. */
export const pauseAfter = (failures: number): number =>
  failures < OPENS_AFTER_FAILURES ? 0 : Math.min(SECOND_MS * 2 ** (failures - OPENS_AFTER_FAILURES), LONGEST_PAUSE_MS)

/** Determines the changes to store after attempts that were made one after the other, or in parallel in this order. */
export const noteAttempts = (endpoint: EndpointId, health: EndpointHealth, made: ReadonlyArray<MadeAttempt>): AttemptsOutcome =>
  made.reduce<AttemptsOutcome>(
    (noted, attempt) => (attempt.result.delivered ? afterSuccess(endpoint, noted, attempt) : afterFailure(endpoint, noted, attempt)),
    { ...health, attempts: [], retry: [], done: [], pausedUntil: undefined },
  )

const afterSuccess = (endpoint: EndpointId, noted: AttemptsOutcome, attempt: MadeAttempt): AttemptsOutcome => {
  const at = endedAt(attempt)
  const retryAtOnceSince = noted.retryAtOnceSince ?? endedOutage(noted, at)
  return {
    ...noted,
    attempts: [...noted.attempts, logged(endpoint, attempt, undefined)],
    retry: retryAtOnceSince === undefined ? noted.retry : noted.retry.map((retry) => ({ ...retry, at: Math.min(retry.at, at) })),
    done: attempt.retry !== undefined ? [...noted.done, attempt.event.id] : noted.done,
    failures: 0,
    failingSince: undefined,
    pausedUntil: undefined,
    ...(retryAtOnceSince !== undefined && { retryAtOnceSince }),
  }
}

const afterFailure = (endpoint: EndpointId, noted: AttemptsOutcome, attempt: MadeAttempt): AttemptsOutcome => {
  const { event, result, retry, startedAt, random } = attempt
  const [at, attempts, failures] = [endedAt(attempt), (retry?.attempts ?? 0) + 1, noted.failures + 1]
  const firstAttemptAt = retry === undefined || retry.attempts === 0 ? startedAt : retry.firstAttemptAt
  const failingSince = noted.failingSince ?? startedAt
  const disabled = noted.disabled ?? (result.isGone === true ? 'gone' : at - failingSince >= GIVES_UP_AFTER_MS ? 'failing' : undefined)
  const next = disabled === undefined
    ? nextAttemptAt({ attempts, firstAttemptAt, now: at, retryAfterMs: result.retryAfterMs, random })
    : undefined
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

/** Since when the outage lasted that a success ends; `undefined` if there was none, or only a few failures. */
const endedOutage = (health: EndpointHealth, at: Instant): Instant | undefined =>
  isCircuitOpen(health) && health.failingSince !== undefined && at - health.failingSince >= SHORTEST_OUTAGE_MS
    ? health.failingSince
    : undefined

const endedAt = ({ startedAt, result }: MadeAttempt): Instant => startedAt + result.durationMs

function logged(endpoint: EndpointId, { id, event, startedAt, result }: MadeAttempt, next: Instant | undefined): DeliveryAttempt {
  const { delivered, httpStatus, error, answer, durationMs } = result
  return {
    id, endpoint, event: event.id, type: event.type, at: startedAt, delivered, httpStatus, error, answer, durationMs, nextAttemptAt: next,
  }
}

/** The delivery progress of each receiver, the pending retries, and the log of attempts. */
export interface EventDeliveries {
  /**
   * Enabled endpoints of some shards (`shardOf`) that have something to deliver at a given time: an event after their position, or an attempt that is due,
   * and whose pause is over (`isPaused`). At most `limit`, those that have waited longest first, except those in `except` and those of `exceptWorkspaces`.
   */
  readonly due: (query: DueQuery) => Promise<E.Either<PortFailure, ReadonlyArray<DeliveryTask>>>
  /** The events of an endpoint that are due for a retry at a given time, those due longest first; if due at the same time, the oldest first, by their ids. */
  readonly retries: (id: EndpointId, at: Instant, limit: number) => Promise<E.Either<PortFailure, ReadonlyArray<Retry>>>
  /**
   * Stores the result of deliveries to an endpoint: all of it or nothing.
   *
   * Right `false`: nothing was stored, because the endpoint is at a position other than `from`, is disabled, or is gone; another gateway delivers to it.
   * If this disables the endpoint, `outboxEntries` is called and its pending attempts are removed.
   */
  readonly record: (progress: DeliveryProgress, outboxEntries?: MakeOutboxEntries<EventEndpoint>) => Promise<E.Either<PortFailure, boolean>>
  /**
   * Adds an attempt to the log of its endpoint, and makes it the endpoint's `lastDelivery`. It changes nothing else, as a test requires.
   *
   * If the endpoint is gone, nothing is stored.
   */
  readonly log: (attempt: DeliveryAttempt) => Promise<E.Either<PortFailure, void>>
  /**
   * The number of events that wait for an endpoint: those after its position, of any type, and those to be retried. Each of the two is counted up to
   * `MAX_PENDING`. No events wait for an endpoint that is disabled or gone.
   */
  readonly pending: (id: EndpointId) => Promise<E.Either<PortFailure, PendingEvents>>
  /** An endpoint's attempts, newest first by their ids. A cursor is the id of its page's last attempt. An unknown cursor never fails. */
  readonly attempts: (id: EndpointId, query: PageQuery) => Promise<E.Either<PortFailure, Page<DeliveryAttempt>>>
  /** Redelivers one stored event to an endpoint. Right: whether both exist and belong to the same workspace. */
  readonly redeliver: (id: EndpointId, event: EventId, at: Instant) => Promise<E.Either<PortFailure, boolean>>
  /**
   * Redelivers every stored event of an endpoint's workspace since a given time that the endpoint wants. Right: how many; at most
   * `MAX_REDELIVERED`, oldest first.
   *
   * Events after the endpoint's position are left out, because they still have to be delivered.
   */
  readonly redeliverSince: (id: EndpointId, since: Instant, at: Instant) => Promise<E.Either<PortFailure, number>>
  /**
   * The failed events of an endpoint that match a filter (`isFailedMatch`): stored events of its workspace whose latest attempt failed, except those
   * that wait for a requested redelivery. One pass looks at no more than `limit` events that have failed, oldest first by their ids, after `after`.
   */
  readonly failed: (id: EndpointId, filter: FailedFilter, pass: FailedPass) => Promise<E.Either<PortFailure, FailedEvents>>
  /**
   * Redelivers the events of such a pass, in their order: all of them or nothing. Right: the redelivered events. Repeating a pass changes nothing.
   *
   * An endpoint that is disabled or gone has none.
   */
  readonly redeliverFailed: (
    id: EndpointId, filter: FailedFilter, pass: FailedPass, at: Instant,
  ) => Promise<E.Either<PortFailure, FailedEvents>>
  /** The workspaces with events that the broker has not received, and its position in each, those that have waited longest first. */
  readonly brokerDue: (limit: number) => Promise<E.Either<PortFailure, ReadonlyArray<BrokerTask>>>
  /** Moves the broker's position in a workspace. Right `false`: it is at a position other than `from`, so another gateway has moved it. */
  readonly recordBroker: (progress: BrokerProgress) => Promise<E.Either<PortFailure, boolean>>
}

/** Which failed events are meant: of some types, created from `since` on and before `until`, with the HTTP status of the latest attempt; all if absent. */
export type FailedFilter = {
  readonly types?: EventFilter | undefined
  readonly since?: Instant | undefined
  readonly until?: Instant | undefined
  readonly httpStatus?: number | undefined
}

/** Whether a failed event matches a filter. */
export const isFailedMatch = (
  { types, since = -Infinity, until = Infinity, httpStatus }: FailedFilter,
  event: Pick<Event, 'type' | 'at'>, latest: Pick<DeliveryAttempt, 'httpStatus'>,
): boolean =>
  (types === undefined || wantsEvent(types, event.type)) && event.at >= since && event.at < until
  && (httpStatus === undefined || httpStatus === latest.httpStatus)

/** One bounded step over the failed events of an endpoint. */
export type FailedPass = { readonly after?: EventId | undefined; readonly limit: number }

/** The failed events of a pass, and the event after which the next pass continues; absent at the end. */
export type FailedEvents = { readonly events: ReadonlyArray<EventId>; readonly next: EventId | undefined }

/** The number of events that wait for an endpoint: new ones, and those to be retried. */
export type PendingEvents = { readonly fresh: number; readonly retries: number }

/** The limit up to which waiting events are counted. */
export const MAX_PENDING = 1_000

/** The endpoints to process. */
export type DueQuery = {
  readonly shards: ReadonlyArray<number>
  readonly at: Instant
  readonly limit: number
  readonly except: ReadonlyArray<EndpointId>
  /** Workspaces that already have their share; none if absent. */
  readonly exceptWorkspaces?: ReadonlyArray<WorkspaceId>
  /** `true`: only endpoints whose latest attempt failed. `false`: only the other endpoints. Absent: both. */
  readonly failing?: boolean
}

/** An endpoint with something to deliver. */
export type DeliveryTask = {
  readonly endpoint: EventEndpoint
  readonly secrets: EndpointSecrets
  /** The last processed event: it and all events before it were delivered, wait for a retry, or were given up. */
  readonly position: EventPosition
  /** How many attempts in a row have failed. */
  readonly failures: number
}

/** An event that has to be retried. */
export type Retry = {
  readonly event: StoredEvent
  /** The number of attempts; 0 if it is redelivered because its owner requested it. */
  readonly attempts: number
  readonly firstAttemptAt: Instant
}

/** The result of some deliveries to an endpoint. */
export type DeliveryProgress = {
  readonly endpoint: EndpointId
  readonly from: EventPosition
  readonly to: EventPosition
  readonly attempts: ReadonlyArray<DeliveryAttempt>
  /** Events to be retried, and when; a later entry replaces an earlier entry of the same event. */
  readonly retry: ReadonlyArray<{
    readonly event: EventId
    readonly attempts: number
    readonly firstAttemptAt: Instant
    readonly at: Instant
  }>
  /** Events that need no retry, because they were delivered or given up. */
  readonly done: ReadonlyArray<EventId>
  readonly failures: number
  readonly failingSince: Instant | undefined
  /** Nothing is tried before this time. */
  readonly pausedUntil: Instant | undefined
  /** Events that failed since this time, except those in `retry`, are due immediately: the endpoint has just recovered. */
  readonly retryAtOnceSince?: Instant
  readonly disabled?: true
}

/** A workspace with events for the broker. */
export type BrokerTask = { readonly workspace: WorkspaceId; readonly position: EventPosition }

/** The broker's progress in a workspace. */
export type BrokerProgress = { readonly workspace: WorkspaceId; readonly from: EventPosition; readonly to: EventPosition }

/** The maximum number of events that one request redelivers. */
export const MAX_REDELIVERED = 100_000

/** Endpoints are spread over this many shards; each shard is processed by one gateway at a time. */
export const SHARDS = 16

/** The shard of an endpoint. Ids end in random digits. */
export const shardOf = (id: EndpointId): number => parseInt(id.slice(-1), 16)

/** A receiver of events: an endpoint of an application, or a broker. */
export interface EventSink {
  /**
   * Tries once to deliver an event, and never fails: it returns the result of the attempt within 20 seconds.
   *
   * `delivered` only once the receiver has confirmed that it has the event. An event that is delivered again has the same id, so the receiver
   * can recognise it. Events of concurrent calls may arrive in any order; an event whose delivery starts after another call has returned arrives after that call's event.
   */
  readonly deliver: (event: Event) => Promise<AttemptResult>
}
