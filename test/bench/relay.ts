import { Agent, createServer, type IncomingMessage, type RequestListener } from 'node:http'
import got from 'got'
import Koa from 'koa'
import { Pool } from 'undici'
import { serveRequests, listenAndAnnounce } from './ipc-server.js'

/**
 * A relay for comparison: it performs the same HTTP requests as Postern and nothing else.
 *
 * It reads a template as JSON, posts it to the platform, reads the response and replies in the format of Postern's contract.
 * It has no keys, no wallet, no log and no checks. Started with `koa-got`, `koa-undici` or `node-undici`, and the platform's address.
 */
type Send = (body: string) => Promise<unknown>

const PATH = '/v25.0/106540352242922/messages'
const HEADERS = { authorization: 'Bearer an-access-token-of-the-bench', 'content-type': 'application/json' }
const CONNECTIONS = 512

const overGot = (platform: string): Send => {
  const client = got.extend({
    agent: { http: new Agent({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS }) }, retry: { limit: 0 },
  })
  return (body) => client.post(`${platform}${PATH}`, { headers: HEADERS, body }).json()
}

const overUndici = (platform: string): Send => {
  const pool = new Pool(platform, { connections: CONNECTIONS })
  return async (body) => {
    const answer = await pool.request({ method: 'POST', path: PATH, headers: HEADERS, body })
    return answer.body.json()
  }
}

const relay = async (send: Send, text: string): Promise<object> => {
  const { to, template_name: name, language, components } = JSON.parse(text) as Readonly<Record<string, unknown>>
  const answer = await send(JSON.stringify({
    messaging_product: 'whatsapp', recipient_type: 'individual', to: `+${String(to)}`,
    type: 'template', template: { name, language: { code: language }, components },
  }))
  const { messages } = answer as { readonly messages: ReadonlyArray<{ readonly id: string }> }
  return { status: 'success', message_id: messages[0]?.id }
}

const bodyOf = (request: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => { text += chunk })
    request.on('end', () => resolve(text))
    request.on('error', reject)
  })

const withKoa = (send: Send): RequestListener => {
  const app = new Koa()
  app.use(async (ctx) => { ctx.body = await relay(send, await bodyOf(ctx.req)) })
  const handle = app.callback()
  return (request, response) => void handle(request, response)
}

const withNode = (send: Send): RequestListener => {
  const reply = async (request: IncomingMessage): Promise<string> => JSON.stringify(await relay(send, await bodyOf(request)))
  return (request, response) => {
    reply(request).then(
      (body) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
        response.end(body)
      },
      () => response.writeHead(500).end(),
    )
  }
}

const [kind, platform = ''] = process.argv.slice(2)
const send = kind === 'koa-got' ? overGot(platform) : overUndici(platform)
void listenAndAnnounce(createServer(kind === 'node-undici' ? withNode(send) : withKoa(send)))
serveRequests(async () => undefined)
