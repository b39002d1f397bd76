import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import Koa, { type Middleware } from 'koa'
import { v7 as uuid } from 'uuid'
import { makeHttpApp } from '../../adapters/koa/index.js'
import { makeMemoryStorage, makeRetryLater } from '../../adapters/memory/index.js'
import { makeSendTemplate, makeSendText, messageIdOf, workspaceIdOf, type Currency, type PlatformId } from '../../core/index.js'

const storage = makeMemoryStorage()
const currency = 'USD' as Currency
const deps = {
  ...storage,
  platform: { send: () => TE.right('wamid.example' as PlatformId) },
  priceOf: () => ({ micros: 30_000n, currency, category: 'service' as const }),
  newMessageId: () => messageIdOf(uuid()),
  unconfirmedAfterMs: 120_000,
  retryLater: makeRetryLater().retryLater,
}
const postern = makeHttpApp({ ...storage, sendText: makeSendText(deps), sendTemplate: makeSendTemplate(deps) }).callback()

/** Hands everything below a prefix to Postern, which sees the rest of the path and answers the request itself. */
const under = (prefix: string): Middleware => async (ctx, next) => {
  if (!ctx.url.startsWith(`${prefix}/`)) {
    await next()
    return
  }
  ctx.respond = false
  ctx.req.url = ctx.url.slice(prefix.length)
  await postern(ctx.req, ctx.res)
}

const app = new Koa()
app.use(under('/messaging'))
app.use((ctx) => { ctx.body = 'the app itself' })

const workspace = workspaceIdOf(uuid())
await storage.workspaces.create({ id: workspace, name: 'shop', currency, createdAt: Date.now() })()
const minted = await storage.keyStore.mint(workspace, 'shop', Date.now())()
const handle = app.callback()
const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const headers = { Authorization: `Bearer ${E.isRight(minted) ? minted.right.key : ''}` }
for (const path of ['/', '/messaging/v1/wallet', '/messaging/health/live']) {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
  console.log(path, reply.status, await reply.text())
}
server.close()
server.closeAllConnections()
