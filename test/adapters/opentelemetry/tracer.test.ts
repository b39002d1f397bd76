import { context, trace } from '@opentelemetry/api'
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace-base'
import { assert } from 'chai'
import { openTracer } from '../../../adapters/opentelemetry/index.js'
import { type NewSpan, parseTraceContext, type Tracer } from '../../../core/kernel/tracing.js'
import { type RecordedSpans, recordSpans, traceparentOf } from '../../support/spans.js'

const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const named = (name: string, more: Partial<NewSpan> = {}): NewSpan => ({ name, kind: 'internal', ...more })

describe('A tracer over OpenTelemetry', () => {
  let spans: RecordedSpans
  let tracer: Tracer
  before(async () => {
    spans = recordSpans()
    tracer = await openTracer('1.2.3')
  })
  beforeEach(() => { spans.reset() })
  after(() => { spans[Symbol.dispose]() })

  it('has no context outside of spans, and inside the one that it began', async () => {
    assert.isUndefined(tracer.current())
    const inside = await tracer.span(named('one'), async () => tracer.current())
    const [one] = spans.named('one')
    assert.equal(inside, one && traceparentOf(one))
    assert.deepInclude(one?.instrumentationScope, { name: 'postern', version: '1.2.3' })
  })

  it('is inside the span that an operator began, whatever the header says', async () => {
    const outer = trace.getTracer('http').startSpan('outer')
    await context.with(trace.setSpan(context.active(), outer), () =>
      tracer.span(named('one', { parent: parseTraceContext(CALLER) }), async () => undefined))
    outer.end()
    assert.equal(spans.named('one')[0]?.parentSpanContext?.spanId, outer.spanContext().spanId)
  })

  it('begins a trace of its own if that is asked for', async () => {
    await tracer.span(named('outer'), () => tracer.span(named('job', { isRoot: true }), async () => undefined))
    const [job, outer] = [spans.named('job')[0], spans.named('outer')[0]]
    assert.isUndefined(job?.parentSpanContext)
    assert.notEqual(job?.spanContext().traceId, outer?.spanContext().traceId)
  })

  it('fails with nothing but a word if the work rejects', async () => {
    const error = new Error('the number 4915550100 is not reachable')
    assert.equal(await tracer.span(named('one'), () => Promise.reject(error)).catch((caught: unknown) => caught), error)
    const [one] = spans.named('one')
    assert.deepEqual([one?.attributes, one?.status, one?.events], [{ 'error.type': 'defect' }, { code: 2 }, []])
  })

  it('asks the sampler once for all that is inside a span', async () => {
    let asked = 0
    const off = new AlwaysOffSampler()
    spans.reset({ shouldSample: () => {
      asked += 1
      return off.shouldSample()
    }, toString: () => 'counting' })
    const recording = await tracer.span(named('one'), () =>
      tracer.span(named('two'), (inner) => tracer.span(named('three'), async () => inner.isRecording)))
    assert.deepEqual([asked, recording, spans.all().length], [1, false, 0])
  })
})

describe('A header traceparent', () => {
  it('of a later version is read as far as it is known', () => {
    assert.equal(parseTraceContext(`01${CALLER.slice(2)}-what-comes-next`), CALLER)
    assert.equal(parseTraceContext(`cc${CALLER.slice(2)}`), CALLER)
    assert.isUndefined(parseTraceContext(`cc${CALLER.slice(2)}more`))
    assert.isUndefined(parseTraceContext(`ff${CALLER.slice(2)}`))
  })
})
