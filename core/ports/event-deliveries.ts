import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { DeliveryAttempt } from '../delivery.js'
import type { PortFailure } from '../errors.js'
import type { Along, EventId, EventPosition, StoredEvent } from '../event.js'
import type { EndpointId, EndpointSecrets, EventEndpoint } from '../event-endpoint.js'
import type { Page, PageQuery } from '../page.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { AttemptResult, DeliveryAttempt } from '../delivery.js'
export type { PortFailure } from '../errors.js'
export type { Along, Event, EventId, EventPosition, StoredEvent } from '../event.js'
export type { EndpointId, EndpointSecrets, EventEndpoint } from '../event-endpoint.js'
export type { Page, PageQuery } from '../page.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/** How far deliveries to each receiver have come, what waits to be tried again, and the log of attempts. */
export interface EventDeliveries {
  /**
   * Enabled endpoints of some shards (`shardOf`) that have something to deliver at a moment: an event after their position, or an attempt that is due,
   * and whose pause is over. At most `limit`, those that have waited longest first, without those in `except` and those of `exceptWorkspaces`.
   */
  readonly due: (query: DueQuery) => TaskEither<PortFailure, ReadonlyArray<DeliveryTask>>
  /** The events of an endpoint that are due to be tried again at a moment, those that are due longest first; of one moment the oldest first, by their ids. */
  readonly retries: (id: EndpointId, at: Instant, limit: number) => TaskEither<PortFailure, ReadonlyArray<Retry>>
  /**
   * Notes what came of deliveries to an endpoint, all of it or nothing.
   *
   * Right `false`: nothing was noted, because the endpoint is at another position than `from`, is disabled, or is gone; another gateway has it.
   * `along` is called if it disables the endpoint, which also drops its waiting attempts.
   */
  readonly record: (progress: DeliveryProgress, along?: Along<EventEndpoint>) => TaskEither<PortFailure, boolean>
  /**
   * Adds an attempt to the log of its endpoint, whose `lastDelivery` it is from then on, and moves nothing, as a test wants it.
   *
   * Of an endpoint that is gone nothing is kept.
   */
  readonly log: (attempt: DeliveryAttempt) => TaskEither<PortFailure, void>
  /**
   * How many events wait for an endpoint: those after its position, of whatever type, and those to be tried again. Each of the two is counted up to
   * `MOST_PENDING`. None wait for an endpoint that is disabled or gone.
   */
  readonly pending: (id: EndpointId) => TaskEither<PortFailure, PendingEvents>
  /** An endpoint's attempts, newest first by their ids. A cursor is the id of its page's last attempt. An unknown cursor never fails. */
  readonly attempts: (id: EndpointId, query: PageQuery) => TaskEither<PortFailure, Page<DeliveryAttempt>>
  /** Has one stored event delivered to an endpoint again. Right: whether both exist and belong together. */
  readonly redeliver: (id: EndpointId, event: EventId, at: Instant) => TaskEither<PortFailure, boolean>
  /**
   * Has every stored event of an endpoint's workspace since a moment that the endpoint wants delivered again. Right: how many; at most
   * `MOST_REDELIVERED`, oldest first.
   *
   * Events after the endpoint's position are left out, because they are still to be delivered.
   */
  readonly redeliverSince: (id: EndpointId, since: Instant, at: Instant) => TaskEither<PortFailure, number>
  /** The workspaces with events that the broker has not got, and its position in each, those that have waited longest first. */
  readonly brokerDue: (limit: number) => TaskEither<PortFailure, ReadonlyArray<BrokerTask>>
  /** Moves the broker's position in a workspace. Right `false`: it is at another position than `from`, so another gateway has moved it. */
  readonly recordBroker: (progress: BrokerProgress) => TaskEither<PortFailure, boolean>
}

/** How many events wait for an endpoint: those that were not taken up yet, and those to be tried again. */
export type PendingEvents = { readonly fresh: number; readonly retries: number }

/** How far waiting events are counted. */
export const MOST_PENDING = 1_000

/** Which endpoints to take up. */
export type DueQuery = {
  readonly shards: ReadonlyArray<number>
  readonly at: Instant
  readonly limit: number
  readonly except: ReadonlyArray<EndpointId>
  /** Workspaces that have their share already; none where it is absent. */
  readonly exceptWorkspaces?: ReadonlyArray<WorkspaceId>
  /** `true`: only endpoints whose latest attempt failed. `false`: only the others. Both where it is absent. */
  readonly failing?: boolean
}

/** An endpoint with something to deliver. */
export type DeliveryTask = {
  readonly endpoint: EventEndpoint
  readonly secrets: EndpointSecrets
  /** The last event that was taken up: it and all before it were delivered, wait to be tried again, or were given up. */
  readonly position: EventPosition
  /** How many attempts in a row have failed. */
  readonly failures: number
}

/** An event that is to be tried again. */
export type Retry = {
  readonly event: StoredEvent
  /** How many attempts were made; 0 where it is to be delivered again because its owner asked for it. */
  readonly attempts: number
  readonly firstAttemptAt: Instant
}

/** What came of some deliveries to an endpoint. */
export type DeliveryProgress = {
  readonly endpoint: EndpointId
  readonly from: EventPosition
  readonly to: EventPosition
  readonly attempts: ReadonlyArray<DeliveryAttempt>
  /** Events to be tried again, and when; a later one replaces an earlier one of the same event. */
  readonly retry: ReadonlyArray<{ readonly event: EventId; readonly attempts: number; readonly firstAttemptAt: Instant; readonly at: Instant }>
  /** Events that are not to be tried again, because they were delivered or given up. */
  readonly done: ReadonlyArray<EventId>
  readonly failures: number
  readonly failingSince: Instant | undefined
  /** Nothing is tried before this moment. */
  readonly pausedUntil: Instant | undefined
  /** Events that failed since this moment, except those in `retry`, are due at once: the endpoint has just recovered. */
  readonly hastenSince?: Instant
  readonly disabled?: true
}

/** A workspace with events for the broker. */
export type BrokerTask = { readonly workspace: WorkspaceId; readonly position: EventPosition }

/** How far the broker has got in a workspace. */
export type BrokerProgress = { readonly workspace: WorkspaceId; readonly from: EventPosition; readonly to: EventPosition }

/** How many events `redeliverSince` takes at most. */
export const MOST_REDELIVERED = 100_000

/** Endpoints are spread over this many shards, each of which one gateway delivers at a time. */
export const SHARDS = 16

/** The shard of an endpoint. Ids end in random digits. */
export const shardOf = (id: EndpointId): number => parseInt(id.slice(-1), 16)
