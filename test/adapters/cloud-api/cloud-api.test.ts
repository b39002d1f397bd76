import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import nock from 'nock'
import { makeCloudApi, makeMessageRequest } from '../../../adapters/cloud-api/cloud-api.js'
import { makeGotTransport } from '../../../adapters/cloud-api/got-transport.js'
import { makeReadMarkRequest, makeSenderRequest } from '../../../adapters/cloud-api/transport.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { type Message, messageIdOf, type PlatformId } from '../../../core/messages/message.js'
import { senderIdOf } from '../../../core/senders/sender.js'

const id = messageIdOf('01890a5d-ac96-774b-bcce-b302099a8057')
const sender = { phoneNumberId: senderIdOf('42'), accessToken: 'EAAG-secret', businessAccountId: undefined }
const to = '4915112345678' as PhoneNumber
const text: Message = { _tag: 'Text', to, text: 'Hello' }
const endpoint = { baseUrl: 'https://graph.facebook.com', version: 'v25.0', timeoutMs: 10_000 }

const template = (components?: ReadonlyArray<JsonObject>): unknown => {
  const message: Message = { _tag: 'Template', to, name: 'order_update', language: 'en_US', ...(components && { components }) }
  return JSON.parse(makeMessageRequest(endpoint)({ id, sender, message }).body ?? '')
}

describe('the request of a message', () => {
  it('goes to the messages of the phone number id, with the token in a header and nowhere else', () => {
    const { body, ...rest } = makeMessageRequest(endpoint)({ id, sender, message: text })
    assert.deepEqual(rest, {
      method: 'POST', origin: 'https://graph.facebook.com', path: '/v25.0/42/messages', timeoutMs: 10_000,
      headers: {
        authorization: 'Bearer EAAG-secret', accept: 'application/json', 'user-agent': 'postern', 'content-type': 'application/json',
      },
    })
    assert.notInclude(body, 'EAAG')
  })

  it('goes to the marketing messages if it is said to, and is the same otherwise', () => {
    const outbound = { id, sender, message: text }
    const { path, ...rest } = makeMessageRequest(endpoint)({ ...outbound, isMarketing: true })
    const { path: usual, ...same } = makeMessageRequest(endpoint)(outbound)
    assert.deepEqual([path, usual], ['/v25.0/42/marketing_messages', '/v25.0/42/messages'])
    assert.deepEqual(rest, same)
  })

  it('keeps the path of a base address and needs no slash at its end', () => {
    for (const baseUrl of ['http://127.0.0.1:4010/proxy/', 'http://127.0.0.1:4010/proxy']) {
      const { origin, path } = makeMessageRequest({ ...endpoint, baseUrl })({ id, sender, message: text })
      assert.equal(`${origin}${path}`, 'http://127.0.0.1:4010/proxy/v25.0/42/messages')
    }
  })

  it('cannot be led elsewhere by a phone number id', () => {
    const { path } = makeMessageRequest(endpoint)({ id, sender: { ...sender, phoneNumberId: senderIdOf('../42?a=b#c') }, message: text })
    assert.equal(path, '/v25.0/..%2F42%3Fa%3Db%23c/messages')
  })

  it('carries a text with its plus sign, without a preview, marked with our id', () => {
    assert.deepEqual(JSON.parse(makeMessageRequest(endpoint)({ id, sender, message: text }).body ?? ''), {
      messaging_product: 'whatsapp', recipient_type: 'individual', to: '+4915112345678', type: 'text',
      text: { preview_url: false, body: 'Hello' }, biz_opaque_callback_data: 'msg_01890a5dac96774bbcceb302099a8057',
    })
  })

  it('carries a template with its components untouched', () => {
    const components: ReadonlyArray<JsonObject> = [
      { type: 'body', parameters: [{ type: 'text', text: 'A', parameter_name: 'who', odd: null }], unheard_of: [1, { deep: true }] },
      { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: 'x' }] },
    ]
    assert.deepEqual(template(components), {
      messaging_product: 'whatsapp', recipient_type: 'individual', to: '+4915112345678', type: 'template',
      template: { name: 'order_update', language: { code: 'en_US' }, components },
      biz_opaque_callback_data: 'msg_01890a5dac96774bbcceb302099a8057',
    })
  })

  it('leaves components out if there are none', () => {
    for (const components of [undefined, []]) {
      assert.deepInclude(template(components), { template: { name: 'order_update', language: { code: 'en_US' } } })
    }
  })
})

describe('the request about a sender', () => {
  it('asks for the name of its phone number id', () => {
    assert.deepEqual(makeSenderRequest(endpoint)(sender), {
      method: 'GET', origin: 'https://graph.facebook.com', path: '/v25.0/42?fields=verified_name', timeoutMs: 10_000,
      headers: { authorization: 'Bearer EAAG-secret', accept: 'application/json', 'user-agent': 'postern' },
    })
  })
})

