import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env['ENDPOINT_SECRET'] ?? '')
const headersOf = ({ headers }: IncomingMessage) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const server = createServer((request, response) => {
  text(request)
    .then((body) => webhook.verify(body, headersOf(request)))
    .then((event) => console.log(JSON.stringify(event)))
    // A status from 200 to 299 acknowledges the event. After any other status, Postern delivers it again.
    .then(() => response.writeHead(204).end(), () => response.writeHead(401).end())
})
server.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address !== 'string') console.log(`listening at http://127.0.0.1:${address.port}`)
})
