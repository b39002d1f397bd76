import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AlwaysOnSampler, BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, type Sampler, SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { eventually } from './eventually.js'

/** The OpenTelemetry SDK, registered in this process, with the spans that have ended. */
export type RecordedSpans = Disposable & {
  readonly all: () => ReadonlyArray<ReadableSpan>
  readonly named: (name: string) => ReadonlyArray<ReadableSpan>
  /** Waits until `count` spans with a name have ended. */
  readonly ended: (name: string, count?: number) => Promise<ReadonlyArray<ReadableSpan>>
  /** Removes the recorded spans and sets the sampling rule; by default every trace is sampled. */
  readonly reset: (sampler?: Sampler) => void
}

/** Registers the SDK. A tracer keeps the first registered SDK, so tests of one gateway share it. */
export const recordSpans = (): RecordedSpans => {
  const exporter = new InMemorySpanExporter()
  let sampler: Sampler = new AlwaysOnSampler()
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
    sampler: { shouldSample: (...asked) => sampler.shouldSample(...asked), toString: () => 'the sampler of the test' },
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(provider)
  const named = (name: string): ReadonlyArray<ReadableSpan> => exporter.getFinishedSpans().filter((span) => span.name === name)
  return {
    all: () => exporter.getFinishedSpans(), named,
    ended: async (name, count = 1) => {
      await eventually(`the end of ${count} spans "${name}"`, () => (named(name).length >= count ? true : undefined))
      return named(name)
    },
    reset: (next = new AlwaysOnSampler()) => {
      sampler = next
      exporter.reset()
    },
    [Symbol.dispose]: () => {
      trace.disable()
      context.disable()
    },
  }
}

/** A span in the format of the header `traceparent`. */
export const traceparentOf = (span: ReadableSpan): string => {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${String(traceFlags).padStart(2, '0')}`
}
