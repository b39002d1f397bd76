import { assert } from 'chai'
import { openAmqpSink } from '../../../adapters/brokers/amqp-sink.js'
import { openGate } from '../../support/gate.js'
import { EVENT } from '../webhooks/sample-event.js'

describe('a sink of RabbitMQ', () => {
  it('opens while its server is away, and says so without the credentials', async () => {
    const gate = await openGate(1)
    gate.shut()
    const sink = await openAmqpSink(`amqp://someone:hidden@127.0.0.1:${gate.port}`)
    const result = await sink.deliver(EVENT)
    await sink.close()
    await gate[Symbol.asyncDispose]()
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
