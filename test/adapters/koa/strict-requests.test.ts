import { assert } from 'chai'
import { CUSTOMER, gateway } from './gateway.js'

const refused = ({ json }: { readonly json: unknown }) => json as { readonly code: string; readonly message: string }

describe('addresses', () => {
  it('are exact: a slash at the end, or another letter case, is another address', async () => {
    await using gw = await gateway({ deps: () => ({ metrics: async () => ({ contentType: 'text/plain', body: 'up 1\n' }) }) })
    const exact = [
      '/metrics', '/health/live', '/health/ready', '/openapi.json', '/docs', '/errors', '/errors.json', '/errors/window_closed',
      '/v1/wallet', '/api/v1/messages', `/v1/windows/${CUSTOMER}`,
    ]
    for (const path of exact) {
      assert.equal((await gw.get(path)).status, 200, path)
      for (const other of [`${path}/`, `${path}//`, path.toUpperCase()]) assert.equal((await gw.get(other)).status, 404, other)
    }
    const sent = await gw.post('/v1/messages/send-text/', { to: CUSTOMER, text: 'hello' })
    assert.equal(sent.status, 404)
    assert.isEmpty(gw.sent)
  })

  it('that no operation takes are not found, whatever the method', async () => {
    await using gw = await gateway()
    for (const method of ['POST', 'GET', 'DELETE']) {
      const { status, json } = await gw.request('/v1/messages/send-image', { method })
      assert.equal(status, 404, method)
      assert.equal(refused({ json }).code, 'not_found')
    }
    const ofMessage = await gw.request(`/v1/messages/msg_${'0'.repeat(32)}`, { method: 'POST' })
    assert.equal(ofMessage.headers.get('allow'), 'DELETE, GET, HEAD')
    assert.equal((await gw.get('/v1/messages/send-text')).headers.get('allow'), 'POST')
  })

  it('are not read if a request has two Host headers', async () => {
    await using gw = await gateway()
    for (const second of ['Host: admin.test', 'host: localhost']) {
      const reply = await gw.raw(`GET /v1/wallet HTTP/1.1\r\n${gw.authorization}\r\n${second}`)
      assert.match(reply, /^HTTP\/1.1 400 .*"invalid_parameter"/s)
      assert.match(reply, /Host must be one header/)
    }
    assert.match(await gw.raw(`GET /v1/wallet HTTP/1.1\r\n${gw.authorization}`), /^HTTP\/1.1 200 /)
  })
})

describe('numbers in components', () => {
  const sendRaw = (gw: Awaited<ReturnType<typeof gateway>>, value: string, field = 'components') =>
    gw.request('/v1/messages/send-template', {
      method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: `{"to":"${CUSTOMER}","template_name":"t","${field}":[{"type":"body","parameters":[{"type":"currency","amount":${value}}]}]}`,
    })

  it('are refused if they would not be passed on exactly', async () => {
    await using gw = await gateway()
    for (const number of [
      '12345678901234567890', '9007199254740993', '1e400', '-1e400', '1e-400', '0.1234567890123456789', '3.00000000000000001',
      `1${'0'.repeat(200)}`,
    ]) {
      const { status, json } = await sendRaw(gw, number)
      assert.equal(status, 400, number)
      assert.equal(refused({ json }).code, 'invalid_parameter')
      assert.include(refused({ json }).message, `such as ${number.slice(0, 40)}`)
    }
    assert.equal((await sendRaw(gw, '1e400', 'compon\\u0065nts')).status, 400)
    assert.isEmpty(gw.sent)
  })

  it('are passed on if they keep their value, and are not looked at elsewhere', async () => {
    await using gw = await gateway()
    for (const number of [
      '1.0', '1e3', '-0', '0.1', '123e-2', '12345678901234.5e-99', '9007199254740992', '1E+2', '5e-324', '"12345678901234567890"',
      '"\\"1e400"',
    ]) {
      assert.equal((await sendRaw(gw, number)).status, 200, number)
    }
    assert.equal((await sendRaw(gw, '1e400', 'ignored')).status, 200)
  })
})

describe('hints', () => {
  it('name the content type if JSON was sent as a form', async () => {
    await using gw = await gateway()
    const { status, json } = await gw.request('/v1/messages/send-text', {
      method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: JSON.stringify({ to: CUSTOMER, text: 'a=b & c' }),
    })
    assert.equal(status, 400)
    assert.equal(refused({ json }).code, 'missing_parameters')
    assert.match(refused({ json }).message, /^Missing required parameters: to, text\. .*Content-Type: application\/json/)
    assert.equal(refused(await gw.sendText({})).message, 'Missing required parameters: to, text')
  })

  it('say that a text must be more than blanks', async () => {
    await using gw = await gateway()
    for (const text of [' ', '\n\t ', '\u00a0\u2003']) {
      const { status, json } = await gw.sendText({ to: CUSTOMER, text })
      assert.equal(status, 400)
      assert.deepInclude(json, { code: 'invalid_parameter', message: 'text must be more than blanks' })
    }
    assert.equal((await gw.sendText({ to: CUSTOMER, text: ' . ' })).status, 200)
  })
})

describe('the line of a request in the log', () => {
  it('has its id, workspace, method, route, status, code, message and duration, and no address, number or text', async () => {
    await using gw = await gateway({ balance: '0.01' })
    await gw.sendText({ to: CUSTOMER, text: 'hello' }, { 'X-Request-Id': 'one' })
    await gw.sendText({ to: CUSTOMER, text: 'hello' }, { 'X-Request-Id': 'two' })
    await gw.get(`/v1/windows/${CUSTOMER}`, { Authorization: 'Bearer no', 'X-Request-Id': 'three' })
    await gw.get(`/nowhere/${CUSTOMER}`, { 'X-Request-Id': 'four' })
    const lines = gw.requests.map(({ duration_ms: duration, message_id: id, ...rest }) => {
      assert.isAtLeast(Number(duration), 0)
      return { ...rest, hasMessage: /^msg_/.test(String(id)) }
    })
    const send = { method: 'POST', route: '/v1/messages/send-text', workspace: gw.workspace }
    assert.deepEqual<unknown>(lines, [
      { request_id: 'one', ...send, status: 200, hasMessage: true },
      { request_id: 'two', ...send, status: 402, code: 'insufficient_balance', hasMessage: true },
      { request_id: 'three', method: 'GET', route: '/v1/windows/:to', status: 401, code: 'unauthenticated', hasMessage: false },
      { request_id: 'four', method: 'GET', route: 'unrouted', status: 404, code: 'not_found', hasMessage: false },
    ])
    for (const secret of [CUSTOMER, 'hello', gw.key]) assert.notInclude(JSON.stringify(gw.requests), secret)
  })
})
