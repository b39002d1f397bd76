/**
 * Events to RabbitMQ. It needs the optional package `amqplib`.
 *
 * @packageDocumentation
 */
export { type AmqpOptions, type AmqpSink, openAmqpSink } from './amqp-sink.js'
