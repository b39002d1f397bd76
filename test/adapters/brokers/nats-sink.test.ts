import { assert } from 'chai'
import { connect, type NatsConnection } from 'nats'
import { openNatsSink, subjectOf } from '../../../adapters/brokers/nats-sink.js'
import { eventIdOf } from '../../../core/kernel/ids.js'
import { type EventSinkFixture, eventSinkLaws } from '../../laws/event-sink.js'
import { type BrokerServer, describeBroker, NATS } from '../../support/broker-server.js'
import { describeLaws } from '../../support/describe-laws.js'
import { openTcpProxy } from '../../support/tcp-proxy.js'
import { EVENT, TRACER } from '../webhooks/sample-event.js'
import { untilDelivers } from './until-delivers.js'

const STREAM = 'POSTERN'

/** Everything that the stream holds, oldest first. */
const stored = async (
  connection: NatsConnection,
): Promise<ReadonlyArray<{ readonly subject: string; readonly body: unknown; readonly traceparent: string }>> => {
  const { streams } = await connection.jetstreamManager()
  const { state } = await streams.info(STREAM)
  return Promise.all(Array.from({ length: state.messages }, async (_, index) => {
    const { subject, data, header } = await streams.getMessage(STREAM, { seq: state.first_seq + index })
    return { subject, body: JSON.parse(new TextDecoder().decode(data)), traceparent: header.get('traceparent') }
  }))
}

describeBroker('the sink of NATS', NATS, (startServer) => {
  let server: BrokerServer
  let client: NatsConnection

  before(async () => {
    server = await startServer()
  })
  after(() => server[Symbol.asyncDispose]())
  beforeEach(async () => {
    client = await connect({ servers: `127.0.0.1:${server.port}`, maxReconnectAttempts: -1, reconnectTimeWait: 50 })
  })
  afterEach(async () => {
    await (await client.jetstreamManager()).streams.delete(STREAM).catch(() => undefined)
    await client.close()
  })

  const openFixture = async (): Promise<EventSinkFixture & AsyncDisposable> => {
    const proxy = await openTcpProxy(`nats://user:pa%40ss@127.0.0.1:${server.port}`)
    const sink = await openNatsSink(proxy.url, { timeoutMs: 2_000 })
    return {
      sink,
      received: async () => (await stored(client)).map(({ body }) => body),
      goDown: proxy.refuse,
      hang: async () => proxy.hang(),
      comeBack: async () => {
        // What was swallowed on a silent connection is lost, so the connection ends.
        await proxy.refuse()
        await proxy.recover()
        await untilDelivers(sink)
      },
      secrets: ['user', 'pa@ss', 'pa%40ss', '127.0.0.1'],
      [Symbol.asyncDispose]: async () => {
        await sink.close()
        await proxy.close()
      },
    }
  }

  describeLaws('keeps the laws', eventSinkLaws, openFixture)

  it('publishes to a subject of the workspace and the type, and JetStream drops what it has already', async () => {
    const sink = await openNatsSink(`nats://127.0.0.1:${server.port}`)
    for (let nth = 0; nth < 3; nth += 1) assert.isTrue((await sink.deliver(EVENT)).delivered)
    assert.deepEqual((await stored(client)).map(({ subject }) => subject), [`postern.${EVENT.workspace}.message.received`])
    await sink.close()
    assert.isFalse((await sink.deliver(EVENT)).delivered)
  })

  it('names the span of a delivery in a header, and without one has no such header', async () => {
    const url = `nats://127.0.0.1:${server.port}`
    for (const tracing of [{ tracer: TRACER }, {}]) {
      const sink = await openNatsSink(url, tracing)
      assert.isTrue(
        (await sink.deliver({ ...EVENT, id: eventIdOf(`0192a000-0000-7000-8000-00000000001${'tracer' in tracing ? 1 : 2}`) })).delivered,
      )
      await sink.close()
    }
    assert.deepEqual((await stored(client)).map(({ traceparent }) => traceparent), [TRACER.current(), ''])
  })

  it('leaves a stream as its operator has made it', async () => {
    const { streams } = await client.jetstreamManager()
    await streams.add({ name: STREAM, subjects: ['postern.>'], max_msgs: 7 })
    const sink = await openNatsSink(`nats://127.0.0.1:${server.port}`)
    assert.isTrue((await sink.deliver(EVENT)).delivered)
    await sink.close()
    assert.equal((await streams.info(STREAM)).config.max_msgs, 7)
  })

  it('creates the stream again if it was deleted', async () => {
    const sink = await openNatsSink(`nats://127.0.0.1:${server.port}`)
    await (await client.jetstreamManager()).streams.delete(STREAM)
    await untilDelivers(sink)
    await sink.close()
  })

  it('says that an event is too large, and goes on', async () => {
    const sink = await openNatsSink(`nats://127.0.0.1:${server.port}`)
    const { delivered, error } = await sink.deliver({ ...EVENT, data: { text: 'x'.repeat(2_000_000) } })
    assert.isFalse(delivered)
    assert.equal(error, 'The event is larger than the broker takes')
    assert.isTrue((await sink.deliver(EVENT)).delivered)
    await sink.close()
  })

  it('loses nothing that it has confirmed when the server is killed and started again', async () => {
    const sink = await openNatsSink(`nats://127.0.0.1:${server.port}`, { timeoutMs: 2_000 })
    const ids = Array.from({ length: 60 }, (_, nth) => eventIdOf(`0192a000-0000-7000-9000-${String(nth).padStart(12, '0')}`))
    for (const [nth, id] of ids.entries()) {
      if (nth === 20 || nth === 40) {
        const underWay = sink.deliver({ ...EVENT, id })
        await server.kill()
        await underWay
        assert.isFalse((await sink.deliver({ ...EVENT, id })).delivered)
        await server.start()
      }
      await untilDelivers(sink, { ...EVENT, id })
    }
    const got = (await stored(client)).map(({ body }) => (body as { readonly id: string }).id)
    assert.deepEqual([...new Set(got)], ids)
    await sink.close()
  })
})

describe('a sink of NATS', () => {
  it('opens while its server is away, and says so without the credentials', async () => {
    // It takes connections and ends them, because no server listens behind it.
    const proxy = await openTcpProxy('nats://someone:hidden@127.0.0.1:1')
    const sink = await openNatsSink(proxy.url)
    const result = await sink.deliver(EVENT)
    await sink.close()
    await proxy.close()
    assert.isFalse(result.delivered)
    assert.match(result.error ?? '', /^The broker cannot be reached/)
    assert.notMatch(JSON.stringify(result), /someone|hidden|127\.0/)
  })

  it('is not opened with a URL that cannot be read, and the error does not show it', async () => {
    for (const url of ['nats://', 'someone:hidden', 'nats://someone:hidden@', 'nats://someone:hidden@h:port']) {
      const error = await openNatsSink(url).then(() => undefined, (cause: unknown) => String(cause))
      assert.match(error ?? '', /the URL of the broker/)
      assert.notInclude(error, 'hidden')
    }
  })

  it('writes no character of a workspace that means something in a subject', () => {
    assert.equal(subjectOf({ ...EVENT, workspace: 'a.b *>' as typeof EVENT.workspace }), 'postern.a_b___.message.received')
  })
})
