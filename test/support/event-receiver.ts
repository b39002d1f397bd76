import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { type EndpointSecret, endpointSecretOf } from '../../core/events/endpoint.js'
import { listening, withBody } from './listening.js'

/** An event as an application reads it. */
export type ReceivedEvent = {
  readonly id: string
  readonly type: string
  readonly workspace: string
  readonly created_at: string
  readonly data: Readonly<Record<string, unknown>>
}

/** An application's server that takes events on loopback; a delivery with a wrong signature is answered 401 and not received. */
export type EventReceiver = {
  readonly url: string
  readonly secret: EndpointSecret
  /** The events of all deliveries, in the order of their arrival, and the `webhook-id` of each. */
  readonly received: ReadonlyArray<ReceivedEvent & { readonly webhookId: string }>
  /** Called for each event before its answer, which has the status that this gives. */
  answer: (event: ReceivedEvent) => number | Promise<number>
  readonly close: () => Promise<void>
}

/** Starts a receiver that answers every event with 204. */
export const startEventReceiver = async (): Promise<EventReceiver> => {
  const secret = endpointSecretOf(randomBytes(24).toString('base64'))
  const webhook = new Webhook(secret)
  const received: Array<ReceivedEvent & { readonly webhookId: string }> = []
  const server = await listening(createServer(withBody(async (body, request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    let event: ReceivedEvent
    try {
      event = webhook.verify(body.toString(), headers) as ReceivedEvent
    } catch {
      response.writeHead(401).end()
      return
    }
    received.push({ ...event, webhookId: headers['webhook-id'] ?? '' })
    response.writeHead(await receiver.answer(event)).end()
  })))
  const receiver: EventReceiver = {
    url: `${server.url}/events`,
    secret, received,
    answer: () => 204,
    close: server.close,
  }
  return receiver
}
