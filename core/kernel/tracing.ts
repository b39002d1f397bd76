/**
 * A trace and one of its spans: a `traceparent` header of W3C Trace Context, version 00.
 *
 * It consists of random ids and flags, and contains no personal data.
 */
export type TraceContext = string & { readonly TraceContext: unique symbol }

/** The span in which something happened, so that later spans can name it. */
export type Traced = {
  /** The span, if it was recorded. */
  readonly trace?: TraceContext
}

const FORM = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Reads a `traceparent` header; `undefined` if it is not valid, because the standard says to ignore it then. A later version is read like version 00, as far as possible. */
export const parseTraceContext = (header: string): TraceContext | undefined => {
  const text = /^(?!00|ff)[0-9a-f]{2}-.{52}(-|$)/.test(header) ? `00${header.slice(2, 55)}` : header
  return FORM.test(text) ? text as TraceContext : undefined
}

/** Whether the span is recorded, which the last bit of the flags says. */
export const isRecorded = (context: TraceContext): boolean => Number.parseInt(context.slice(-2), 16) % 2 === 1

/** The kind of a span: a client's request, a call, an outgoing or incoming message, or internal work. */
export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

/**
 * The attributes of a span. They never contain a phone number, a name, a text, an address of a customer or the platform's id of a message, which contains a number: traces
 * are sent to systems other than the books, and are retained under other rules.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** The attributes of a span about a message on the platform. */
export const PLATFORM_ATTRIBUTES: SpanAttributes = { 'messaging.system': 'whatsapp_cloud_api' }

/** A span to start. */
export type NewSpan = {
  /** A name from a fixed list, so that spans can be counted by name. */
  readonly name: string
  readonly kind: SpanKind
  readonly attributes?: SpanAttributes
  /** The span of another process that caused this one. It is ignored inside another span. */
  readonly parent?: TraceContext | undefined
  /** A related span of another trace. */
  readonly link?: TraceContext | undefined
  /** The span starts a new trace instead of joining the active one: the request that triggered a job is often not the request that the job works for. */
  readonly isRoot?: true
}

/** A running span. */
export type Span = {
  /** Whether attributes of the span are kept. If not, the work to determine costly attributes can be saved. */
  readonly isRecording: boolean
  readonly name: (name: string) => void
  readonly say: (attributes: SpanAttributes) => void
  /** Links a related span of another trace. */
  readonly link: (context: TraceContext) => void
  /** Marks the span as failed. `code` is the tag or the code of a failure, never its sentence, which may quote the message. */
  readonly fail: (code: string) => void
}

/** The destination of spans. If it is absent, no spans are created and no work is done for them. */
export interface Tracer {
  /**
   * Runs work in a span, which ends with the work. Spans that the work starts are inside this span.
   *
   * It returns the result of the work. If the work rejects, the span fails with `defect` and does not contain the reason.
   */
  readonly span: <Result>(span: NewSpan, work: (span: Span) => Promise<Result>) => Promise<Result>
  /** The context of the span in which this is called; none outside all spans. */
  readonly current: () => TraceContext | undefined
}

/** The dependencies of tracing. */
export type TracingDeps = { readonly tracer?: Tracer | undefined }

/** A failure or a value: the part of an `Either` that a span needs. */
type Outcome = { readonly _tag: 'Left'; readonly left: { readonly _tag: string } } | { readonly _tag: 'Right' }

/** Runs work in a span if there is a tracer. If the work fails, the span fails too; it contains only the tag of the failure. */
export const inSpan = <Result extends Outcome>(
  tracer: Tracer | undefined, wanted: NewSpan | (() => NewSpan), work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> =>
  tracer === undefined ? work(undefined) : tracer.span(typeof wanted === 'function' ? wanted() : wanted, async (span) => {
    const outcome = await work(span)
    if (outcome._tag === 'Left') span.fail(outcome.left._tag)
    return outcome
  })

/** The context to store with an event of this span; none if the span is not recorded, because a link to it would lead nowhere. */
export const contextToKeep = (tracer: Tracer | undefined): TraceContext | undefined => {
  const context = tracer?.current()
  return context !== undefined && isRecorded(context) ? context : undefined
}
