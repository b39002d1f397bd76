import { createServer } from 'node:http'
import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { AlwaysOffSampler, ParentBasedSampler, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import type { MessageId } from '../../../core/messages/message.js'
import { type EventReceiver, startEventReceiver } from '../../support/event-receiver.js'
import { makeEventTools } from '../../support/event-tools.js'
import { eventually } from '../../support/eventually.js'
import { type Answer } from '../../support/gateway.js'
import { listening } from '../../support/listening.js'
import { type InProcessFixture, startInProcessFixture, type Tenant } from '../../support/process-fixture.js'
import { rightOf } from '../../support/right-of.js'
import { type RecordedSpans, recordSpans, traceparentOf } from '../../support/spans.js'
import { changeOf, inboundOf, notificationOf, statusOf } from './notifications.js'

const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const [CALLER_TRACE, CALLER_SPAN] = CALLER.split('-').slice(1)
/** The simulator reports nothing of messages to this customer. */
const SILENT_CUSTOMER = '15550100806'
const TEXT = 'Your parcel waits in Lisbon'
const SEND = 'POST /v1/messages/send-text'

/** What a random id may look like; digits in it say nothing. */
const RANDOM = /[0-9a-f]{16,}/g

const parentOf = (span: ReadableSpan | undefined): string | undefined => span?.parentSpanContext?.spanId
const linksOf = (span: ReadableSpan | undefined): ReadonlyArray<string> => (span?.links ?? []).map(({ context }) => context.traceId)

describe('Traces of a gateway', () => {
  let world: InProcessFixture
  let receiver: EventReceiver
  let tenant: Tenant
  let spans: RecordedSpans
  before(async () => {
    spans = recordSpans()
    world = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8', TRACES: 'on' })
  })
  beforeEach(async () => {
    receiver = await startEventReceiver()
    tenant = await world.tenant()
    spans.reset()
  })
  afterEach(() => receiver.close())
  after(async () => {
    await world[Symbol.asyncDispose]()
    spans[Symbol.dispose]()
  })

  const { addEndpoint, untilHeard } = makeEventTools(() => world.storage, () => receiver)

  const send = async (headers: Readonly<Record<string, string>> = {}, to = SILENT_CUSTOMER): Promise<Answer> => {
    await tenant.customerWrites(to)
    return tenant.ask('POST', '/v1/messages/send-text', { json: { to, text: TEXT }, headers })
  }
  const idOf = ({ headers }: Answer): MessageId => headers.get('Postern-Message') as MessageId
  const traceKept = async (answer: Answer): Promise<string | undefined> =>
    O.toUndefined(rightOf(await world.storage.messageLog.find(tenant.id, { id: idOf(answer) })))?.trace
  const report = async (answer: Answer, status: string): Promise<void> => {
    const reported = statusOf(idOf(answer), status, { id: answer.json['message_id'] })
    assert.equal((await world.notify(notificationOf([changeOf(tenant.phoneNumberId, { statuses: [reported] })]))).status, 200)
  }

  it('show the steps of a send inside its request, which is inside the span of its caller', async () => {
    const answer = await send({ traceparent: CALLER })
    const [request] = await spans.ended(SEND)
    assert.deepEqual([request?.kind, request?.spanContext().traceId, parentOf(request)], [SpanKind.SERVER, CALLER_TRACE, CALLER_SPAN])
    assert.deepEqual(request?.attributes, {
      'http.request.method': 'POST', 'http.route': '/v1/messages/send-text', 'http.response.status_code': 200,
      'postern.workspace': tenant.id, 'messaging.message.id': idOf(answer),
    })
    const steps = spans.all().filter((span) => span !== request)
    assert.deepEqual(steps.map(({ name, kind }) => [name, kind]), [
      ['queue', SpanKind.INTERNAL], ['hold', SpanKind.INTERNAL], ['send text', SpanKind.CLIENT], ['settle', SpanKind.INTERNAL],
    ])
    for (const step of steps) assert.equal(parentOf(step), request?.spanContext().spanId, step.name)
    assert.deepEqual(steps[2]?.attributes, {
      'messaging.system': 'whatsapp_cloud_api', 'messaging.operation.name': 'send', 'messaging.operation.type': 'send',
      'messaging.message.id': idOf(answer),
    })
    assert.equal(await traceKept(answer), traceparentOf(request as ReadableSpan))
  })

  for (const header of [
    '', 'nonsense', CALLER.replace('00-', 'ff-'), CALLER.replace(/-01$/, ''), `${CALLER}-more`, CALLER.toUpperCase(),
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  ]) {
    it(`start a new trace if the header traceparent is "${header}"`, async () => {
      await send({ traceparent: header })
      const [request] = await spans.ended(SEND)
      assert.isUndefined(request?.parentSpanContext)
    })
  }

  it('contain the code of a refusal, which is not a failure of the server', async () => {
    const refused = await tenant.ask('POST', '/v1/messages/send-text', { json: { to: '4915550100', text: TEXT } })
    assert.equal(refused.status, 400)
    const [request] = await spans.ended(SEND)
    assert.deepInclude(request?.attributes, { 'error.type': 'window_closed', 'http.response.status_code': 400 })
    assert.equal(request?.status.code, SpanStatusCode.UNSET)
  })

  it('say of a step that failed only the tag of its failure', async () => {
    const poor = await world.tenant('0.000001')
    assert.equal((await poor.send('4915550100')).status, 402)
    const [hold] = await spans.ended('hold')
    assert.deepEqual(hold?.attributes, { 'error.type': 'InsufficientBalance' })
    assert.deepEqual(hold?.status, { code: SpanStatusCode.ERROR })
    assert.isEmpty(hold?.events)
  })

  it('link each status and each delivery to the send of its message', async () => {
    await addEndpoint(tenant.id, ['message.*'])
    await untilHeard(() => send(), tenant.id)
    spans.reset()
    const answer = await send({ traceparent: CALLER })
    await report(answer, 'delivered')
    const statuses = await spans.ended('process status')
    assert.deepInclude(statuses[0]?.attributes, {
      'messaging.message.id': idOf(answer), 'postern.status': 'delivered', 'messaging.operation.type': 'process',
    })
    assert.deepEqual([statuses[0]?.kind, linksOf(statuses[0])], [SpanKind.CONSUMER, [CALLER_TRACE]])
    assert.equal(parentOf(statuses[0]), spans.named('POST /webhooks/platform')[0]?.spanContext().spanId)
    for (const type of ['message.accepted', 'message.delivered']) {
      // The delivery of an earlier send may end meanwhile.
      const delivery = await eventually(`a delivery of ${type} of the caller's trace`, () =>
        spans.named(`deliver ${type}`).find((span) => linksOf(span).includes(CALLER_TRACE ?? '')))
      assert.deepEqual([delivery.kind, delivery.parentSpanContext], [SpanKind.PRODUCER, undefined], type)
      const received = receiver.received.find(({ id }) => id === delivery.attributes['messaging.message.id'])
      assert.equal(received?.traceparent, traceparentOf(delivery))
    }
    assert.deepEqual(receiver.faults, [])
  })

  it('link the delivery of what a customer wrote to the notification that brought it', async () => {
    await addEndpoint(tenant.id, ['message.received'])
    await untilHeard(
      () =>
        world.notify(
          notificationOf([changeOf(tenant.phoneNumberId, { messages: [inboundOf('4915550177', { id: `wamid.${Math.random()}` })] })]),
        ),
      tenant.id,
    )
    const [delivery] = await spans.ended('deliver message.received')
    const inbound = await spans.ended('process message')
    assert.lengthOf(linksOf(delivery), 1)
    assert.includeMembers(inbound.map((span) => span.spanContext().traceId), [...linksOf(delivery)])
  })

  it('never reach the platform', async () => {
    const seen: Array<ReadonlyArray<string>> = []
    const platform = await listening(createServer((request, response) => {
      seen.push([request.method ?? '', ...Object.keys(request.headers)])
      response.setHeader('Content-Type', 'application/json').end('{"messages":[{"id":"wamid.HBgLMTU1NTAxMDA4MDY"}]}')
    }))
    try {
      await world.restart({ PLATFORM_URL: platform.url })
      assert.equal((await send({ traceparent: CALLER })).status, 200)
      // The gateway reads numbers, too, once it has started.
      assert.lengthOf(seen.filter(([method]) => method === 'POST'), 1)
      for (const name of ['traceparent', 'tracestate', 'baggage']) assert.notInclude(seen.flat(), name)
    } finally {
      await world.restart()
      await platform.close()
    }
  })

  it('that are not sampled keep nothing, and tell the receiver so', async () => {
    spans.reset(new ParentBasedSampler({ root: new AlwaysOffSampler() }))
    await addEndpoint(tenant.id, ['message.*'])
    await untilHeard(() => send(), tenant.id)
    const answer = await send()
    assert.isUndefined(await traceKept(answer))
    await eventually('its event', () => receiver.received.find(({ data }) => data['id'] === idOf(answer)))
    assert.isEmpty(spans.all())
    for (const { traceparent } of receiver.received) assert.match(traceparent ?? '', /-00$/)
    const recorded = await send({ traceparent: CALLER })
    assert.include(await traceKept(recorded), CALLER_TRACE)
  })

  it('never contain a number, a name, a text, an id of the platform, a key, a secret or an address', async () => {
    const endpoint = await addEndpoint(tenant.id, ['*'])
    await untilHeard(() => send(), tenant.id)
    const [number, name, answerText] = ['4915550123', 'Ana Beatriz', 'Where is it?']
    const answer = await send({ traceparent: CALLER, 'X-Request-Id': number, 'Idempotency-Key': `order-${number}` }, number)
    await tenant.send(number)
    await tenant.ask('POST', '/v1/messages/send-text', {
      json: { to: number, text: TEXT }, headers: { 'Idempotency-Key': `order-${number}` },
    })
    for (const digits of ['026', '470', '500']) await tenant.send(`15550100${digits}`)
    await tenant.ask('GET', `/v1/customers/${number}`)
    await tenant.ask('GET', `/v1/messages?to=${number}`)
    await tenant.ask('GET', `/nothing/${number}`)
    await tenant.ask('POST', `/graph/v25.0/${tenant.phoneNumberId}/messages?access_token=${tenant.key}`, {
      json: { messaging_product: 'whatsapp', to: number, text: { body: TEXT } },
    })
    for (const status of ['sent', 'delivered', 'read']) await report(answer, status)
    const contacts = [{ profile: { name }, wa_id: number }]
    await world.notify(
      notificationOf([changeOf(tenant.phoneNumberId, { contacts, messages: [inboundOf(number, { text: { body: answerText } })] })]),
    )
    await world.notify('{}', { 'X-Hub-Signature-256': 'sha256=00' })
    await spans.ended('deliver message.received')
    await spans.ended('deliver message.failed')
    await world.simulator.idle()
    const spanTexts = spans.all().map(({ name: title, attributes, events, links, status }) =>
      JSON.stringify({ title, attributes, events, links, status }).replaceAll(RANDOM, ''))
    assert.isAbove(spanTexts.length, 50)
    const secrets = [
      number, '15550100', SILENT_CUSTOMER, name, answerText, TEXT, 'wamid', String(answer.json['message_id']), tenant.key,
      tenant.phoneNumberId, receiver.secret, receiver.url, String(endpoint), world.url, world.simulator.url, '127.0.0.1', 'hello_world',
      'order-',
    ].filter((text) => text !== '' && text !== 'undefined')
    for (const text of secrets) assert.isEmpty(spanTexts.filter((one) => one.includes(text)), text)
    assert.isTrue(spans.all().every(({ events }) => events.length === 0))
  })
})

describe('A gateway without TRACES', () => {
  it('makes no spans, keeps nothing and sends no header, whatever is registered', async () => {
    using spans = recordSpans()
    const receiver = await startEventReceiver()
    const world = await startInProcessFixture({ EVENTS_ALLOW: '127.0.0.0/8' })
    try {
      const tenant = await world.tenant()
      const { addEndpoint, untilHeard } = makeEventTools(() => world.storage, () => receiver)
      await addEndpoint(tenant.id, ['message.*'])
      await untilHeard(
        () =>
          tenant.ask('POST', '/v1/messages/send-template', {
            json: { to: SILENT_CUSTOMER, template_name: 'hello_world' }, headers: { traceparent: CALLER },
          }),
        tenant.id,
      )
      assert.isEmpty(spans.all())
      for (const event of receiver.received) assert.notProperty(event, 'traceparent')
    } finally {
      await world[Symbol.asyncDispose]()
      await receiver.close()
    }
  })
})
