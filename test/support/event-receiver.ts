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

/** An application's server that accepts events on loopback; it answers a delivery with a wrong signature with 401 and does not record it. */
export type EventReceiver = {
  /** The URL of its endpoint; deliveries to it are signed with its secret. */
  readonly url: string
  readonly secret: EndpointSecret
  /** Accepts deliveries to a path under `url` that are signed with another secret. */
  readonly trust: (path: string, secret: EndpointSecret) => void
  /** The events of all deliveries, in order of arrival, each with its `webhook-id` and its `traceparent`, if any. */
  readonly received: ReadonlyArray<ReceivedEvent & { readonly webhookId: string; readonly traceparent?: string }>
  /** The faults of deliveries. */
  readonly faults: ReadonlyArray<string>
  /** Called for each event before the response; it returns the status of the response. */
  answer: (event: ReceivedEvent) => number | Promise<number>
  readonly close: () => Promise<void>
}

const PATH = '/events'

/** Starts a receiver that answers every event with 204. */
export const startEventReceiver = async (): Promise<EventReceiver> => {
  const secret = endpointSecretOf(randomBytes(24).toString('base64'))
  const secrets = new Map([[PATH, new Webhook(secret)]])
  const faults: string[] = []
  const received: Array<EventReceiver['received'][number]> = []
  const server = await listening(createServer(withBody(async (body, request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const { url = '' } = request
    let event: ReceivedEvent
    try {
      const webhook = secrets.get(url)
      if (webhook === undefined) throw new Error('no endpoint is there')
      event = webhook.verify(body.toString(), headers) as ReceivedEvent
    } catch (error) {
      faults.push(`a delivery to ${url} was not signed as it must be: ${String(error)}`)
      response.writeHead(401).end()
      return
    }
    const { 'webhook-id': webhookId = '', traceparent } = headers
    if (event.id !== webhookId) faults.push(`a delivery to ${url} names another event than its header`)
    received.push({ ...event, webhookId, ...(traceparent !== undefined && { traceparent }) })
    response.writeHead(await receiver.answer(event)).end()
  })))
  const receiver: EventReceiver = {
    url: server.url + PATH,
    secret, received, faults,
    trust: (path, other) => { secrets.set(PATH + path, new Webhook(other)) },
    answer: () => 204,
    close: server.close,
  }
  return receiver
}
