import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { assert } from 'chai'
import { makeRateLimit } from '../../../adapters/koa/index.js'
import { SCOPES } from '../../../core/kernel/actor.js'
import { rightOf } from '../../support/right-of.js'
import { type Answered, CUSTOMER, gateway, NOON } from './gateway.js'
import { refusal } from './refusal.js'

const isUnauthenticated = ({ status, headers, json }: Answered, hint = ''): void => {
  assert.equal(status, 401)
  assert.equal(headers.get('www-authenticate'), 'Bearer')
  assert.deepEqual(json, refusal('unauthenticated', `The API key is missing, malformed, invalid or revoked. ${hint}Send it as the header Authorization: Bearer pst_…`))
}

const DOWN = new Error('the secret place is down')

const NO_BEARER = 'The Authorization header has no word Bearer before the key. '

describe('authentication over HTTP', () => {
  it('refuses a key that is missing, malformed, invalid or revoked, and never says which', async () => {
    await using gw = await gateway()
    const minted = rightOf(await gw.storage.keyStore.mint({ workspace: gw.workspace, name: 'old', at: NOON, scopes: SCOPES }))
    rightOf(await gw.storage.keyStore.revoke(minted.id, NOON))
    const values = [
      '', 'Bearer', 'Bearer ', `Bearer ${gw.key} x`, `Bearer ${gw.key}x`, `Bearer ${gw.key.slice(0, -1)}`,
      `Bearer ${gw.key}, Bearer ${gw.key}`, `Bearer ${minted.key}`, `Bearer ${'x'.repeat(10 * 1024)}`, 'Bearer clé',
    ]
    for (const Authorization of values) isUnauthenticated(await gw.get('/v1/wallet', { Authorization }))
    for (const secret of [gw.key, minted.key]) assert.notInclude(gw.log.join(), secret)
  })

  it('explains how to send a key to a caller that sends it elsewhere, whether the key is valid or not', async () => {
    await using gw = await gateway()
    for (const key of [gw.key, 'pst_no']) {
      for (const Authorization of [`Basic ${key}`, key, `Bearer${key}`]) {
        isUnauthenticated(await gw.get('/v1/wallet', { Authorization }), NO_BEARER)
      }
      isUnauthenticated(await gw.get('/v1/wallet', { Authorization: '', 'X-API-Key': key }), 'The header X-API-Key is not read. ')
      for (const query of [`access_token=${key}`, `api_key=${key}`, `whatever=${key}`]) {
        isUnauthenticated(await gw.get(`/v1/wallet?${query}`, { Authorization: '' }), 'A key in the address is not read. Addresses are logged on their way, so replace a key that was sent in one. ')
      }
    }
    assert.notInclude(gw.log.join(), gw.key)
  })

  it('looks at one key alone if another one was sent elsewhere', async () => {
    await using gw = await gateway()
    assert.equal((await gw.get('/v1/wallet?key=pst_no', { 'X-API-Key': 'pst_no' })).status, 200)
    isUnauthenticated(await gw.get(`/v1/wallet?key=${gw.key}`, { Authorization: 'Bearer pst_no', 'X-API-Key': gw.key }))
  })

  it('refuses a request without the header, on every operation and in both forms', async () => {
    await using gw = await gateway()
    const operations = [
      ['POST', '/messages/send-text'], ['POST', '/messages/send-template'], ['GET', '/messages/msg_1'], ['GET', '/messages'],
      ['GET', '/wallet'], ['GET', '/key'], ['GET', '/wallet/entries'], ['GET', `/windows/${CUSTOMER}`],
    ] as const
    for (const base of ['/v1', '/api/v1']) {
      for (const [method, path] of operations) {
        assert.equal((await fetch(gw.url + base + path, { method })).status, 401, `${method} ${base}${path}`)
      }
    }
  })

  for (const [how, fail] of [['throws', () => { throw DOWN }], ['rejects', () => Promise.reject(DOWN)]] as const) {
    it(`answers 503 if the port of the keys ${how}, on every operation, below /graph and for agents, and shows nothing of the cause`, async () => {
      await using gw = await gateway({ ports: ({ keyStore }) => ({ keyStore: { ...keyStore, principalOf: fail } }) })
      const answers = [
        await gw.get('/v1/wallet'), await gw.post('/v1/messages/send-text', { to: CUSTOMER, text: 'hello' }), await gw.get(`/graph/v25.0/${gw.phoneNumberId}/message_templates`),
        await gw.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { Accept: 'application/json' }),
      ]
      assert.deepEqual(answers.map(({ status }) => status), [503, 503, 503, 503])
      assert.deepInclude(answers[0]?.json, { code: 'storage_unavailable', message: 'Temporarily unavailable; nothing was sent and nothing was charged' })
      for (const { text } of answers) assert.notMatch(text, /secret|stack/i)
      assert.lengthOf(gw.log.filter((line) => line.includes('"port_failed"')), 4)
      assert.notInclude(gw.log.join(), 'unexpected')
      assert.notInclude(gw.log.join(), gw.key)
    })
  }

  it('answers 503 if another port of an operation throws', async () => {
    await using gw = await gateway({ ports: ({ ledger }) => ({ ledger: { ...ledger, balance: () => { throw DOWN } } }) })
    const { status, text } = await gw.get('/v1/wallet')
    assert.equal(status, 503)
    assert.notInclude(text, 'secret')
  })

  it('takes the scheme in any case', async () => {
    await using gw = await gateway()
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      assert.equal((await gw.get('/v1/wallet', { Authorization: `${scheme} ${gw.key}` })).status, 200)
    }
  })

  it('refuses two Authorization headers, though either is good', async () => {
    await using gw = await gateway()
    const reply = await gw.raw(`GET /v1/wallet HTTP/1.1\r\n${gw.authorization}\r\n${gw.authorization}`)
    assert.match(reply, /^HTTP\/1.1 401 /)
    assert.match(await gw.raw(`GET /v1/wallet HTTP/1.1\r\n${gw.authorization}`), /^HTTP\/1.1 200 /)
  })

  it('refuses a revoked key on the very next request', async () => {
    await using gw = await gateway()
    const { id, key } = rightOf(await gw.storage.keyStore.mint({ workspace: gw.workspace, name: 'short-lived', at: NOON, scopes: SCOPES }))
    assert.equal((await gw.get('/v1/wallet', { Authorization: `Bearer ${key}` })).status, 200)
    rightOf(await gw.storage.keyStore.revoke(id, NOON))
    isUnauthenticated(await gw.get('/v1/wallet', { Authorization: `Bearer ${key}` }))
  })

  it('refuses a revoked key that has sent before for itself alone, whatever is wrong with the request, and without its body', async () => {
    await using gw = await gateway()
    const { id, key } = rightOf(await gw.storage.keyStore.mint({ workspace: gw.workspace, name: 'short-lived', at: NOON, scopes: SCOPES }))
    const headers = { Authorization: `Bearer ${key}` }
    for (const send of [gw.sendText, gw.sendTemplate]) await send({ to: CUSTOMER, text: 'Hello', template_name: 'hello_world' }, headers)
    rightOf(await gw.storage.keyStore.revoke(id, NOON))
    for (const body of [
      { to: CUSTOMER, text: 'Hello' }, {}, 'no object', { to: '15550100001', text: 'No window' },
      { to: CUSTOMER, text: 'x'.repeat(300_000) },
    ]) {
      isUnauthenticated(await gw.sendText(body, headers))
      isUnauthenticated(await gw.sendTemplate(body, headers))
    }
    const slow = request(`${gw.url}/v1/messages/send-text`, {
      method: 'POST', headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': '100' },
    })
    slow.on('error', () => undefined).write('{"to":')
    const [reply] = (await once(slow, 'response')) as [IncomingMessage]
    assert.equal(reply.statusCode, 401)
    slow.destroy()
    assert.lengthOf(gw.sent, 2)
  })

  it('limits each workspace on its own, and says when to come back', async () => {
    await using gw = await gateway({ deps: () => ({ rateLimit: makeRateLimit({ perSecond: 2 }) }) })
    const other = await gw.addWorkspace()
    const statuses = [await gw.get('/v1/wallet'), await gw.get('/v1/wallet'), await gw.get('/v1/wallet')]
    assert.deepEqual(statuses.map(({ status }) => status), [200, 200, 429])
    assert.equal(statuses[2]?.headers.get('retry-after'), '1')
    assert.equal((await gw.get('/v1/wallet', { Authorization: `Bearer ${other.key}` })).status, 200)
  })
})
