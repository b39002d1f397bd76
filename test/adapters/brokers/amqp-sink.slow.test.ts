// Slow: starts a RabbitMQ, which takes ten seconds, and kills it and starts it again.
import { type Channel, type ChannelModel, connect } from 'amqplib'
import { assert } from 'chai'
import { openAmqpSink } from '../../../adapters/brokers/amqp-sink.js'
import { eventIdOf } from '../../../core/kernel/ids.js'
import { type EventSinkFixture, eventSinkLaws } from '../../laws/event-sink.js'
import { type BrokerServer, describeBroker, RABBITMQ } from '../../support/broker-server.js'
import { describeLaws } from '../../support/describe-laws.js'
import { openTcpProxy } from '../../support/tcp-proxy.js'
import { EVENT, TRACER } from '../webhooks/sample-event.js'
import { untilDelivers } from './until-delivers.js'

const EXCHANGE = 'postern'
const QUEUE = 'everything'

describeBroker('the sink of RabbitMQ', RABBITMQ, (startServer) => {
  let server: BrokerServer
  let client: ChannelModel
  let channel: Channel

  const connectClient = async (): Promise<void> => {
    client = await connect(`amqp://127.0.0.1:${server.port}`)
    client.on('error', () => undefined)
    channel = await client.createChannel()
    channel.on('error', () => undefined)
  }

  before(async function () {
    server = await startServer()
  })
  after(async function () {
    await server[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await connectClient()
    await channel.assertExchange(EXCHANGE, 'topic', { durable: true })
    await channel.assertQueue(QUEUE, { durable: true })
    await channel.bindQueue(QUEUE, EXCHANGE, '#')
  })
  afterEach(async () => {
    await channel.deleteQueue(QUEUE)
    await channel.deleteExchange(EXCHANGE)
    await client.close()
  })

  /** Everything that the queue has got since it was asked last, oldest first. */
  const take = async () => {
    const messages = []
    for (let message = await channel.get(QUEUE, { noAck: true }); message !== false; message = await channel.get(QUEUE, { noAck: true })) {
      messages.push(message)
    }
    return messages
  }

  const openFixture = async (): Promise<EventSinkFixture & AsyncDisposable> => {
    const proxy = await openTcpProxy(`amqp://guest:guest@127.0.0.1:${server.port}`)
    const sink = await openAmqpSink(proxy.url, { timeoutMs: 2_000 })
    const bodies: unknown[] = []
    return {
      sink,
      received: async () => {
        bodies.push(...(await take()).map(({ content }) => JSON.parse(content.toString())))
        return bodies
      },
      goDown: proxy.refuse,
      hang: async () => proxy.hang(),
      comeBack: async () => {
        // What was swallowed on a silent connection is lost, so the connection ends.
        await proxy.refuse()
        await proxy.recover()
        await untilDelivers(sink)
      },
      secrets: ['guest', '127.0.0.1'],
      [Symbol.asyncDispose]: async () => {
        await sink.close()
        await proxy.close()
      },
    }
  }

  describeLaws('keeps the laws', eventSinkLaws, openFixture)

  it('publishes persistent messages with the routing key of the workspace and the type', async () => {
    const sink = await openAmqpSink(`amqp://127.0.0.1:${server.port}`)
    assert.isTrue((await sink.deliver(EVENT)).delivered)
    const [message] = await take()
    assert.equal(message!.fields.routingKey, `${EVENT.workspace}.message.received`)
    assert.include(message!.properties, {
      messageId: EVENT.id, contentType: 'application/json', deliveryMode: 2, type: EVENT.type, timestamp: EVENT.at / 1_000,
    })
    await sink.close()
    assert.isFalse((await sink.deliver(EVENT)).delivered)
  })

  it('names the span of a delivery in a header, and without one has no such header', async () => {
    for (const tracing of [{ tracer: TRACER }, {}]) {
      const sink = await openAmqpSink(`amqp://127.0.0.1:${server.port}`, tracing)
      assert.isTrue((await sink.deliver(EVENT)).delivered)
      await sink.close()
    }
    assert.deepEqual((await take()).map(({ properties }) => properties.headers), [{ traceparent: TRACER.current() }, {}])
  })

  it('says what is wrong if the exchange is of another kind, and publishes once it is right', async () => {
    await channel.deleteExchange(EXCHANGE)
    await channel.assertExchange(EXCHANGE, 'fanout')
    const sink = await openAmqpSink(`amqp://127.0.0.1:${server.port}`)
    assert.equal((await sink.deliver(EVENT)).error, 'The broker has an exchange of that name that is not a durable topic exchange')
    await channel.deleteExchange(EXCHANGE)
    await untilDelivers(sink)
    await sink.close()
  })

  it('creates the exchange again if it was deleted', async () => {
    const sink = await openAmqpSink(`amqp://127.0.0.1:${server.port}`)
    await channel.deleteExchange(EXCHANGE)
    assert.isFalse((await sink.deliver(EVENT)).delivered)
    await untilDelivers(sink)
    await sink.close()
  })

  it('says that the credentials are refused, without them', async () => {
    const sink = await openAmqpSink(`amqp://someone:hidden@127.0.0.1:${server.port}`)
    const { delivered, error } = await sink.deliver(EVENT)
    await sink.close()
    assert.isFalse(delivered)
    assert.equal(error, 'The broker refuses the credentials, or does not let this user publish events')
  })

  it('loses nothing that it has confirmed when the server is killed and started again', async function () {
    this.timeout(180_000)
    const sink = await openAmqpSink(`amqp://127.0.0.1:${server.port}`, { timeoutMs: 2_000 })
    const ids = Array.from({ length: 40 }, (_, nth) => eventIdOf(`0192a000-0000-7000-9000-${String(nth).padStart(12, '0')}`))
    for (const [nth, id] of ids.entries()) {
      if (nth === 20) {
        const underWay = sink.deliver({ ...EVENT, id })
        await server.kill()
        await underWay
        assert.isFalse((await sink.deliver({ ...EVENT, id })).delivered)
        await server.start()
      }
      await untilDelivers(sink, { ...EVENT, id })
    }
    await sink.close()
    await connectClient()
    const got = (await take()).map(({ properties }) => properties.messageId)
    assert.deepEqual([...new Set(got)], ids)
  })
})
