import { createServer } from 'node:http'
import { makeWebhookSender } from '../../../adapters/webhooks/webhook-sender.js'
import { type EventSinkFixture, eventSinkLaws } from '../../laws/event-sink.js'
import { describeLaws } from '../../support/describe-laws.js'
import { listening, withBody } from '../../support/listening.js'
import { LOOPBACK } from '../../support/receiver.js'
import { secretOf } from './sample-event.js'

/** A receiver that can go away and come back on its port. */
const openFixture = async (): Promise<EventSinkFixture & AsyncDisposable> => {
  const bodies: unknown[] = []
  let hangs = false
  const receiver = createServer(withBody((body, _, response) => {
    if (hangs) return
    bodies.push(JSON.parse(body.toString()))
    response.end()
  }))
  let server = await listening(receiver)
  const { port } = server
  const secret = secretOf(9)
  const sender = makeWebhookSender({ version: '1', allow: [LOOPBACK], timeoutMs: 2_000 })
  return {
    sink: sender.sinkFor({ url: `http://127.0.0.1:${port}/`, secrets: [secret] }),
    received: () => Promise.resolve(bodies),
    goDown: () => server.close(),
    hang: async () => { hangs = true },
    comeBack: async () => { server = await listening(receiver, port) },
    secrets: [secret, '127.0.0.1'],
    [Symbol.asyncDispose]: async () => {
      sender.close()
      await server.close()
    },
  }
}

describeLaws('the sink of an endpoint', eventSinkLaws, openFixture)
