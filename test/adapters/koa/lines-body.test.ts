import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import Koa from 'koa'
import { routesOf } from '../../../adapters/koa/http-app.js'
import { Lines, MAX_LINES_BYTES, type ReadingLines } from '../../../adapters/koa/lines-body.js'
import { type CallerKind, makeHandler } from '../../../adapters/koa/pipeline.js'
import { bodyLimits } from '../../../adapters/koa/raw-body.js'
import { jsonReply, notFound } from '../../../adapters/koa/reply.js'
import { noteApp } from '../../../adapters/koa/request.js'
import type { CommandLine } from '../../../core/kernel/actor.js'
import { eventually } from '../../support/eventually.js'
import { listening } from '../../support/listening.js'

const ANYBODY: CallerKind<object, CommandLine, object> = {
  makeAuthenticate: () => () => ({ lastWorkspace: undefined, principal: Promise.resolve(E.right({ _tag: 'CommandLine' })) }),
  refusal: () => undefined,
  readerOf: () => '',
  ownerOf: () => '',
  factsOf: () => ({}),
}

/** An app that counts the bytes of a file of lines, up to a number of them. */
const counting = async (most = Infinity) => {
  const failures: Array<unknown> = []
  let begun = false
  const app = new Koa().use((ctx, next) => {
    noteApp(ctx, { now: Date.now })
    return next()
  })
  app.silent = true
  app.use(bodyLimits({ filePace: { slackMs: 1_000, bytesPerSecond: 1 } }))
  app.use(routesOf([{
    method: 'post', path: '/lines', isVersioned: false, pathParameters: {},
    handler: (deps: object, log) => makeHandler(ANYBODY, {
      body: { codec: Lines, forms: false, isLines: true },
      run: async (_deps, { body: { type, bytes, failure } }: { readonly body: ReadingLines }) => {
        let count = 0
        try {
          for await (const chunk of bytes) {
            count += chunk.length
            begun = true
            if (count > most) break
          }
        } catch {
          failures.push(failure())
        }
        const failed = failure()
        return failed === undefined ? E.right(jsonReply(200, { type, count })) : E.left(failed)
      },
    }, deps, log),
  }], {}, () => undefined, () => ({ failure: notFound, nearest: undefined, hasConsole: false }), () => ['']))
  const handle = app.callback()
  const server = await listening(createServer((request, response) => void handle(request, response)))
  return { ...server, failures, begun: () => begun, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

const post = async (url: string, body: string, headers: Readonly<Record<string, string>>) => {
  const reply = await fetch(`${url}/lines`, { method: 'POST', body, headers })
  return [reply.status, await reply.json() as Readonly<Record<string, unknown>>] as const
}

describe('A body that is a file of lines', () => {
  it('is read while it arrives, with the type of its lines', async () => {
    await using app = await counting()
    const csv = { 'Content-Type': 'text/csv; charset=utf-8' }
    assert.deepEqual(await post(app.url, 'x'.repeat(3_000_000), csv), [200, { type: 'csv', count: 3_000_000 }])
    assert.deepEqual(await post(app.url, '{}\n', { 'Content-Type': 'application/x-ndjson' }), [200, { type: 'ndjson', count: 3 }])
    assert.deepEqual(await post(app.url, '', { 'Content-Type': 'text/csv' }), [200, { type: 'csv', count: 0 }])
  })

  it('gets its reply even if most of it was not read, and so does the next request of the connection', async () => {
    await using app = await counting(10)
    for (const size of [20_000_000, 100]) {
      const [status, { count }] = await post(app.url, 'x'.repeat(size), { 'Content-Type': 'text/csv' })
      assert.equal(status, 200)
      assert.isAbove(Number(count), 10)
    }
  })

  it('is refused if it has another type, another charset, is compressed, or is announced as too large', async () => {
    await using app = await counting()
    assert.equal((await post(app.url, '{}', { 'Content-Type': 'application/json' }))[0], 415)
    assert.equal((await post(app.url, 'a', { 'Content-Type': 'text/csv; charset=windows-1252' }))[0], 415)
    assert.equal((await post(app.url, 'a', { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' }))[0], 415)
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.write(`POST /lines HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: ${MAX_LINES_BYTES + 1}\r\n\r\n`)
    const [reply] = await once(socket, 'data') as [Buffer]
    assert.match(reply.toString(), /^HTTP\/1.1 413 /)
    socket.destroy()
  })

  it('says why it was not received completely', async () => {
    await using app = await counting()
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    socket.write('POST /lines HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 100\r\n\r\nto\n1\n')
    await eventually('the first bytes', async () => (app.begun() ? true : undefined))
    socket.resetAndDestroy()
    const failure = await eventually('a failure', async () => app.failures[0])
    assert.deepInclude(failure as object, { _tag: 'MalformedBody' })
  })
})
