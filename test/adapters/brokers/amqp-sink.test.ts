import { assert } from 'chai'
import { openAmqpSink } from '../../../adapters/brokers/amqp-sink.js'
import { openTcpProxy } from '../../support/tcp-proxy.js'
import { EVENT } from '../webhooks/sample-event.js'

describe('a sink of RabbitMQ', () => {
  it('opens while its server is away, and says so without the credentials', async () => {
    // It takes connections and ends them, because no server listens behind it.
    const proxy = await openTcpProxy('amqp://someone:hidden@127.0.0.1:1')
    const sink = await openAmqpSink(proxy.url)
    const result = await sink.deliver(EVENT)
    await sink.close()
    await proxy.close()
    assert.isFalse(result.delivered)
    assert.match(result.error ?? '', /^The broker cannot be reached/)
    assert.notMatch(JSON.stringify(result), /someone|hidden|127\.0/)
  })

  it('is not opened with a URL that cannot be read, and the error does not show it', async () => {
    for (const url of ['', 'someone hidden', 'amqp://someone:hidden@h:port']) {
      const error = await openAmqpSink(url).then(() => undefined, (cause: unknown) => String(cause))
      assert.match(error ?? '', /the URL of the broker/)
      assert.notInclude(error, 'hidden')
    }
  })
})