describe('the request that marks a message as read', () => {
  const message = 'wamid.HBgN/+==' as PlatformId
  const bodyOf = (typing: boolean): unknown => JSON.parse(makeReadMarkRequest(endpoint)({ sender, message, typing }).body ?? '')

  it('goes to the messages of the phone number id, with the token in a header and the id in the body only', () => {
    const { body, ...rest } = makeReadMarkRequest(endpoint)({ sender, message, typing: false })
    assert.deepEqual(rest, {
      method: 'POST', origin: 'https://graph.facebook.com', path: '/v25.0/42/messages', timeoutMs: 10_000,
      headers: {
        authorization: 'Bearer EAAG-secret', accept: 'application/json', 'user-agent': 'postern', 'content-type': 'application/json',
      },
    })
    assert.notInclude(body, 'EAAG')
  })

  it('has a typing indicator only if typing is to be shown', () => {
    assert.deepEqual(bodyOf(false), { messaging_product: 'whatsapp', status: 'read', message_id: message })
    assert.deepEqual(bodyOf(true), {
      messaging_product: 'whatsapp', status: 'read', message_id: message, typing_indicator: { type: 'text' },
    })
  })
})

// Importing nock switches it on for the whole process; other tests want the real network.
nock.restore()

describe('a send over got', () => {
  const transport = makeGotTransport()
  const platform = makeCloudApi({ baseUrl: 'https://platform.test', version: 'v25.0', timeoutMs: 2_000, transport: transport.send })
  const id = messageIdOf('01890a5d-ac96-774b-bcce-b302099a8057')
  const sender = { phoneNumberId: senderIdOf('42'), accessToken: 'EAAG-secret', businessAccountId: undefined }
  const text: Message = { _tag: 'Text', to: '4915112345678' as PhoneNumber, text: 'Grüße' }
  const send = (message: Message = text) => platform.send({ id, sender, message })

  before(() => {
    nock.activate()
    nock.disableNetConnect()
  })
  afterEach(() => {
    const unused = nock.pendingMocks()
    nock.cleanAll()
    assert.deepEqual(unused, [], 'every answer that was prepared was asked for')
  })
  after(async () => {
    nock.enableNetConnect()
    nock.restore()
    await transport.close()
  })

  it('posts exactly what the Cloud API wants', async () => {
    let headers: Record<string, unknown> = {}
    nock('https://platform.test')
      .post('/v25.0/42/messages', {
        messaging_product: 'whatsapp', recipient_type: 'individual', to: '+4915112345678', type: 'text',
        text: { preview_url: false, body: 'Grüße' }, biz_opaque_callback_data: 'msg_01890a5dac96774bbcceb302099a8057',
      })
      .reply(200, function () {
        headers = this.req.headers
        const contacts = [{ input: '+4915112345678', wa_id: '4915112345678' }]
        return { messaging_product: 'whatsapp', contacts, messages: [{ id: 'wamid.1' }] }
      })
    assert.deepEqual<unknown>(
      await send(),
      E.right({ platformId: 'wamid.1', customer: { phoneNumber: '4915112345678', userId: undefined }, dialled: '4915112345678' }),
    )
    const names = ['authorization', 'content-type', 'content-length', 'user-agent', 'accept', 'host', 'connection']
    assert.sameMembers(Object.keys(headers), names)
    assert.equal(headers['authorization'], 'Bearer EAAG-secret')
    assert.equal(headers['user-agent'], 'postern')
  })

  it('reads a template held for quality assessment as accepted', async () => {
    nock('https://platform.test').post('/v25.0/42/messages')
      .reply(200, { messages: [{ id: 'wamid.2', message_status: 'held_for_quality_assessment' }] })
    assert.deepEqual<unknown>(
      await send({ _tag: 'Template', to: text.to, name: 'hello', language: 'en' }), E.right({ platformId: 'wamid.2' }),
    )
  })

  it('reads a refusal as rejected, with the error object unchanged', async () => {
    const error = {
      message: '(#132001) Template name does not exist in the translation', type: 'OAuthException', code: 132001, fbtrace_id: 'A',
    }
    nock('https://platform.test').post('/v25.0/42/messages').reply(404, { error })
    assert.deepEqual<unknown>(await send(), E.left({ _tag: 'PlatformRejected', error }))
  })

  it('reads Retry-After of a throttled answer', async () => {
    const error = { message: '(#130429) Rate limit hit', code: 130429 }
    nock('https://platform.test').post('/v25.0/42/messages').reply(429, { error }, { 'Retry-After': '12' })
    assert.deepEqual<unknown>(await send(), E.left({ _tag: 'PlatformThrottled', error, retryAfterSeconds: 12 }))
  })

  it('follows no redirect', async () => {
    nock('https://platform.test').post('/v25.0/42/messages').reply(307, '', { location: 'https://elsewhere.test/' })
    const cause = 'The platform answered 307 with a body that makes no sense'
    assert.deepEqual<unknown>(await send(), E.left({ _tag: 'OutcomeUnknown', cause }))
  })

  it('reads a refused connection as unreachable', async () => {
    nock('https://platform.test').post('/v25.0/42/messages').replyWithError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
    const answer = await send()
    assert.equal(E.isLeft(answer) && answer.left._tag, 'PlatformUnreachable')
  })

  it('retries nothing, not even what got would retry by itself', async () => {
    nock('https://platform.test').post('/v25.0/42/messages').reply(503, 'upstream connect error')
    nock('https://platform.test').post('/v25.0/42/messages').reply(200, { messages: [{ id: 'wamid.3' }] })
    const first = await send()
    assert.equal(E.isLeft(first) && first.left._tag, 'OutcomeUnknown')
    assert.equal(nock.pendingMocks().length, 1, 'the second answer has not been asked for')
    assert.deepEqual<unknown>(await send(), E.right({ platformId: 'wamid.3' }))
  })
})
