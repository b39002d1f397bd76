/**
 * Events to NATS JetStream. It needs the optional package `nats`.
 *
 * @packageDocumentation
 */
export { openNatsSink, type NatsOptions, type NatsSink } from './nats-sink.js'
