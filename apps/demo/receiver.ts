import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { Webhook } from 'standardwebhooks'

/** An event as an application gets it. */
export type ReceivedEvent = {
  readonly id: string
  readonly type: string
  readonly created_at: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The application of the demonstration: it takes events whose signatures are valid. */
export type Receiver = {
  /** The address to which events are delivered. */
  readonly url: string
  /** Sets the secret with which deliveries have to be signed. */
  readonly use: (secret: string) => void
  /** The events that were taken, each once, oldest first. */
  readonly events: () => ReadonlyArray<ReceivedEvent>
  /** How many deliveries were refused because of their signature. */
  readonly refused: () => number
  /** Calls a listener for each event that is taken from now on. */
  readonly onEvent: (listener: (event: ReceivedEvent) => void) => void
  readonly close: () => Promise<void>
}

/** Starts the receiver on a free port of this machine. */
export const startReceiver = async (): Promise<Receiver> => {
  const taken = new Map<string, ReceivedEvent>()
  let webhook: Webhook | undefined
  let listener: (event: ReceivedEvent) => void = () => undefined
  let refused = 0

  /** Takes a delivery; the answer is the HTTP status. An event that comes again is taken once. */
  const take = (body: string, headers: IncomingMessage['headers']): number => {
    try {
      const event = webhook?.verify(body, headers as Record<string, string>) as ReceivedEvent | undefined
      if (event === undefined) return 503
      if (!taken.has(event.id)) {
        taken.set(event.id, event)
        listener(event)
      }
      return 204
    } catch {
      refused += 1
      return 401
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => void response.writeHead(take(Buffer.concat(chunks).toString(), request.headers)).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the receiver does not listen on a port')
  return {
    url: `http://127.0.0.1:${address.port}/events`,
    use: (secret) => { webhook = new Webhook(secret) },
    events: () => [...taken.values()],
    refused: () => refused,
    onEvent: (added) => { listener = added },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
