/**
 * Events to NATS JetStream. It needs the optional package `nats`.
 *
 * @packageDocumentation
 */
export { type NatsOptions, type NatsSink, openNatsSink } from './nats-sink.js'
