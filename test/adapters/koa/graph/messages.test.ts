import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { SAMPLES } from '../../../core/content-samples.js'
import { CUSTOMER, gateway, type Gateway, type World } from '../gateway.js'
import { withScopes, withSpendingLimit, withUses } from '../with-uses.js'
import { errorOf, platformBody, postToGraph } from './requests.js'

const TEXT = platformBody(`+${CUSTOMER}`, { type: 'text', text: { preview_url: false, body: 'Hello' } })
const QUOTED = { message_id: 'wamid.HBgN' }
const USER_ID = 'DE.13491208655302741918'
const MARK = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.HBgNNTUx' }

describe('sending below /graph', () => {
  for (const [name, { type, content }] of Object.entries(SAMPLES)) {
    it(`passes the platform's object on untouched: ${name}`, async () => {
      await using gw = await gateway()
      const { status, json, headers } = await postToGraph(gw, platformBody(`+${CUSTOMER}`, { type, [type]: content }))
      assert.deepEqual([status, gw.messages()], [200, [{ _tag: 'Content', to: CUSTOMER, type, content }]])
      const { messages: [message], ...rest } = json as { readonly messages: ReadonlyArray<{ readonly id: string }> }
      assert.deepEqual<unknown>(rest, { messaging_product: 'whatsapp', contacts: [{ input: `+${CUSTOMER}`, wa_id: CUSTOMER }] })
      assert.match(message?.id ?? '', /^wamid\./)
      assert.match(headers.get('postern-message') ?? '', /^msg_/)
    })
  }

  it('sends a template outside the window, with the same checks and prices as below /v1', async () => {
    await using gw = await gateway({ lastInbound: undefined })
    const components = [
      { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: 'a17' }] },
      { type: 'body', parameters: [{ type: 'text', text: 'Ana' }] },
    ]
    const body = platformBody(CUSTOMER, {
      type: 'template', template: { name: 'order_update', language: { policy: 'deterministic', code: 'pt_BR' }, components },
    })
    assert.equal((await postToGraph(gw, body)).status, 200)
    assert.deepEqual(gw.messages(), [{ _tag: 'Template', to: CUSTOMER, name: 'order_update', language: 'pt_BR', components }])
    assert.deepEqual(await gw.books(), { available: '9.937500', held: '0.000000' })
  })

  it('refuses a template whose parameters are too few or too many by 132000, and other parameters by other codes', async () => {
    await using gw = await gateway({ templates: [{
      id: '1', name: 'order_update', language: 'en', category: 'utility', status: 'approved', quality: undefined,
      parameterFormat: 'positional', components: [{ type: 'BODY', text: 'Hi {{1}}, your order {{2}} is on its way.' }],
    }] })
    const text = (value: string) => ({ type: 'text', text: value })
    const refusalOf = async (...parameters: ReadonlyArray<object>): Promise<ReadonlyArray<unknown>> => {
      const components = [{ type: 'body', parameters }]
      const answer = await postToGraph(
        gw, platformBody(CUSTOMER, { type: 'template', template: { name: 'order_update', language: { code: 'en' }, components } }),
      )
      const { code, message } = errorOf(answer)
      return [answer.status, code, message]
    }
    const count = [400, 132000, '(#132000) Number of parameters does not match the expected number of params']
    assert.deepEqual(await refusalOf(), count)
    assert.deepEqual(await refusalOf(text('Ana')), count)
    assert.deepEqual(await refusalOf(text('Ana'), text('1742'), text('x')), count)
    assert.deepEqual((await refusalOf(text('Ana'), { type: 'image', image: { id: '1' } }))[1], 132012)
    assert.deepEqual((await refusalOf(text('Ana'), text('a\nb')))[1], 132018)
    assert.isEmpty(gw.sent)
  })

  it('takes what is almost the platform\'s: numbers with separators or as numbers, nulls, no type, no recipient_type', async () => {
    await using gw = await gateway()
    const bodies = [
      { messaging_product: 'whatsapp', to: '+55 (11) 98765-4321', text: { body: 'Hello' } },
      {
        messaging_product: 'whatsapp', to: 5511987654321, type: 'text', text: { body: 'Hello' }, context: null, image: null, template: null,
      },
      { messaging_product: 'whatsapp', to: ` ${CUSTOMER}`, type: null, text: { body: 'Hello' }, biz_opaque_callback_data: null },
    ]
    for (const body of bodies) assert.equal((await postToGraph(gw, body)).status, 200, JSON.stringify(body))
    assert.deepEqual(gw.messages(), bodies.map(() => ({ _tag: 'Content', to: CUSTOMER, type: 'text', content: { body: 'Hello' } })))
  })

  it('sends to a user id in `recipient`, and to the number if both are there', async () => {
    await using gw = await gateway()
    const template = { type: 'template', template: { name: 'hello', language: { code: 'en' } } }
    const { json } = await postToGraph(gw, { messaging_product: 'whatsapp', recipient: USER_ID, ...template })
    assert.deepInclude(json, { contacts: [{ input: USER_ID, user_id: USER_ID }] })
    assert.equal((await postToGraph(gw, { messaging_product: 'whatsapp', to: CUSTOMER, recipient: USER_ID, ...template })).status, 200)
    assert.deepEqual(gw.sent.map(({ message: { to } }) => String(to)), [USER_ID, CUSTOMER])
  })

  it('notes the data of the caller on the message, because the gateway has its own in that field of the platform', async () => {
    await using gw = await gateway()
    const { headers } = await postToGraph(gw, { ...TEXT, biz_opaque_callback_data: 'order A-17', context: QUOTED, metadata: { shop: '7' } })
    const read = await gw.get(`/v1/messages/${headers.get('postern-message') ?? ''}`)
    assert.deepInclude(read.json, { metadata: { shop: '7', biz_opaque_callback_data: 'order A-17' }, type: 'text' })
    assert.deepInclude(gw.messages()[0], { context: QUOTED })
  })

  it('passes texts on as they were written, with escapes and entities', async () => {
    await using gw = await gateway()
    const raw = JSON.stringify(platformBody(CUSTOMER, { text: { body: 'TEXT' } })).replace('TEXT', '\\u003cb\\u003e &lt;i&gt; <script>\\/ \\ud83d\\ude00')
    await gw.request(`/graph/v23.0/${gw.phoneNumberId}/messages`, {
      method: 'POST', body: raw, headers: { 'Content-Type': 'application/json' },
    })
    assert.deepInclude(gw.messages()[0], { content: { body: '<b> &lt;i&gt; <script>/ 😀' } })
  })

  const refused: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ['no messaging_product', { to: CUSTOMER, text: { body: 'a' } }, /^\(#100\) The parameter messaging_product is required\./],
    ['another product', { ...TEXT, messaging_product: 'messenger' }, /messaging_product must be "whatsapp"/],
    ['nobody to send to', { messaging_product: 'whatsapp', text: { body: 'a' } }, /The parameter to is required\./],
    ['nothing', {}, /The parameters messaging_product, to, text are required\./],
    ['a list instead of an object', [TEXT], /The body must be a JSON object/],
    ['no number', { ...TEXT, to: 'Ann' }, /to must be 7 to 15 digits/],
    ['a number that is too large to be exact', { ...TEXT, to: 1e20 }, /to must be a string/],
    ['several recipients', { ...TEXT, to: [CUSTOMER] }, /to must be a string/],
    ['a group', { ...TEXT, recipient_type: 'group' }, /recipient_type must be "individual"/],
    ['no object of its type', { ...TEXT, type: 'image', text: undefined }, /The parameter image is required\./],
    ['the object of another type, too', { ...TEXT, image: { id: '1' } }, /image must be left out, because the type is text/],
    ['an unknown type', { ...TEXT, type: 'hologram' }, /type must be one of text/],
    ['an empty text', { ...TEXT, text: { body: '' } }, /text\.body must be a string of 1 to 4096 characters \(given: 0\)/],
    ['a template without a name', platformBody(CUSTOMER, { type: 'template', template: {} }), /template\.name must be/],
    ['data of the caller that is too long', { ...TEXT, biz_opaque_callback_data: 'x'.repeat(501) }, /biz_opaque_callback_data must be a string of at most 500/],
    ['a category, which asks for what is for later', { ...TEXT, category: 'utility' }, /category must be left out: it is not available yet/],
    ['an identity that would not be checked', { ...TEXT, recipient_identity_key_hash: 'abc' }, /recipient_identity_key_hash must be left out/],
    ['a sender, which the address names', { ...TEXT, sender: '106540352242922' }, /sender must be left out: the address contains the phone number id/],
    ...['when_closed', 'queue', 'send_at', 'deliver_between'].map((name) =>
      [`${name}, which Postern has for later`, { ...TEXT, [name]: 60 }, new RegExp(`${name} must be left out: it is not available yet`)] as const),
    ['another status than read', { ...MARK, status: 'delivered' }, /status must be "read"/],
    ['a mark without a message', { messaging_product: 'whatsapp', status: 'read' }, /The parameter message_id is required\./],
    ['a mark of something else', { ...MARK, message_id: 'msg_1' }, /message_id must be the platform's id of a message/],
    ['an indicator of something else', { ...MARK, typing_indicator: { type: 'audio' } }, /typing_indicator\.type must be "text"/],
  ]
  for (const [what, body, sentence] of refused) {
    it(`refuses ${what} by 100, before the window and the wallet are looked at`, async () => {
      await using gw = await gateway({ lastInbound: undefined, balance: '0' })
      const answer = await postToGraph(gw, body)
      const {
        code, message, type, error_data: { details }, fbtrace_id: id,
      } = errorOf(answer) as { [name: string]: unknown; error_data: { details: string } }
      assert.deepEqual([answer.status, code, type, id], [400, 100, 'OAuthException', answer.headers.get('x-request-id')])
      assert.match(`${String(message)} ${details}`, sentence)
      assert.isEmpty([...gw.sent, ...gw.marked])
    })
  }

  it('refuses a body that is not JSON, is of another type, or contains a number that would change', async () => {
    await using gw = await gateway()
    const post = (body: string, type = 'application/json') =>
      gw.request(`/graph/v23.0/${gw.phoneNumberId}/messages`, { method: 'POST', body, headers: { 'Content-Type': type } })
    const answers = await Promise.all([
      post('{"messaging_product"'), post('messaging_product=whatsapp', 'application/x-www-form-urlencoded'),
      post(JSON.stringify({ ...TEXT, text: { body: 'a', size: 'N' } }).replace('"N"', '12345678901234567890')),
    ])
    assert.deepEqual(answers.map((answer) => [answer.status, errorOf(answer)['code']]), [[400, 100], [415, 100], [400, 100]])
  })

  it('names what refuses a message as the platform names it', async () => {
    const codeOf = async (world: World, prepare: (gw: Gateway) => void = () => undefined): Promise<unknown> => {
      await using gw = await gateway(world)
      prepare(gw)
      return errorOf(await postToGraph(gw, TEXT))['code']
    }
    const error = { code: 131056, message: '(#131056) pair rate limit hit' }
    assert.equal(await codeOf({ lastInbound: undefined }), 131047)
    assert.equal(await codeOf({ balance: '0' }), 131042)
    assert.equal(await codeOf({ deps: withSpendingLimit(1n) }), 131042)
    assert.equal(await codeOf({ deps: () => ({ rateLimit: async () => E.left({ _tag: 'RateLimited', retryAfterSeconds: 3 }) }) }), 80007)
    assert.equal(await codeOf({}, (gw) => gw.willAnswer({ _tag: 'PlatformThrottled', error })), 131056)
    assert.equal(
      await codeOf({}, (gw) => gw.willAnswer({ _tag: 'CredentialsRefused', error: { code: 190, message: 'Session expired' } })), 131031,
    )
    assert.equal(await codeOf({}, (gw) => gw.willAnswer({ _tag: 'PlatformUnreachable', cause: 'x' })), 131016)
    assert.equal(
      await codeOf({}, (gw) => gw.willAnswer({ _tag: 'PlatformRejected', error: { code: 132005, message: 'too long' } })), 132005,
    )
  })

  it('answers an unknown outcome so that no client repeats it, and names the message', async () => {
    await using gw = await gateway()
    gw.willAnswer({ _tag: 'OutcomeUnknown', cause: 'the connection was cut' })
    const answer = await postToGraph(gw, TEXT)
    assert.deepInclude(errorOf(answer), { code: 131000, is_transient: false })
    assert.match(JSON.stringify(errorOf(answer)), /did not confirm message msg_/)
    assert.equal(answer.status, 400)
  })

  it('sends once under a key, however many ask at once, and as one message with the same request below /v1', async () => {
    await using gw = await gateway()
    const headers = { 'Idempotency-Key': 'a-key' }
    const release = gw.hold()
    const racing = Array.from({ length: 2 }, () => postToGraph(gw, TEXT, headers))
    // While the platform holds the one that is sent, only the other can be answered.
    assert.equal((await Promise.race(racing)).status, 409)
    release()
    const answers = await Promise.all(racing)
    assert.sameMembers(answers.map(({ status }) => status), [200, 409])
    const again = await postToGraph(gw, TEXT, headers)
    assert.deepEqual([again.json, again.headers.get('idempotency-replayed')], [answers.find(({ status }) => status === 200)?.json, 'true'])
    const below = await gw.post('/v1/messages/send', { to: CUSTOMER, type: 'text', text: { preview_url: false, body: 'Hello' } }, headers)
    assert.equal(below.headers.get('idempotency-replayed'), 'true')
    assert.deepInclude(errorOf(await postToGraph(gw, { ...TEXT, text: { body: 'Other' } }, headers)), { code: 100 })
    assert.lengthOf(gw.sent, 1)
  })
})

