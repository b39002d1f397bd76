import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { makeApi, makeSending, SCOPES } from 'postern'
import { makeHttpApp } from 'postern/koa'
import { openSandbox } from 'postern/memory'

const sandbox = await openSandbox()
const postern = makeHttpApp({ postern: makeApi(sandbox, makeSending(sandbox, sandbox)) }).callback()
const listener: RequestListener = (request, response) => void postern(request, response)

const server = createServer(listener).listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('The server has no port.')
const minted = await sandbox.keyStore.mint({ workspace: sandbox.workspace, name: 'shop', at: Date.now(), scopes: SCOPES })
const reply = await fetch(`http://127.0.0.1:${address.port}/v1/messages/send-template`, {
  method: 'POST',
  headers: { 'Authorization': `Bearer ${minted._tag === 'Right' ? minted.right.key : ''}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ to: '+33 6 39 98 00 01', template_name: 'order_update' }),
})
console.log(reply.status, await reply.text())
server.close()
server.closeAllConnections()
