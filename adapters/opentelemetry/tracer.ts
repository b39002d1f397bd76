import type * as Api from '@opentelemetry/api'
import { parseTraceContext, type Span, type SpanKind, type TraceContext, type Tracer } from '../../core/kernel/tracing.js'

/** The name of the instrumentation, by which an SDK may tell its spans from others. */
const NAME = 'postern'

/**
 * Opens a tracer whose spans go to the tracer provider that is registered, whenever that is; where none is, they go nowhere.
 *
 * Spans are inside one another by the API's active context, so a context manager must be registered, which the Node.js SDK does. It rejects where the
 * package `@opentelemetry/api` is not installed.
 */
export const openTracer = async (version?: string): Promise<Tracer> => tracerOf(await loadApi(), version)

const loadApi = async (): Promise<typeof Api> => {
  try {
    return await import('@opentelemetry/api')
  } catch (cause) {
    if (!(cause instanceof Error) || !cause.message.includes("'@opentelemetry/api'")) throw cause
    throw new Error(
      'the package @opentelemetry/api is needed for traces and not installed; `npm install @opentelemetry/api` adds it', { cause },
    )
  }
}

const tracerOf = (
  { context, isSpanContextValid, ROOT_CONTEXT, SpanKind: Kind, SpanStatusCode, trace, TraceFlags }: typeof Api, version: string | undefined,
): Tracer => {
  const tracer = trace.getTracer(NAME, version)
  const kinds: Readonly<Record<SpanKind, Api.SpanKind>> = {
    server: Kind.SERVER, client: Kind.CLIENT, producer: Kind.PRODUCER, consumer: Kind.CONSUMER, internal: Kind.INTERNAL,
  }

  const recordingSpan = (span: Api.Span): Span => ({
    isRecording: true,
    name: (name) => { span.updateName(name) },
    say: (attributes) => { span.setAttributes(attributes) },
    link: (linked) => { span.addLink({ context: spanContextOf(linked) }) },
    fail: (code) => { span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', code) },
  })

  const spanContextOf = (text: TraceContext): Api.SpanContext => {
    const [, traceId = '', spanId = '', flags = ''] = text.split('-')
    return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  }

  return {
    span: (wanted, work) => {
      const within = wanted.isRoot === true ? ROOT_CONTEXT : context.active()
      const outer = trace.getSpan(within)
      // Nothing inside a span that was not sampled is recorded, so no span is made for it.
      if (outer !== undefined && !outer.isRecording() && outer.spanContext().isRemote !== true && isSpanContextValid(outer.spanContext())) {
        return work(NOT_RECORDED)
      }
      const parent = outer === undefined && wanted.parent !== undefined
        ? trace.setSpanContext(within, spanContextOf(wanted.parent))
        : within
      const span = tracer.startSpan(wanted.name, {
        kind: kinds[wanted.kind], ...(wanted.attributes && { attributes: wanted.attributes }),
        ...(wanted.link && { links: [{ context: spanContextOf(wanted.link) }] }),
      }, parent)
      if (!span.isRecording()) return context.with(trace.setSpan(parent, span), work, undefined, NOT_RECORDED)
      const recorded = recordingSpan(span)
      return context.with(trace.setSpan(parent, span), work, undefined, recorded).then(
        (result) => {
          span.end()
          return result
        },
        (error: unknown) => {
          recorded.fail('defect')
          span.end()
          throw error
        },
      )
    },
    current: () => {
      const active = trace.getSpanContext(context.active())
      if (active === undefined || !isSpanContextValid(active)) return undefined
      const { traceId, spanId, traceFlags } = active
      return parseTraceContext(`00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`)
    },
  }
}

/** The span of what is not recorded. */
const NOT_RECORDED: Span = { isRecording: false, name: () => undefined, say: () => undefined, link: () => undefined, fail: () => undefined }