describe('marking as read below /graph', () => {
  it('marks, and shows that an answer is being written', async () => {
    await using gw = await gateway()
    for (const [more, typing] of [[{}, false], [{ typing_indicator: { type: 'text' } }, true]] as const) {
      const { status, json } = await postToGraph(gw, { ...MARK, ...more })
      assert.deepEqual(
        [status, json, gw.marked.at(-1)?.typing, gw.marked.at(-1)?.message], [200, { success: true }, typing, MARK.message_id],
      )
    }
  })

  it('needs the scope of an answer, as a send needs that of sends', async () => {
    await using sender = await gateway({ deps: withScopes('send') })
    await using reader = await gateway({ deps: withScopes('answer') })
    assert.deepInclude(errorOf(await postToGraph(sender, MARK)), { code: 10 })
    assert.deepInclude(errorOf(await postToGraph(reader, TEXT)), { code: 10 })
    assert.equal((await postToGraph(sender, TEXT)).status, 200)
    assert.equal((await postToGraph(reader, MARK)).status, 200)
  })

  it('is not there if the app does not answer customers', async () => {
    await using gw = await gateway({ answering: false })
    assert.deepInclude(errorOf(await postToGraph(gw, MARK)), { code: 100, error_subcode: 33 })
  })
})

describe('the addresses and keys of the Graph-compatible API', () => {
  it('takes the key in the query, and never logs it', async () => {
    await using gw = await gateway()
    const path = `/graph/v23.0/${gw.phoneNumberId}/messages`
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(TEXT) }
    assert.equal((await fetch(`${gw.url}${path}?access_token=${gw.key}`, init)).status, 200)
    assert.equal((await gw.request(`${path}?access_token=${gw.key}`, init)).status, 200)
    assert.equal((await gw.request(`${path}?access_token=pst_another`, init)).status, 401)
    assert.equal((await fetch(`${gw.url}${path}?access_token=EAAGm0PX4ZCpsBAKZC`, init)).status, 401)
    assert.equal((await fetch(`${gw.url}${path}?access_token=`, init)).status, 401)
    assert.equal((await fetch(`${gw.url}/v1/wallet?access_token=${gw.key}`)).status, 401)
    assert.notMatch(JSON.stringify([gw.requests, gw.log]), /pst_|EAA|access_token/)
    assert.deepEqual(gw.requests[0]?.['route'], '/graph/:version/:object/messages')
  })

  it('refuses every bad key alike, a token of the platform, too', async () => {
    await using gw = await gateway()
    const answers = await Promise.all(['', 'Bearer pst_wrong', 'Bearer EAAGm0PX4ZCpsBAKZC', 'Basic x']
      .map((Authorization) => postToGraph(gw, TEXT, { Authorization, 'X-Request-Id': 'one' })))
    assert.lengthOf(new Set(answers.map(({ status, text }) => `${status} ${text}`)), 1)
    assert.deepInclude(errorOf(answers[0] ?? assert.fail()), { code: 190, type: 'OAuthException', fbtrace_id: 'one' })
    assert.equal(answers[0]?.headers.get('www-authenticate'), 'Bearer')
    assert.notMatch(JSON.stringify([gw.requests, gw.log]), /pst_|EAA/)
  })

  it('knows no business number but that of the workspace', async () => {
    await using gw = await gateway()
    const other = await gw.addWorkspace()
    for (const id of ['106540352242922', other.phoneNumberId]) {
      const answer = await gw.post(`/graph/v23.0/${id}/messages`, TEXT)
      assert.equal(answer.status, 400)
      assert.deepInclude(errorOf(answer), { code: 100, error_subcode: 33, type: 'GraphMethodException' })
      assert.match(String(errorOf(answer)['message']), new RegExp(`^Unsupported post request\\. Object with ID '${id}' does not exist`))
    }
    await using without = await gateway({ sender: false })
    assert.deepInclude(errorOf(await postToGraph(without, TEXT)), { code: 100, error_subcode: 33 })
    assert.isEmpty([...gw.sent, ...without.sent])
  })

  it('takes every version that has the form of one, and no other address', async () => {
    await using gw = await gateway()
    for (const version of ['v16.0/', 'v99.0/', '']) {
      assert.equal((await gw.post(`/graph/${version}${gw.phoneNumberId}/messages`, TEXT)).status, 200)
    }
    for (const path of [
      '/graph', '/graph/', '/graph/v23.0', `/graph/v1x/${gw.phoneNumberId}/messages`, `/graph/v23.0/${gw.phoneNumberId}/calls`,
      `/graph/v23.0/${gw.phoneNumberId}/messages/`,
    ]) {
      const answer = await gw.post(path, TEXT)
      assert.equal(answer.status, 404, path)
      assert.deepInclude(errorOf(answer), { code: 2500, message: `Unknown path components: ${path.slice('/graph'.length)}` })
    }
    for (const path of [`/graph/v23.0/${gw.phoneNumberId}/messages`, `/graph/${gw.phoneNumberId}/messages`]) {
      const other = await gw.request(path, { method: 'DELETE' })
      assert.deepEqual([other.status, other.headers.get('allow'), errorOf(other)['code']], [405, 'POST', 100])
    }
    assert.lengthOf(gw.sent, 3)
  })

  it('answers a defect, and two Host headers, in the platform\'s shape', async () => {
    await using gw = await gateway({ deps: withUses('sending', { send: () => { throw new Error('a defect') } }) })
    const answer = await postToGraph(gw, TEXT)
    assert.equal(answer.status, 500)
    assert.deepInclude(errorOf(answer), { code: 131000, is_transient: false })
    assert.match(await gw.raw(`GET /graph/v23.0/1 HTTP/1.1\r\n${gw.authorization}\r\nHost: other`), /"code":100/)
  })
})
