import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  MOST_PENDING, MOST_REDELIVERED, shardOf, SHARDS, type Along, type AttemptResult, type BrokerProgress, type BrokerTask, type DeliveryAttempt, type DeliveryProgress,
  type DeliveryTask, type DueQuery, type EndpointId, type EndpointSecrets, type Event, type EventDeliveries, type EventEndpoint, type EventId,
  type EventPosition, type Instant, type Page, type PageQuery, type PendingEvents, type PortFailure, type Retry, type StoredEvent, type WorkspaceId,
} from '../../../core/ports/event-deliveries.js'

/** A task of an endpoint. */
export const taskOf = (endpoint: EventEndpoint, secrets: EndpointSecrets, position: EventPosition): DeliveryTask => ({ endpoint, secrets, position, failures: 0 })

/** A retry of an event at a moment. */
export const retryOf = (event: StoredEvent, firstAttemptAt: Instant): Retry => ({ event, attempts: 1, firstAttemptAt })

/** What a result says of an attempt. */
export const delivered = ({ delivered: isDelivered }: AttemptResult): boolean => isDelivered

export const eventDeliveries = (
  tasks: ReadonlyArray<DeliveryTask>, retries: ReadonlyArray<Retry>, log: Array<DeliveryAttempt>, broker: Map<WorkspaceId, EventPosition>,
): EventDeliveries => ({
  due: ({ shards, limit, except }: DueQuery): TE.TaskEither<PortFailure, ReadonlyArray<DeliveryTask>> => TE.right(
    tasks.filter(({ endpoint: { id } }) => shards.length <= SHARDS && shards.includes(shardOf(id)) && !except.includes(id)).slice(0, limit)),
  retries: (_id: EndpointId, _at, limit) => TE.right(retries.slice(0, limit)),
  record: ({ attempts }: DeliveryProgress, _along?: Along<EventEndpoint>) => TE.fromIO(() => {
    log.push(...attempts)
    return true
  }),
  log: (attempt) => TE.fromIO(() => { log.push(attempt) }),
  pending: (): TE.TaskEither<PortFailure, PendingEvents> => TE.right({ fresh: Math.min(MOST_PENDING, tasks.length), retries: retries.length }),
  attempts: (_id, { limit }: PageQuery): TE.TaskEither<PortFailure, Page<DeliveryAttempt>> => TE.right({ items: log.slice(0, limit), next: undefined }),
  redeliver: (_id, event: EventId) => TE.right(retries.some((retry) => (retry.event satisfies Event).id === event)),
  redeliverSince: () => TE.right(Math.min(MOST_REDELIVERED, retries.length)),
  brokerDue: (limit): TE.TaskEither<PortFailure, ReadonlyArray<BrokerTask>> =>
    TE.right(Array.from(broker, ([workspace, position]) => ({ workspace, position })).slice(0, limit)),
  recordBroker: ({ workspace, from, to }: BrokerProgress) => TE.fromIO(() => {
    const isThere = broker.get(workspace) === from
    if (isThere) broker.set(workspace, to)
    return isThere
  }),
})
