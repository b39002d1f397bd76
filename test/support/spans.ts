import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, type Sampler, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { eventually } from './eventually.js'

/** The OpenTelemetry SDK, registered in this process, with the spans that have ended. */
export type RecordedSpans = Disposable & {
  readonly all: () => ReadonlyArray<ReadableSpan>
  readonly named: (name: string) => ReadonlyArray<ReadableSpan>
  /** Waits until so many spans of a name have ended. */
  readonly ended: (name: string, count?: number) => Promise<ReadonlyArray<ReadableSpan>>
  readonly reset: () => void
}

/** Registers the SDK. Only one test at a time may, since a process has one. */
export const recordSpans = (sampler?: Sampler): RecordedSpans => {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)], ...(sampler && { sampler }) })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  const named = (name: string): ReadonlyArray<ReadableSpan> => exporter.getFinishedSpans().filter((span) => span.name === name)
  return {
    all: () => exporter.getFinishedSpans(), named,
    ended: async (name, count = 1) => {
      await eventually(`the end of ${count} spans "${name}"`, () => (named(name).length >= count ? true : undefined))
      return named(name)
    },
    reset: () => { exporter.reset() },
    [Symbol.dispose]: () => {
      trace.disable()
      context.disable()
    },
  }
}

/** A span as the header `traceparent` names it. */
export const traceparentOf = (span: ReadableSpan): string => {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${String(traceFlags).padStart(2, '0')}`
}
