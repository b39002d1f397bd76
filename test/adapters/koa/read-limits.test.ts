import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { makeReadLimits } from '../../../adapters/koa/limits.js'
import { rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway } from './gateway.js'

const DOCUMENTS = [
  '/metrics', '/docs', '/docs.js', '/openapi.json', '/errors', '/errors.json', '/errors/window_closed', '/errors/window_closed.md',
  '/errors/nothing', '/errors/platform/131047',
]
const LISTS = [
  '/v1/messages', '/v1/wallet/entries', '/v1/events', '/v1/templates', '/v1/templates/order_update/results',
  `/v1/event-endpoints/ep_${'0'.repeat(32)}/deliveries`,
]

describe('the limits of what is read', () => {
  const refusing = {
    enterDocument: () => E.left({ _tag: 'TooManyRequests' as const, limit: 'address', retryAfterSeconds: 7 }),
    enterList: () => E.left({ _tag: 'TooManyRequests' as const, limit: 'API key', retryAfterSeconds: 7 }),
  }

  it('refuse documents and lists by 429 with Retry-After, and nothing else', async () => {
    await using gw = await gateway({
      deps: () => ({ readLimits: refusing, metrics: async () => ({ contentType: 'text/plain', body: '' }) }),
    })
    for (const path of [...DOCUMENTS, ...LISTS]) {
      const refused = await gw.get(path)
      assert.equal(refused.status, 429, path)
      assert.equal(refused.headers.get('retry-after'), '7', path)
      assert.deepInclude(refused.json, { status: 'error', code: 'rate_limited' }, path)
    }
    for (const path of ['/health/live', '/v1/wallet', '/v1/key']) assert.equal((await gw.get(path)).status, 200, path)
  })

  it('count an API key, its network, and a document only by its network', async () => {
    const asked: Array<ReadonlyArray<string | undefined>> = []
    const entered = E.right({ waitMs: 0, leave: () => undefined })
    const readLimits = {
      enterDocument: (...given: ReadonlyArray<string | undefined>) => { asked.push(given); return entered },
      enterList: (...given: ReadonlyArray<string | undefined>) => { asked.push(given); return entered },
    }
    await using gw = await gateway({ deps: () => ({ readLimits, clientAddress: () => '192.0.2.7' }) })
    await gw.get('/docs')
    await gw.get('/v1/messages')
    const { json } = await gw.get('/v1/key')
    assert.deepEqual(asked, [['192.0.2.7'], [(json as { readonly id: string }).id, '192.0.2.7']])
  })

  it('allow each key a number of simultaneous lists', () => {
    const limits = makeReadLimits(() => 0)
    const entered = Array.from({ length: 65 }, () => limits.enterList('key_1', '192.0.2.1'))
    assert.lengthOf(entered.filter(E.isRight), 64)
    assert.isTrue(E.isRight(limits.enterList('key_2', '192.0.2.1')))
  })

  it('slow down a caller that reads large lists, but not a caller that looks for news', () => {
    const waitAfter = (turns: number): number => {
      const limits = makeReadLimits(() => 0)
      for (let read = 0; read < 500; read += 1) rightOf(limits.enterList('key_1', '192.0.2.1')).leave(turns)
      return rightOf(limits.enterList('key_1', '192.0.2.1')).waitMs
    }
    assert.equal(waitAfter(0), 0)
    assert.isAbove(waitAfter(10), 1_000)
  })

  it('allow each network a number of simultaneous reads of documents', () => {
    const limits = makeReadLimits(() => 0)
    const entered = Array.from({ length: 33 }, () => limits.enterDocument('192.0.2.1'))
    assert.lengthOf(entered.filter(E.isRight), 32)
    assert.isTrue(E.isRight(limits.enterDocument('192.0.2.2')))
  })

  it('charge a list by the size of its reply', async () => {
    const left: Array<number | undefined> = []
    const readLimits = { ...refusing, enterList: () => E.right({ waitMs: 0, leave: (turns?: number) => void left.push(turns) }) }
    await using gw = await gateway({ balance: '10', deps: () => ({ readLimits }) })
    await gw.get('/v1/messages')
    const [empty = Number.NaN] = left.splice(0)
    assert.isBelow(empty, 1)
    for (let sent = 0; sent < 20; sent += 1) assert.equal((await gw.sendText({ to: CUSTOMER, text: 'hi' })).status, 200)
    await gw.get('/v1/messages')
    assert.isAbove(left[0] ?? Number.NaN, empty)
  })
})

describe('a document', () => {
  for (const path of [
    '/docs', '/docs.js', '/openapi.json', '/errors', '/errors.json', '/errors/window_closed', '/errors/platform/131047.md',
  ]) {
    it(`of ${path} is not sent again to a client that has it`, async () => {
      await using gw = await gateway()
      const first = await gw.get(path)
      const tag = first.headers.get('etag') ?? assert.fail('it has no ETag')
      assert.equal(first.headers.get('cache-control'), 'no-cache')
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
        const again = await fetch(`${gw.url}${path}`, { headers: { 'If-None-Match': known } })
        assert.equal(again.status, 304)
        assert.equal(again.headers.get('etag'), tag)
        assert.equal(await again.text(), '')
      }
      assert.equal((await gw.get(path, { 'If-None-Match': '"other"' })).status, 200)
    })
  }
})
