import { createServer } from 'node:http'
import { assert } from 'chai'
import { makeHttpApp, type HttpDeps } from '../../../../adapters/koa/index.js'
import { body, templateOf } from '../../../core/template-samples.js'
import { listening } from '../../../support/listening.js'
import { gateway, NOON } from '../gateway.js'

const AT = new Date(NOON).toISOString()
const DE = templateOf([body('Hallo {{1}}')], { language: 'de', quality: 'green' })
const EN = templateOf([body('Hello {{1}}')], { language: 'en', status: 'paused', category: 'something_new' })
const UNREAD = templateOf(undefined, { name: 'offer' })

type Listed = {
  readonly templates: ReadonlyArray<{ readonly name: string; readonly language: string }>
  readonly next_cursor: string | null
}

describe('templates over HTTP', () => {
  for (const base of ['/v1', '/api/v1']) {
    it(`${base}/templates gives those of the business account, with what fills them`, async () => {
      await using gw = await gateway({ templates: [DE, EN, UNREAD] })
      const placeholders = [{ component: 'body', type: 'text', index: 1 }]
      assert.deepEqual((await gw.get(`${base}/templates`)).json, {
        templates: [
          {
            name: 'offer', language: 'en', category: 'utility', status: 'approved', quality: null, components: null, placeholders: null,
            synced_at: AT,
          },
          {
            name: 'order_update', language: 'de', category: 'utility', status: 'approved', quality: 'green',
            components: [{ type: 'BODY', text: 'Hallo {{1}}' }], placeholders, synced_at: AT,
          },
          {
            name: 'order_update', language: 'en', category: 'something_new', status: 'paused', quality: null,
            components: [{ type: 'BODY', text: 'Hello {{1}}' }], placeholders, synced_at: AT,
          },
        ],
        next_cursor: null,
      })
    })
  }

  it('gives those of one exact name', async () => {
    await using gw = await gateway({ templates: [DE, EN, UNREAD] })
    const listed = async (name: string) =>
      ((await gw.get(`/v1/templates?name=${name}`)).json as Listed).templates.map(({ language }) => language)
    assert.deepEqual(await listed('order_update'), ['de', 'en'])
    assert.deepEqual(await listed('order'), [])
    assert.deepEqual(await listed('%27'), [])
    for (const name of ['%00', 'x'.repeat(513)]) assert.equal((await gw.get(`/v1/templates?name=${name}`)).status, 400)
  })

  it('gives pages, also of names in other scripts and of the longest names, with next_cursor null at the end', async () => {
    const names = ['заказ', '注文', 'a'.repeat(512), 'b'.repeat(512), 'c"\\']
    await using gw = await gateway({ templates: names.map((name) => ({ ...DE, name })) })
    const seen: Array<string> = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: Listed = (await gw.get(`/v1/templates?limit=1&cursor=${cursor}`)).json as Listed
      seen.push(...page.templates.map(({ name }) => name))
      cursor = page.next_cursor
    }
    assert.sameOrderedMembers(seen, ['a'.repeat(512), 'b'.repeat(512), 'c"\\', 'заказ', '注文'])
  })

  it('takes the place of a template that is not there for a cursor, and nothing that is not a place', async () => {
    await using gw = await gateway({ templates: [DE] })
    const cursor = (text: string): string => `templates.${Buffer.from(text).toString('base64url')}`
    assert.equal((await gw.get(`/v1/templates?cursor=${cursor('["gone","en"]')}`)).status, 200)
    for (const wrong of [
      'messages.x', 'templates.', `templates.${'x'.repeat(4097)}`, 'templates.é', 'templates.AAAA', 'templates._w', 'templates.-',
      `${cursor('["a","en"]')}=`, ...['["a"]', '["a", "en"]', '["","en"]', 'a', '["a","en","x"]'].map(cursor),
    ]) assert.equal((await gw.get(`/v1/templates?cursor=${wrong}`)).status, 400, wrong)
  })

  it('gives none without a sender or without its business account', async () => {
    for (const world of [{}, { sender: false, templates: [DE] }]) {
      await using gw = await gateway(world)
      assert.deepEqual((await gw.get('/v1/templates')).json, { templates: [], next_cursor: null })
    }
  })

  it('are not served by an app that keeps no catalogue, nor quotes by one that has none', async () => {
    await using gw = await gateway()
    const { templates: _templates, sending: { quote: _quote, ...sending }, ...postern } = gw.deps.postern
    const deps = { ...gw.deps, postern: { ...postern, sending } }
    const served = async (parts: HttpDeps, path: string): Promise<number> => {
      const handle = makeHttpApp(parts).callback()
      await using server = await listening(createServer((req, res) => void handle(req, res)))
      return (await fetch(server.url + path, { headers: { Authorization: `Bearer ${gw.key}` } })).status
    }
    assert.deepEqual([await served(gw.deps, '/v1/templates'), await served(gw.deps, '/v1/quotes/send-text')], [200, 405])
    assert.deepEqual([await served(deps, '/v1/templates'), await served(deps, '/v1/quotes/send-text')], [404, 404])
    assert.deepEqual(await served(deps, '/v1/wallet'), 200)
  })
})
