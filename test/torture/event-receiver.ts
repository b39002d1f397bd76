import { createServer, type IncomingMessage } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { listening, withBody } from '../support/listening.js'
import type { ReceivedEvent } from './check-events.js'

/** The application of a run: a healthy receiver of events. */
export type EventReceiver = {
  readonly url: string
  /** Takes deliveries to a path if they are signed with a secret. */
  readonly trust: (path: string, secret: string) => void
  /** What it has taken, in the order of arrival. */
  readonly received: ReadonlyArray<ReceivedEvent>
  /** What was wrong with deliveries. */
  readonly faults: ReadonlyArray<string>
} & AsyncDisposable

/** Starts a receiver on a free port. */
export const startEventReceiver = async (): Promise<EventReceiver> => {
  const received: ReceivedEvent[] = []
  const faults: string[] = []
  const secrets = new Map<string, Webhook>()

  const verified = ({ url = '', headers }: IncomingMessage, body: string): ReceivedEvent | undefined => {
    try {
      const event = secrets.get(url)?.verify(body, headers as Record<string, string>) as ReceivedEvent | undefined
      if (event === undefined || event.id !== headers['webhook-id']) faults.push(`a delivery to ${url} names another event than its header`)
      return event
    } catch (error) {
      faults.push(`a delivery to ${url} was not signed as it must be: ${String(error)}`)
      return undefined
    }
  }

  const server = await listening(createServer(withBody((body, request, response) => {
    const event = verified(request, body.toString())
    if (event !== undefined) received.push(event)
    response.writeHead(event === undefined ? 401 : 204).end()
  })))
  return {
    url: server.url,
    trust: (path, secret) => { secrets.set(path, new Webhook(secret)) },
    received,
    faults,
    [Symbol.asyncDispose]: server.close,
  }
}
