import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
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

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const event = verified(request, Buffer.concat(chunks).toString())
    if (event !== undefined) received.push(event)
    response.writeHead(event === undefined ? 401 : 204).end()
  }

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

  const server = createServer((request, response) => {
    // A gateway that is killed cuts its deliveries off.
    take(request, response).catch(() => { response.destroy() })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    trust: (path, secret) => { secrets.set(path, new Webhook(secret)) },
    received,
    faults,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
