/**
 * Spans for OpenTelemetry. It needs the optional package `@opentelemetry/api`, and no SDK: the program that embeds it registers one.
 *
 * @packageDocumentation
 */
export { openTracer } from './tracer.js'
