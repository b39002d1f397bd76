import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { assert } from 'chai'
import { makeWebhook } from '../../../adapters/cloud-api/index.js'
import Koa, { type Middleware, type Next } from 'koa'
import { koaBody } from 'koa-body'
import express from 'express'
import { makeHttpApp } from '../../../adapters/koa/index.js'
import { listening } from '../../support/listening.js'
import { CUSTOMER, gateway, type Gateway } from './gateway.js'
import { recordedListener } from './recorded-listener.js'
import { makeApi } from '../../../core/api.js'

const PREFIX = '/gateway'

/** Mounts an app under a prefix, as an embedding app would: the inner app sees the path without the prefix. */
const mount = (app: Koa): Middleware => {
  const end = async (): Promise<void> => {}
  return async (ctx, next) => {
    if (!ctx.path.startsWith(`${PREFIX}/`)) {
      await next()
      return
    }
    const outer = ctx.path
    ctx.path = outer.slice(PREFIX.length)
    await app.middleware.reduceRight<Next>((rest, middleware) => async () => { await middleware(ctx, rest) }, end)()
    ctx.path = outer
  }
}

const embedded = async (gw: Gateway, ...before: ReadonlyArray<Middleware>) => {
  const outer = new Koa()
  for (const middleware of before) outer.use(middleware)
  outer.use(mount(gw.app))
  outer.use((ctx) => { ctx.body = 'the shop' })
  const handle = outer.callback()
  const watch = recordedListener(gw.contract, (req, res) => void handle(req, res), PREFIX)
  const { url, close } = await listening(createServer(watch.listener))
  const post = (body: string, headers: Record<string, string>) =>
    fetch(`${url}${PREFIX}/v1/messages/send-text`, { method: 'POST', body, headers: { Authorization: `Bearer ${gw.key}`, ...headers } })
  return {
    url, post,
    [Symbol.asyncDispose]: async () => {
      await close()
      assert.deepEqual(watch.faults(), [], 'what the OpenAPI document does not know')
    },
  }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const TEXT = JSON.stringify({ to: CUSTOMER, text: 'hello' })

describe('the app in another app', () => {
  it('serves under a prefix, and leaves the rest alone', async () => {
    await using gw = await gateway()
    await using shop = await embedded(gw)
    assert.equal((await shop.post(TEXT, JSON_TYPE)).status, 200)
    assert.equal((await fetch(`${shop.url}${PREFIX}/nowhere`)).status, 404)
    assert.equal((await fetch(`${shop.url}${PREFIX}/v1/wallet`, { method: 'POST' })).status, 405)
    assert.equal(await (await fetch(`${shop.url}/v1/wallet`)).text(), 'the shop')
  })

  it('takes a body that the other app has read already', async () => {
    await using gw = await gateway()
    await using shop = await embedded(gw, koaBody())
    assert.equal((await shop.post(TEXT, JSON_TYPE)).status, 200)
    assert.equal((await shop.post('[]', JSON_TYPE)).status, 400)
    assert.equal(gw.sent.length, 1)
  })

  for (const parser of ['express.json()', 'koa-body', 'a parser that reads the stream, as koa-bodyparser does,'] as const) {
    it(`answers 500 at once if ${parser} has read the body of a request that it gets, and logs why`, async () => {
      const logged = new Array<unknown>()
      await using gw = await gateway()
      const postern = makeHttpApp({
        ...gw.deps, log: (_level, event, fields) => { if (event === 'unexpected') logged.push(fields['cause']) },
      }).callback()
      const outer = new Koa()
      outer.use(parser === 'koa-body' ? koaBody() : async (ctx, next) => {
        ctx.request.rawBody = await text(ctx.req)
        await next()
      })
      outer.use(async (ctx) => {
        ctx.respond = false
        await postern(ctx.req, ctx.res)
      })
      const handle = outer.callback()
      const app = express()
      app.use(express.json(), (request, response) => { void postern(request, response) })
      const { url, close } = await listening(
        createServer(parser === 'express.json()' ? app : (request, response) => { void handle(request, response) }),
      )
      const reply = await fetch(`${url}/v1/messages/send-text`, {
        method: 'POST', body: TEXT, headers: { Authorization: `Bearer ${gw.key}`, ...JSON_TYPE },
      })
      assert.equal(reply.status, 500)
      assert.match(JSON.stringify(logged), /The body was read before Postern got the request; mount Postern before the body parser of the app/)
      assert.equal(gw.sent.length, 0)
      await close()
    })
  }

  it('needs receive if it has a webhook', async () => {
    await using gw = await gateway()
    const { upkeep: _upkeep, ...postern } = gw.deps.postern
    const webhook = makeWebhook({ appSecret: 'x', verifyToken: 'x' })
    assert.throws(() => makeHttpApp({ postern, webhook }), TypeError, /receive/)
  })

  it('needs nothing but a send and the ports of what it shows', async () => {
    await using gw = await gateway()
    const { keyStore, messageLog, ledger, windowClock } = gw.storage
    const postern = makeApi({ keyStore, messageLog, ledger, windowClock }, { send: gw.deps.postern.sending.send })
    await using shop = await embedded({ ...gw, app: makeHttpApp({ postern }) })
    assert.equal((await shop.post(TEXT, JSON_TYPE)).status, 200)
    assert.equal((await fetch(`${shop.url}${PREFIX}/health/ready`)).status, 200)
  })
})
