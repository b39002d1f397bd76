import { assert } from 'chai'
import { makeMessageRequest } from '../../../adapters/cloud-api/cloud-api.js'
import { makeReadMarkRequest, makeSenderRequest } from '../../../adapters/cloud-api/transport.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { type Message, messageIdOf, type PlatformId } from '../../../core/messages/message.js'

const id = messageIdOf('01890a5d-ac96-774b-bcce-b302099a8057')
const sender = { phoneNumberId: '42', accessToken: 'EAAG-secret', businessAccountId: undefined }
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
      headers: { authorization: 'Bearer EAAG-secret', accept: 'application/json', 'user-agent': 'postern', 'content-type': 'application/json' },
    })
    assert.notInclude(body, 'EAAG')
  })

  it('keeps the path of a base address and needs no slash at its end', () => {
    for (const baseUrl of ['http://127.0.0.1:4010/proxy/', 'http://127.0.0.1:4010/proxy']) {
      const { origin, path } = makeMessageRequest({ ...endpoint, baseUrl })({ id, sender, message: text })
      assert.equal(`${origin}${path}`, 'http://127.0.0.1:4010/proxy/v25.0/42/messages')
    }
  })

  it('cannot be led elsewhere by a phone number id', () => {
    const { path } = makeMessageRequest(endpoint)({ id, sender: { ...sender, phoneNumberId: '../42?a=b#c' }, message: text })
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

  it('leaves components out where there are none', () => {
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
      headers: { authorization: 'Bearer EAAG-secret', accept: 'application/json', 'user-agent': 'postern', 'content-type': 'application/json' },
    })
    assert.notInclude(body, 'EAAG')
  })

  it('has a typing indicator only where typing is to be shown', () => {
    assert.deepEqual(bodyOf(false), { messaging_product: 'whatsapp', status: 'read', message_id: message })
    assert.deepEqual(bodyOf(true), { messaging_product: 'whatsapp', status: 'read', message_id: message, typing_indicator: { type: 'text' } })
  })
})
