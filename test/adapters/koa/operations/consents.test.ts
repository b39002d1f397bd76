import { assert } from 'chai'
import { SHIPPED_WORDS } from '../../../../core/consent/words.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import type { PlatformId } from '../../../../core/messages/message.js'
import { rightOf } from '../../../support/right-of.js'
import { type Answered, CUSTOMER, gateway, type Gateway, NOON } from '../gateway.js'

const CONSENT = `/v1/customers/${CUSTOMER}/consent`
const WORDS = '/v1/opt-out-words'
const UNKNOWN = { status: 'unknown', since: null, source: null, note: null }

const put = (gw: Gateway, path: string, body: object): Promise<Answered> =>
  gw.request(path, { method: 'PUT', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } })

const text = { to: CUSTOMER, text: 'Hello' }

describe('PUT /v1/customers/{to}/consent', () => {
  it('records what a customer said, and shows it with the customer', async () => {
    await using gw = await gateway()
    const at = '2026-02-01T09:00:00.000Z'
    const given = { of: 'marketing', status: 'granted', source: 'signup form', note: 'Fair in Lyon', at }
    const { status, json } = await put(gw, CONSENT, given)
    const consent = { marketing: { status: 'granted', since: at, source: 'signup form', note: 'Fair in Lyon' }, all: UNKNOWN }
    assert.deepEqual([status, json], [200, consent])
    assert.deepInclude((await gw.get(`/v1/customers/${CUSTOMER}`)).json as object, { consent })
  })

  it('replies what is known if the statement is older than that', async () => {
    await using gw = await gateway()
    await put(gw, CONSENT, { of: 'all', status: 'granted', source: 'form', at: '2026-02-02T00:00:00Z' })
    const { status, json } = await put(gw, CONSENT, { of: 'all', status: 'withdrawn', source: 'old list', at: '2026-02-01T00:00:00Z' })
    assert.deepEqual([status, json], [200, {
      marketing: UNKNOWN, all: { status: 'granted', since: '2026-02-02T00:00:00.000Z', source: 'form', note: null },
    }])
  })

  it('stops a message to the customer, before money is held, until it is allowed again', async () => {
    await using gw = await gateway()
    const say = (status: string, at: string) => put(gw, CONSENT, { of: 'all', status, source: 'phone call', at })
    await say('withdrawn', '2026-02-01T00:00:00Z')
    const refused = await gw.post('/v1/messages/send-text', text)
    assert.equal(refused.status, 400)
    assert.deepInclude(refused.json as object, { code: 'customer_opted_out' })
    assert.isEmpty(gw.sent)
    assert.nestedInclude(rightOf(await gw.storage.ledger.balance(gw.workspace)), { 'value.held': 0n })
    await say('granted', '2026-02-02T00:00:00Z')
    assert.equal((await gw.post('/v1/messages/send-text', text)).status, 200)
  })

  it('refuses a source of spaces, and a time in the future, with a sentence that names the field', async () => {
    await using gw = await gateway()
    for (const [body, sentence] of [
      [{ source: ' ' }, /source/], [{ source: 'form', at: '2026-03-01T12:06:00Z' }, /at must not be in the future/],
      [{ source: 'form', note: ' ' }, /note/],
    ] as const) {
      const { status, json } = await put(gw, CONSENT, { of: 'all', status: 'granted', ...body })
      assert.equal(status, 400)
      assert.match(JSON.stringify(json), sentence)
    }
    assert.deepEqual(rightOf(await gw.storage.consents.find(gw.workspace, [CUSTOMER as PhoneNumber])), [{}])
  })
})

describe('/v1/opt-out-words', () => {
  const wrote = async (gw: Gateway, said: string) => void rightOf(await gw.receive([{
    _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER as PhoneNumber }, at: NOON,
    message: { id: `wamid.${said}` as PlatformId, type: 'text', content: { body: said } },
  }]))

  it('shows the shipped words until others are set, which then stop what they say', async () => {
    await using gw = await gateway()
    assert.deepEqual((await gw.get(WORDS)).json, { words: SHIPPED_WORDS, of: 'marketing', reply: null })
    const words = { words: { en: ['ENOUGH'] }, of: 'all', reply: 'Bye.\nSee you.' }
    const { status, json } = await put(gw, WORDS, words)
    assert.deepEqual([status, json], [200, words])
    assert.deepEqual((await gw.get(WORDS)).json, words)
    await wrote(gw, 'stop')
    assert.equal((await gw.post('/v1/messages/send-text', text)).status, 200)
    await wrote(gw, 'Enough!')
    assert.equal((await gw.post('/v1/messages/send-text', text)).status, 400)
  })

  it('refuses a reply that cannot be sent, and a language that is none, and keeps the words', async () => {
    await using gw = await gateway()
    for (const [body, sentence] of [
      [{ words: { en: ['STOP'] }, of: 'all', reply: ' ' }, /reply/],
      [{ words: { en: ['STOP'] }, of: 'all', reply: 'a'.repeat(4_097) }, /reply/],
      [{ words: { English: ['STOP'] }, of: 'all' }, /English/],
    ] as const) {
      const { status, json } = await put(gw, WORDS, body)
      assert.equal(status, 400)
      assert.match(JSON.stringify(json), sentence)
    }
    assert.deepInclude((await gw.get(WORDS)).json as object, { words: SHIPPED_WORDS })
  })
})
