import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { createClient, type Event, verify } from 'postern/client'

const { POSTERN_URL = 'http://127.0.0.1:3000', POSTERN_KEY = '', ENDPOINT_SECRET = '', PORT = '8080' } = process.env
const postern = createClient({ baseUrl: POSTERN_URL, apiKey: POSTERN_KEY })

const echo = async ({ id, type, data }: Event): Promise<boolean> => {
  if (type !== 'message.received') return true
  await postern.markRead(data.id, { typing: true })
  const to = data.from.phone_number ?? data.from.user_id ?? ''
  const answer = await postern.sendText({ to, text: `You wrote: ${data.content?.body ?? data.type}` }, { idempotencyKey: id })
  // The event is also done if a retry cannot succeed, for example because the wallet is empty.
  return answer.ok || ('retry' in answer && answer.retry.when === 'changed')
}

const server = createServer((request, response) => {
  text(request).then((body) => verify(body, request.headers, ENDPOINT_SECRET))
    .then(async (event) => response.writeHead(await echo(event) ? 204 : 503).end(), () => response.writeHead(401).end())
})
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address !== 'string') console.log(`listening at http://127.0.0.1:${address.port}`)
})
