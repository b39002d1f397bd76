/**
 * Delivers events: to the endpoints of workspaces over HTTP, and to a broker, NATS JetStream or RabbitMQ. The optional packages `nats` and
 * `amqplib` are loaded when such a broker is opened.
 *
 * @packageDocumentation
 */
export { type AmqpOptions, type AmqpSink, openAmqpSink } from './brokers/amqp-sink.js'
export { type NatsOptions, type NatsSink, openNatsSink } from './brokers/nats-sink.js'
export { type EventDelivery, type EventDeliveryDeps, makeEventDelivery } from './event-delivery/event-delivery.js'
export { type AddressRange, parseAddressRange } from './shared/address.js'
export type { Resolve } from './webhooks/address.js'
export { makeWebhookSender, type WebhookOptions, type WebhookSender } from './webhooks/webhook-sender.js'
