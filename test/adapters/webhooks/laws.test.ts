import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeWebhookSender } from '../../../adapters/webhooks/webhook-sender.js'
import { type EventSinkFixture, eventSinkLaws } from '../../laws/event-sink.js'
import { describeLaws } from '../../support/describe-laws.js'
import { LOOPBACK } from '../../support/receiver.js'
import { secretOf } from './sample-event.js'

/** A receiver that can go away and come back on its port. */
const openFixture = async (): Promise<EventSinkFixture & AsyncDisposable> => {
  const bodies: unknown[] = []
  let hangs = false
  const listen = async (port: number): Promise<Server> => {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        if (hangs) return
        bodies.push(JSON.parse(Buffer.concat(chunks).toString()))
        response.end()
      })
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
  let server = await listen(0)
  const { port } = server.address() as AddressInfo
  const secret = secretOf(9)
  const sender = makeWebhookSender({ version: '1', allow: [LOOPBACK], timeoutMs: 2_000 })
  return {
    sink: sender.sinkFor({ url: `http://127.0.0.1:${port}/`, secrets: [secret] }),
    received: () => Promise.resolve(bodies),
    goDown: close,
    hang: async () => { hangs = true },
    comeBack: async () => { server = await listen(port) },
    secrets: [secret, '127.0.0.1'],
    [Symbol.asyncDispose]: async () => {
      sender.close()
      await close()
    },
  }
}

describeLaws('the sink of an endpoint', eventSinkLaws, openFixture)
