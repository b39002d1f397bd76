import { once } from 'node:events'
import Koa, { type Middleware } from 'koa'
import { makeApi, makeSending, SCOPES } from 'postern'
import { makeHttpApp } from 'postern/koa'
import { openSandbox } from 'postern/memory'

const sandbox = await openSandbox()
const postern = makeHttpApp({ postern: makeApi(sandbox, makeSending(sandbox, sandbox)) }).callback()

/** Passes every request under a prefix to Postern, without the prefix in its path. Postern writes the reply itself. */
const under = (prefix: string): Middleware => async (ctx, next) => {
  if (!ctx.url.startsWith(`${prefix}/`)) {
    await next()
    return
  }
  ctx.respond = false
  // Postern reads its prefix from the whole address, and writes it into the links of its replies.
  Object.assign(ctx.req, { originalUrl: ctx.originalUrl, url: ctx.url.slice(prefix.length) })
  await postern(ctx.req, ctx.res)
}

const app = new Koa()
app.use(under('/messaging'))
app.use((ctx) => { ctx.body = `the shop's own ${ctx.path}` })

const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('The server has no port.')
const minted = await sandbox.keyStore.mint({ workspace: sandbox.workspace, name: 'shop', at: Date.now(), scopes: SCOPES })
const headers = { Authorization: `Bearer ${minted._tag === 'Right' ? minted.right.key : ''}` }
for (const path of ['/orders', '/messaging/v1/wallet', '/messaging/health/live', '/messaging/v1/messages/msg_0', '/v1/wallet']) {
  const reply = await fetch(`http://127.0.0.1:${address.port}${path}`, { headers })
  console.log(path, reply.status, await reply.text())
}
server.close()
server.closeAllConnections()
