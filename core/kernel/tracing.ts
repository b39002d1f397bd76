/**
 * Which trace, and which span of it: a header `traceparent` of W3C Trace Context, version 00.
 *
 * It consists of random ids and flags, and contains no personal data.
 */
export type TraceContext = string & { readonly TraceContext: unique symbol }

/** What came about in a span, so that later spans can name it. */
export type Traced = {
  /** The span, where it was recorded. */
  readonly trace?: TraceContext
}

const FORM = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Reads a header `traceparent`; `undefined` where it is not one, which the standard says to ignore. A later version is read as this one, as far as it goes. */
export const parseTraceContext = (header: string): TraceContext | undefined => {
  const text = /^(?!00|ff)[0-9a-f]{2}-.{52}(-|$)/.test(header) ? `00${header.slice(2, 55)}` : header
  return FORM.test(text) ? text as TraceContext : undefined
}

/** Whether the span is recorded, by the last bit of the flags. */
export const isRecorded = (context: TraceContext): boolean => Number.parseInt(context.slice(-2), 16) % 2 === 1

/** What a span is for: a request of a client, a call, a message that goes out or comes in, or work inside. */
export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

/**
 * What is said of a span. Never a phone number, a name, a text, an address of a customer or the platform's id of a message, which contains a number: traces
 * go where the books do not, and are kept by other rules.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

/** What a span says that is about a message on the platform. */
export const PLATFORM_ATTRIBUTES: SpanAttributes = { 'messaging.system': 'whatsapp_cloud_api' }

/** A span to begin. */
export type NewSpan = {
  /** Of a fixed list, so that spans can be counted by it. */
  readonly name: string
  readonly kind: SpanKind
  readonly attributes?: SpanAttributes
  /** The span of another process that caused this one. It does not count inside another span. */
  readonly parent?: TraceContext | undefined
  /** The span of another trace that has to do with this one. */
  readonly link?: TraceContext | undefined
  /** The span starts a new trace instead of joining the active one: the request that woke a job is often not the one that the job works for. */
  readonly isRoot?: true
}

/** A span under way. */
export type Span = {
  /** Whether what is said of it is kept: what costs something to find out need not be found out where it is not. */
  readonly isRecording: boolean
  readonly name: (name: string) => void
  readonly say: (attributes: SpanAttributes) => void
  /** Another trace has to do with it. */
  readonly link: (context: TraceContext) => void
  /** It failed. `code` is the tag or the code of a failure, and never its sentence, which may quote what was sent. */
  readonly fail: (code: string) => void
}

/** Where spans go. Where it is absent there are none, and nothing is done for them. */
export interface Tracer {
  /**
   * Runs work in a span, which ends with it. Spans that the work begins are inside this one.
   *
   * The answer is that of the work. Where the work rejects, the span has failed with `defect`, and says nothing of why.
   */
  readonly span: <Result>(span: NewSpan, work: (span: Span) => Promise<Result>) => Promise<Result>
  /** The context of the span in which this is called; none outside of all spans. */
  readonly current: () => TraceContext | undefined
}

/** What using a tracer needs. */
export type TracingDeps = { readonly tracer?: Tracer | undefined }

/** The failure or the value of something: an `Either`, as far as a span has to know it. */
type Outcome = { readonly _tag: 'Left'; readonly left: { readonly _tag: string } } | { readonly _tag: 'Right' }

/** Runs work in a span where there is a tracer. A failure of the work is the span's; its tag alone is said. */
export const inSpan = <Result extends Outcome>(
  tracer: Tracer | undefined, wanted: NewSpan | (() => NewSpan), work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> =>
  tracer === undefined ? work(undefined) : tracer.span(typeof wanted === 'function' ? wanted() : wanted, async (span) => {
    const outcome = await work(span)
    if (outcome._tag === 'Left') span.fail(outcome.left._tag)
    return outcome
  })

/** The context to keep with what happens in this span: none where the span is not recorded, since a link to it would lead nowhere. */
export const contextToKeep = (tracer: Tracer | undefined): TraceContext | undefined => {
  const context = tracer?.current()
  return context !== undefined && isRecorded(context) ? context : undefined
}
