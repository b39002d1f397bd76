import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { PlatformError } from '../../../core/kernel/failure.js'
import { ACCESS_TOKEN, type Answered, CUSTOMER, gateway, type Gateway, portDown } from './gateway.js'
import { refusal } from './refusal.js'
import { withSpendingLimit, withUses } from './with-uses.js'

const TEXT = { to: CUSTOMER, text: 'hello' }
const TEMPLATE = { to: CUSTOMER, template_name: 'order_update' }
const ERROR = { message: '(#132001) Template name does not exist', code: 132001, error_data: { details: 'x' }, fbtrace_id: 'A' }
const CAUSE = Object.assign(new Error(`connect failed for +${CUSTOMER} with Bearer ${ACCESS_TOKEN}`), { code: 'ECONNREFUSED' })

const refused = async (gw: Gateway, { status, json, headers }: Answered, expected: { status: number; code: string }): Promise<void> => {
  assert.equal(status, expected.status)
  assert.deepInclude(json, { status: 'error', code: expected.code })
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.deepEqual(await gw.books(), { available: '10.000000', held: '0.000000' })
}

describe('failures over HTTP', () => {
  it('400 missing_parameters names each absent or empty parameter, in the order of the table', async () => {
    await using gw = await gateway()
    const cases: ReadonlyArray<readonly [Promise<Answered>, string]> = [
      [gw.sendText({}), 'to, text'],
      [gw.sendText({ text: '', to: '' }), 'to, text'],
      [gw.sendText({ to: CUSTOMER }), 'text'],
      [gw.sendText({ to: CUSTOMER, text: '' }), 'text'],
      [gw.sendText({ text: 5 }), 'to'],
      [gw.sendTemplate({}), 'to, template_name'],
      [gw.sendTemplate({ template_name: '', to: '', language: '' }), 'to, template_name'],
      [gw.sendTemplate({ to: CUSTOMER }), 'template_name'],
    ]
    for (const [answer, names] of cases) {
      const { status, json } = await answer
      assert.equal(status, 400)
      assert.deepEqual(json, refusal('missing_parameters', `Missing required parameters: ${names}`))
    }
  })

  it('400 invalid_parameter names every parameter of a wrong type, and its rule', async () => {
    await using gw = await gateway()
    const answer = await gw.sendText({ to: 5511987654321, text: ['hello'] })
    await refused(gw, answer, { status: 400, code: 'invalid_parameter' })
    assert.deepInclude(answer.json, { message: 'to must be a string; text must be a string' })
  })

  it('400 platform_rejected carries platform_error whole', async () => {
    await using gw = await gateway()
    gw.willAnswer({ _tag: 'PlatformRejected', error: ERROR })
    const answer = await gw.sendTemplate(TEMPLATE)
    await refused(gw, answer, { status: 400, code: 'platform_rejected' })
    assert.deepInclude(answer.json, { platform_error: ERROR })
  })

  it('402 insufficient_balance says what is required, available, held and short, and names its message', async () => {
    await using gw = await gateway({ balance: '0.01' })
    const { status, json, headers } = await gw.sendTemplate(TEMPLATE)
    assert.equal(status, 402)
    assert.deepEqual(json, refusal('insufficient_balance',
      'The wallet cannot cover this message: it costs 0.062500 USD, and 0.010000 USD are available',
      { required: '0.062500', available: '0.010000', held: '0.000000', shortfall: '0.052500', currency: 'USD', }))
    assert.match(headers.get('postern-message') ?? '', /^msg_/)
    assert.isEmpty(gw.sent)
    assert.deepEqual(await gw.books(), { available: '0.010000', held: '0.000000' })
  })

  it('402 spending_limit_reached says what is required, the limit, what was spent and when the next day begins, and names its message', async () => {
    await using gw = await gateway({ deps: withSpendingLimit(70_000n) })
    assert.equal((await gw.sendTemplate(TEMPLATE)).status, 200)
    const { status, json, headers } = await gw.sendText(TEXT)
    assert.equal(status, 402)
    assert.deepEqual(
      json,
      refusal(
        'spending_limit_reached',
        'This API key may spend 0.070000 USD a day and has spent 0.062500 USD; this message costs 0.007700 USD. The next day begins at ' +
            '2026-03-02T00:00:00.000Z',
        { required: '0.007700', limit: '0.070000', spent: '0.062500', currency: 'USD', resets_at: '2026-03-02T00:00:00.000Z' }, 43_200,
      ),
    )
    assert.match(headers.get('postern-message') ?? '', /^msg_/)
    assert.lengthOf(gw.sent, 1)
    assert.deepEqual(await gw.books(), { available: '9.937500', held: '0.000000' })
  })

  it('404 not_found, for an address that does not exist, needs no key', async () => {
    await using gw = await gateway()
    for (const [path, nearest] of [
      ['/'], ['/v1'], ['/v2/messages/send-text', '/v1/messages/send-text'], ['/v1/messages/send-text/x', '/v1/messages/send-text'],
      ['/V1/wallet', '/v1/wallet'], ['/%ff'], ['/v1/%'],
    ] as const) {
      const response = await fetch(gw.url + path)
      assert.equal(response.status, 404, path)
      assert.deepEqual(
        await response.json(),
        refusal('not_found', `No operation exists at this address; ${nearest === undefined ? '/docs lists all operations' : `did you mean ${nearest}?`}`),
        path,
      )
    }
  })

  it('405 method_not_allowed carries Allow and needs no key', async () => {
    await using gw = await gateway()
    const cases: ReadonlyArray<readonly [string, string, string]> = [
      ['GET', '/v1/messages/send-text', 'POST'], ['PUT', '/api/v1/messages/send-template', 'POST'], ['DELETE', '/v1/messages', 'GET, HEAD'],
      ['POST', '/v1/wallet', 'GET, HEAD'], ['PATCH', '/v1/windows/1234567', 'GET, HEAD'], ['POST', '/health/live', 'GET, HEAD'],
    ]
    for (const [method, path, allow] of cases) {
      const response = await fetch(gw.url + path, { method })
      assert.equal(response.status, 405, path)
      assert.equal(response.headers.get('allow'), allow)
      assert.deepInclude(await response.json(), { status: 'error', code: 'method_not_allowed' })
    }
  })

  it('answers OPTIONS with what an address takes', async () => {
    await using gw = await gateway()
    for (const [path, allow] of [['/v1/messages/send-text', 'POST'], ['/v1/wallet', 'GET, HEAD']] as const) {
      const response = await fetch(gw.url + path, { method: 'OPTIONS' })
      assert.equal(response.status, 204)
      assert.equal(response.headers.get('allow'), allow)
    }
  })

  it('429 platform_throttled carries platform_error, and Retry-After as the platform says it, or else an estimate', async () => {
    await using gw = await gateway()
    gw.willAnswer({ _tag: 'PlatformThrottled', error: ERROR, retryAfterSeconds: 6.2 }, { _tag: 'PlatformThrottled', error: ERROR })
    const known = await gw.sendText(TEXT)
    await refused(gw, known, { status: 429, code: 'platform_throttled' })
    assert.deepInclude(known.json, { platform_error: ERROR })
    assert.equal(known.headers.get('retry-after'), '7')
    assert.equal((await gw.sendText(TEXT)).headers.get('retry-after'), '5')
  })

  it('429 rate_limited carries Retry-After and costs nothing', async () => {
    await using gw = await gateway({
      deps: () => ({ rateLimit: async () => E.left({ _tag: 'RateLimited', retryAfterSeconds: 3 }) }),
    })
    const answer = await gw.sendText(TEXT)
    await refused(gw, answer, { status: 429, code: 'rate_limited' })
    assert.equal(answer.headers.get('retry-after'), '3')
    assert.isEmpty(gw.sent)
  })

  it('429 pair_limit carries Retry-After, and neither opens a message nor costs anything', async () => {
    await using gw = await gateway({ pairLimit: { intervalMs: 6_000, burst: 1 } })
    assert.equal((await gw.sendText(TEXT)).status, 200)
    gw.passes(1_500)
    for (const answer of [await gw.sendText(TEXT), await gw.sendTemplate(TEMPLATE)]) {
      assert.deepInclude(answer.json, { status: 'error', code: 'pair_limit', retry: { when: 'after', after_s: 5 } })
      assert.equal(answer.status, 429)
      assert.equal(answer.headers.get('retry-after'), '5')
      assert.isFalse(answer.headers.has('postern-message'))
    }
    assert.lengthOf(gw.sent, 1)
    assert.deepEqual(await gw.books(), { available: '9.992300', held: '0.000000' })
  })

  it('429 sender_limit carries Retry-After, and neither opens a message nor costs anything', async () => {
    await using gw = await gateway({ senderLimit: { perSecond: 1, maxWaitMs: 1_000 } })
    for (const _ of [1, 2]) assert.equal((await gw.sendText(TEXT)).status, 200)
    const answer = await gw.sendTemplate(TEMPLATE)
    assert.equal(answer.status, 429)
    assert.deepInclude(answer.json, { status: 'error', code: 'sender_limit', retry: { when: 'after', after_s: 1 } })
    assert.isFalse(answer.headers.has('postern-message'))
    assert.lengthOf(gw.sent, 2)
    assert.deepEqual(await gw.books(), { available: '9.984600', held: '0.000000' })
  })

  it('429 sender_limit above the limit of the portfolio carries Retry-After, and waits with a queue', async () => {
    await using gw = await gateway({ customersPerDay: 1, lastInbound: undefined })
    const others = ['4915123456780', '4915123456781']
    assert.equal((await gw.sendTemplate(TEMPLATE)).status, 200)
    for (const to of others) {
      const answer = await gw.sendTemplate({ ...TEMPLATE, to })
      assert.equal(answer.status, 429)
      assert.deepInclude(answer.json, { status: 'error', code: 'sender_limit', retry: { when: 'after', after_s: 86_460 } })
      assert.isFalse(answer.headers.has('postern-message'))
    }
    assert.lengthOf(gw.sent, 1)
    const before = await gw.books()
    assert.equal(before.held, '0.000000')
    const queued = await gw.sendTemplate({ ...TEMPLATE, to: others[0], queue: { until: '2026-03-05T12:00:00Z' } })
    assert.equal(queued.status, 202)
    assert.notEqual((await gw.books()).held, '0.000000')
  })

  it('502 platform_credentials leaves the reason to the operator', async () => {
    await using gw = await gateway()
    gw.willAnswer({ _tag: 'CredentialsRefused', error: { message: 'Session of app 987654321 expired', code: 190, error_subcode: 463 } })
    const answer = await gw.sendText(TEXT)
    await refused(gw, answer, { status: 502, code: 'platform_credentials' })
    assert.hasAllKeys(answer.json, ['status', 'message', 'code', 'doc_url', 'retry'])
    assert.match(gw.log.join(), /"error","platform_credentials_refused",.*"code":190,"error_subcode":463/)
  })

  it('503 platform_unreachable carries Retry-After; nothing was sent and nothing is charged', async () => {
    await using gw = await gateway()
    gw.willAnswer({ _tag: 'PlatformUnreachable', cause: CAUSE })
    const answer = await gw.sendText(TEXT)
    await refused(gw, answer, { status: 503, code: 'platform_unreachable' })
    assert.equal(answer.headers.get('retry-after'), '5')
  })

  it('503 sender_not_configured says that the workspace has no sender', async () => {
    await using gw = await gateway({ sender: false })
    const answer = await gw.sendText(TEXT)
    await refused(gw, answer, { status: 503, code: 'sender_not_configured' })
    assert.isNull(answer.headers.get('retry-after'))
  })

  it('503 storage_unavailable, if storage fails, carries Retry-After and nothing of the cause', async () => {
    await using gw = await gateway({
      ports: ({ keyStore, messageLog }) => ({
        keyStore: { ...keyStore, principalOf: portDown('KeyStore') }, messageLog: { ...messageLog, list: portDown('MessageLog') },
      }),
    })
    const answer = await gw.sendText(TEXT)
    await refused(gw, answer, { status: 503, code: 'storage_unavailable' })
    assert.equal(answer.headers.get('retry-after'), '1')
    assert.notMatch(answer.text, /KeyStore|secret/)
    assert.match(gw.log.join(), /"error","port_failed",.*"port":"KeyStore"/)
    assert.notMatch(gw.log.join(), /secret/)
  })

  it('504 outcome_unknown names our message id, says not to send again with a new key, and keeps the hold', async () => {
    await using gw = await gateway({ balance: '1' })
    gw.willAnswer({ _tag: 'OutcomeUnknown', cause: CAUSE })
    const { status, json, headers } = await gw.sendText(TEXT)
    const id = headers.get('postern-message') ?? 'no id'
    assert.equal(status, 504)
    assert.deepInclude(json, { status: 'error', code: 'outcome_unknown' })
    assert.match((json as { message: string }).message, new RegExp(`${id}.*Do not send it again with a new key`))
    assert.deepEqual(await gw.books(), { available: '0.992300', held: '0.007700' })
  })

  it('500 internal shows nothing of a defect, which the log contains under the same request id', async () => {
    await using gw = await gateway({
      deps: withUses('sending', { send: () => { throw new TypeError(`bug at ${CUSTOMER}, ${ACCESS_TOKEN}`) } }),
    })
    const answer = await gw.sendText(TEXT, { 'X-Request-Id': 'req-7' })
    await refused(gw, answer, { status: 500, code: 'internal' })
    assert.deepEqual(answer.json, refusal('internal', 'The gateway has a defect and did not finish this request; its log has the cause under the X-Request-Id'))
    assert.equal(answer.headers.get('x-request-id'), 'req-7')
    assert.match(gw.log.join(), /"unexpected",.*"request_id":"req-7".*TypeError/)
    assert.notInclude(gw.log.join(), CUSTOMER)
    assert.notInclude(gw.log.join(), ACCESS_TOKEN)
  })

  it('names the opened message on every refusal that came after it was opened', async () => {
    await using gw = await gateway()
    const failures: ReadonlyArray<PlatformError> = [
      { _tag: 'PlatformRejected', error: ERROR }, { _tag: 'PlatformThrottled', error: ERROR }, { _tag: 'CredentialsRefused', error: ERROR },
      { _tag: 'PlatformUnreachable', cause: CAUSE }, { _tag: 'OutcomeUnknown', cause: CAUSE },
    ]
    gw.willAnswer(...failures)
    for (const failure of failures) {
      const { headers } = await gw.sendText(TEXT)
      assert.equal(headers.get('postern-message'), gw.sent.at(-1)?.id, failure._tag)
    }
    assert.isNull((await gw.sendText({})).headers.get('postern-message'))
  })

  it('refuses in the order 401, 429, body, parameters, window, balance', async () => {
    await using gw = await gateway({ balance: '0', lastInbound: undefined })
    const codeOf = async (answer: Promise<Answered>): Promise<string> => ((await answer).json as { code: string }).code
    const post = (body: string, headers: Record<string, string>) => gw.request('/v1/messages/send-text', { method: 'POST', body, headers })
    assert.equal(await codeOf(post('{', { 'Content-Type': 'text/plain', Authorization: 'Bearer no' })), 'unauthenticated')
    assert.equal(await codeOf(post('{', { 'Content-Type': 'text/plain' })), 'unsupported_media_type')
    assert.equal(await codeOf(post('{', { 'Content-Type': 'application/json' })), 'malformed_body')
    assert.equal(await codeOf(gw.sendText({ to: 'x' })), 'missing_parameters')
    assert.equal(await codeOf(gw.sendText({ to: 'x', text: 5 })), 'invalid_parameter')
    assert.equal(await codeOf(gw.sendText({ to: 'x', text: 'x' })), 'invalid_phone_number')
    assert.equal(await codeOf(gw.sendText(TEXT)), 'window_closed')
    assert.equal(await codeOf(gw.sendTemplate(TEMPLATE)), 'insufficient_balance')
  })

  it('logs no secret, text or phone number of any of them', async () => {
    await using gw = await gateway()
    gw.willAnswer(
      { _tag: 'PlatformUnreachable', cause: CAUSE }, { _tag: 'OutcomeUnknown', cause: CAUSE },
      { _tag: 'CredentialsRefused', error: { message: `token ${ACCESS_TOKEN} of ${CUSTOMER}` } },
    )
    for (let send = 0; send < 3; send += 1) await gw.sendText(TEXT)
    assert.lengthOf(gw.log, 3)
    for (const secret of [ACCESS_TOKEN, CUSTOMER, gw.key, TEXT.text]) assert.notInclude(gw.log.join(), secret)
  })
})
