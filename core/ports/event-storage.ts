import type { EventDeliveries } from './event-deliveries.js'
import type { EventEndpoints } from './event-endpoints.js'
import type { EventOutbox } from './event-outbox.js'

/** The ports that store events and how far they were delivered; an adapter of `StoragePorts` may leave them out. */
export type EventPorts = {
  readonly eventOutbox: EventOutbox
  readonly eventEndpoints: EventEndpoints
  readonly eventDeliveries: EventDeliveries
}
