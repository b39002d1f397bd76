import { assert } from 'chai'
import { OPERATIONS } from '../../../adapters/koa/contract.js'
import { makeNearestAddress } from '../../../adapters/koa/nearest-address.js'
import { CUSTOMER, gateway } from './gateway.js'

describe('the address that is nearest to one that does not exist', () => {
  const nearest = makeNearestAddress(OPERATIONS)
  const cases: ReadonlyArray<readonly [given: string, meant: string | undefined]> = [
    ['/v1/messages/send-txt', '/v1/messages/send-text'], ['/v1/messages/send_text', '/v1/messages/send-text'],
    ['/v1/message/send-template', '/v1/messages/send-template'], ['/api/v1/messages/sendtext', '/api/v1/messages/send-text'],
    ['/messages/send-text', '/v1/messages/send-text'], ['/v1/send-text', '/v1/messages/send-text'], ['/v1/Wallet', '/v1/wallet'],
    ['/v1/wallet/', '/v1/wallet'], ['//v1//wallet', '/v1/wallet'], ['/V1/wallet', '/v1/wallet'], ['/v1/wallet/entry', '/v1/wallet/entries'],
    [`/v1/window/${CUSTOMER}`, `/v1/windows/${CUSTOMER}`], [`/windows/${CUSTOMER}`, `/v1/windows/${CUSTOMER}`], ['/doc', '/docs'],
    ['/openapi.jsn', '/openapi.json'], ['/v1/errors', '/errors'], ['/', undefined], ['/v1', undefined], ['/api/v1/', undefined],
    ['/favicon.ico', undefined], ['/wp-login.php', undefined], [`/v1/${'wallet'.repeat(30)}`, undefined],
  ]
  for (const [given, meant] of cases) {
    it(`of ${given.slice(0, 40)} is ${meant ?? 'none'}`, () => assert.equal(nearest(given), meant))
  }

  it('is named to every caller of the wrong address, with every method and without a key', async () => {
    await using gw = await gateway()
    for (const method of ['GET', 'POST', 'DELETE']) {
      const reply = await fetch(`${gw.url}/v1/message/send-text`, { method })
      assert.equal(reply.status, 404)
      assert.include(await reply.json() as object, { message: 'No operation exists at this address; did you mean /v1/messages/send-text?' })
    }
    const { message } = await (await fetch(`${gw.url}/v1/messages/send-txt`, { method: 'POST' })).json() as { readonly message: string }
    assert.equal(message, 'No operation exists at this address; did you mean /v1/messages/send-text?')
  })

  it('is named if the router would read a typing error as an id', async () => {
    await using gw = await gateway()
    for (const [given, meant] of [
      ['/v1/messages/send_text', '/v1/messages/send-text'],
      ['/v1/wallet/entry', '/v1/wallet/entries'],
      ['/v1/messages/sendtemplate', '/v1/messages/send-template'],
    ] as const) {
      const { status, json } = await gw.get(given)
      assert.equal(status, 404)
      assert.deepInclude(json, { message: `No operation exists at this address; did you mean ${meant}?` })
    }
    assert.match((await gw.get('/v1/messages/msg_1')).text, /the id of a message is msg_/)
    assert.match((await gw.get('/v1/messages/one')).text, /This workspace has no message one/)
    assert.match((await gw.get('/v1/windows/abc')).text, /invalid_phone_number/)
  })

  it('is a page with links for a browser, and the root leads a browser to the reference', async () => {
    await using gw = await gateway()
    const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
    const page = async (path: string, init: RequestInit = {}) => fetch(gw.url + path, { headers: browser, redirect: 'manual', ...init })
    for (const [path, link] of [
      ['/v1/walet', '/v1/wallet'], ['/nothing', '/docs'], ['/v1/messages/send_text', '/v1/messages/send-text'],
      ['/consol"><script>', '/docs'],
    ] as const) {
      const answer = await page(path)
      assert.deepEqual([answer.status, answer.headers.get('Content-Type')], [404, 'text/html; charset=utf-8'], path)
      const html = await answer.text()
      assert.include(html, `href="${link}"`)
      assert.include(html, 'href="/docs"')
      assert.notInclude(html, '"><script>')
    }
    const root = await page('/?from=mail')
    assert.deepEqual([root.status, root.headers.get('Location')], [303, '/docs'])
    for (const [path, init] of [
      ['/nothing', { headers: { Accept: '*/*' } }], ['/nothing', { method: 'POST' }], ['/graph/v23.0/1/2/3', {}],
      ['/', { headers: { Accept: 'application/json' } }],
    ] as const) {
      const answer = await page(path, init)
      assert.deepEqual([answer.status, answer.headers.get('Content-Type')], [404, 'application/json; charset=utf-8'], path)
    }
  })
})
