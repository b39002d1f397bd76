import { once } from 'node:events'
import { createServer } from 'node:http'
import { makeApi, SCOPES } from 'postern'
import { makeGateway } from 'postern/gateway'
import { makeHttpApp } from 'postern/koa'
import { openSandbox } from 'postern/memory'

const { workspace, platform, priceOf, ...storage } = await openSandbox()
const gateway = makeGateway({ storage, platform, onFailure: (event, error) => { console.error(event, error) } }, { priceOf })
const postern = makeHttpApp({ postern: makeApi(storage, gateway) }).callback()
const server = createServer((request, response) => { void postern(request, response) })

await gateway.start()
await once(server.listen(0, '127.0.0.1'), 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('The server has no port.')

const minted = await storage.keyStore.mint({ workspace, name: 'shop', at: Date.now(), scopes: SCOPES })
if (minted._tag === 'Left') throw new Error('The key was not made.')
const reply = await fetch(`http://127.0.0.1:${address.port}/v1/messages/send-template`, {
  method: 'POST',
  headers: { 'Authorization': `Bearer ${minted.right.key}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ to: '+33 6 39 98 00 01', template_name: 'order_update' }),
})
console.log(reply.status, await reply.text())

// Close the server first, so that no request arrives while the gateway stops.
server.close()
server.closeIdleConnections()
await once(server, 'close')
await gateway.stop()
console.log('stopped')
