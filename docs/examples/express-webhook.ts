import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { makeSending } from 'postern'
import { makeWebhook, signatureOf } from 'postern/cloud-api'
import { openSandbox } from 'postern/memory'

const [appSecret, verifyToken] = ['app-secret', 'verify-me']
const sandbox = await openSandbox()
const { receive } = makeSending(sandbox, sandbox)
const webhook = makeWebhook({ appSecret, verifyToken })

const app = express()
app.get('/whatsapp', (request, response) => {
  const challenge = webhook.handshake(request.query as Record<string, string>)
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

const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/whatsapp`
const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [] })
const post = (signature: string) => fetch(url, { method: 'POST', body, headers: { 'X-Hub-Signature-256': signature } })
const handshake = await fetch(`${url}?hub.mode=subscribe&hub.verify_token=${verifyToken}&hub.challenge=123`)
console.log(await handshake.text(), (await post(signatureOf(appSecret, Buffer.from(body)))).status, (await post('sha256=0')).status)
server.close()
server.closeAllConnections()
