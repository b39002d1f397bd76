/**
 * Events to RabbitMQ. It needs the optional package `amqplib`.
 *
 * @packageDocumentation
 */
export { openAmqpSink, type AmqpOptions, type AmqpSink } from './amqp-sink.js'
