/**
 * Delivers events to the endpoints of workspaces and to a broker: in order, again where an attempt failed, and by one process at a time.
 *
 * @packageDocumentation
 */
export { type EventDelivery, type EventDeliveryDeps, makeEventDelivery } from './event-delivery.js'
