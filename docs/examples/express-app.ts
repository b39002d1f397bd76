import { once } from 'node:events'
import express from 'express'
import { makeSending } from 'postern'
import { makeWebhook, signatureOf } from 'postern/cloud-api'
import { openSandbox } from 'postern/memory'
import { parseText } from './check-first.js'

const [appSecret, verifyToken] = ['app-secret', 'verify-me']
const sandbox = await openSandbox()
const { receive, sendText } = makeSending(sandbox, sandbox)
const webhook = makeWebhook({ appSecret, verifyToken })

const app = express()
app.get('/whatsapp', (request, response) => {
  const { searchParams } = new URL(request.originalUrl, 'http://localhost')
  const challenge = webhook.handshake(Object.fromEntries(searchParams))
  if (challenge._tag === 'Left') response.sendStatus(403)
  else response.type('text/plain').send(challenge.right)
})
// The signature covers the raw bytes, so no other parser may read the body first.
app.post('/whatsapp', express.raw({ type: () => true, limit: '3mb' }), async (request, response) => {
  const raw: Uint8Array = Buffer.isBuffer(request.body) ? request.body : new Uint8Array()
  const check = webhook.beginSignatureCheck(request.get('X-Hub-Signature-256'))
  check?.update(raw)
  if (check?.isValid() !== true) return void response.sendStatus(401)
  const notification = webhook.read(raw)
  if (notification._tag === 'Left') return void response.sendStatus(400)
  // After any status but 200 the platform delivers the notification again, so nothing is lost.
  const received = await receive(notification.right.reports)
  response.sendStatus(received._tag === 'Left' ? 503 : 200)
})
app.post('/texts', express.text({ limit: '64kb' }), async (request, response) => {
  const text = typeof request.body === 'string' ? request.body : ''
  const command = parseText(sandbox.workspace, { to: request.get('X-To') ?? '', text, key: request.get('Idempotency-Key') ?? '' })
  if (command._tag === 'Left') return void response.status(400).send(command.left)
  const reply = await sendText(command.right)
  response.status(reply._tag === 'Left' ? 409 : 200).send(reply._tag === 'Left' ? reply.left._tag : reply.right.id)
})

const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('The server has no port.')
const url = `http://127.0.0.1:${address.port}`
const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [] })
const notify = (signature: string) => fetch(`${url}/whatsapp`, { method: 'POST', body, headers: { 'X-Hub-Signature-256': signature } })
const handshake = await fetch(`${url}/whatsapp?hub.mode=subscribe&hub.verify_token=${verifyToken}&hub.challenge=123`)
console.log(await handshake.text(), (await notify(signatureOf(appSecret, Buffer.from(body)))).status, (await notify('sha256=0')).status)
for (const [to, text] of [['+33 6 39 98 00 01', ''], ['+33 6 39 98 00 01', 'Hello']] as const) {
  const answer = await fetch(`${url}/texts`, { method: 'POST', body: text, headers: { 'X-To': to, 'Idempotency-Key': 'a', 'Content-Type': 'text/plain' } })
  console.log(answer.status, await answer.text())
}
server.close()
server.closeAllConnections()
