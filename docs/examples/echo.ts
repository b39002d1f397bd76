import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const { POSTERN_URL = 'http://127.0.0.1:3000', POSTERN_KEY = '', ENDPOINT_SECRET = '', PORT = '8080' } = process.env
const webhook = new Webhook(ENDPOINT_SECRET)

type Received = {
  readonly id: string
  readonly from: { readonly phone_number: string | null; readonly user_id: string | null }
  readonly type: string
  readonly content: { readonly body?: string } | null
}
type Event = { readonly id: string; readonly type: 'message.received'; readonly data: Received }

/** Postern signed the event, so its id, type and data belong together. */
const isReceived = (event: unknown): event is Event => typeof event === 'object' && event !== null && 'type' in event && event.type === 'message.received'

const headersOf = ({ headers }: IncomingMessage) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${POSTERN_URL}/v1/messages/${path}`, {
    method: 'POST', body: JSON.stringify(body), headers: { Authorization: `Bearer ${POSTERN_KEY}`, 'Content-Type': 'application/json', ...headers },
  })

/** An event may arrive twice. Its id is the idempotency key, so the customer still gets only one answer. */
const echo = async ({ id, data: { id: message, from, type, content } }: Event): Promise<void> => {
  await post(`${encodeURIComponent(message)}/read`, { typing: true })
  const answer = { to: from.phone_number ?? from.user_id, text: `You wrote: ${content?.body ?? type}` }
  const { status } = await post('send-text', answer, { 'Idempotency-Key': id })
  if (status >= 500) throw new Error(`Postern answered ${status}`)
}

const server = createServer((request, response) => {
  void text(request)
    .then((body) => webhook.verify(body, headersOf(request)))
    .then((event) => Promise.resolve(isReceived(event) ? echo(event) : undefined).then(() => 204, () => 503), () => 401)
    .then((status) => response.writeHead(status).end())
})
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address !== 'string') console.log(`listening at http://127.0.0.1:${address.port}`)
})
