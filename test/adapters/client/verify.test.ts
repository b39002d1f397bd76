import { randomBytes } from 'node:crypto'
import { assert } from 'chai'
import { type DeliveryHeaders, verify } from '../../../adapters/client/index.js'
import { signedHeaders } from '../../../adapters/webhooks/webhook-sender.js'
import type { EndpointSecret } from '../../../core/events/endpoint.js'

const EVENT = {
  id: 'evt_0199c3a87c2e7b1f9d5a4e6b8c0d2f41', type: 'message.received', workspace: 'ws_0199c3a87c2e7b1f9d5a4e6b8c0d2f40',
  created_at: '2026-03-01T12:00:03.000Z',
  data: {
    id: 'wamid.1',
    from: { phone_number: '4915112345678', user_id: null, name: null, username: null },
    type: 'text',
    content: { body: 'Grüße 🙂' },
    context: null,
    at: '2026-03-01T12:00:02.000Z',
  },
}
const BODY = JSON.stringify(EVENT)

const newSecret = (): EndpointSecret => `whsec_${randomBytes(24).toString('base64')}` as EndpointSecret
const SECRET = newSecret()

/** The headers of a delivery, as the gateway makes them. */
const headers = (secrets: ReadonlyArray<EndpointSecret> = [SECRET], at = Date.now()) => signedHeaders(secrets, EVENT.id, BODY, at)

const rejected = async (body: string, of: DeliveryHeaders, secret: string = SECRET): Promise<string> =>
  verify(body, of, secret).then(() => assert.fail('it was taken'), (error: unknown) => (error as Error).message)

describe('verify', () => {
  it('gives the event of what the gateway signed, as text or bytes, with headers of any server', async () => {
    const { data, type } = await verify(BODY, headers(), SECRET)
    assert.equal(type === 'message.received' ? data.content?.body : undefined, 'Grüße 🙂')
    const upper = Object.fromEntries(Object.entries(headers()).map(([name, value]) => [name.toUpperCase(), [value]]))
    for (const given of [new Headers(headers()), upper]) assert.deepEqual<object>(await verify(Buffer.from(BODY), given, SECRET), EVENT)
  })

  it('keeps the digits of whole numbers that are not safe, as strings', async () => {
    const body = BODY.replace('"body"', '"id":123456789012345678,"least":-9007199254740993,"safe":9007199254740991,"text":"123456789012345678","part":0.12345678901234567,"body"')
    const event = await verify(body, signedHeaders([SECRET], EVENT.id, body, Date.now()), SECRET)
    assert.deepInclude((event.data as { readonly content: object }).content, {
      id: '123456789012345678', least: '-9007199254740993', safe: 9_007_199_254_740_991, text: '123456789012345678',
      part: 0.123_456_789_012_345_67,
    })
  })

  it('takes either secret while a new one replaces the old one', async () => {
    const next = newSecret()
    for (const secret of [SECRET, next]) assert.deepEqual<object>(await verify(BODY, headers([next, SECRET]), secret), EVENT)
  })

  it('rejects a body, an id or a time that was not signed, and another secret', async () => {
    const no = 'No signature of the delivery fits'
    assert.equal(await rejected(BODY.replace('text', 'file'), headers()), no)
    assert.equal(await rejected(`${BODY} `, headers()), no)
    assert.equal(await rejected(BODY, { ...headers(), 'webhook-id': 'evt_2' }), no)
    assert.equal(await rejected(BODY, { ...headers(), 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) + 1) }), no)
    assert.equal(await rejected(BODY, headers(), newSecret()), no)
    for (const signature of ['', 'v1', 'v1,', 'v1,!', 'v1,AAAA', headers()['webhook-signature'].replace('v1,', 'v2,')]) {
      assert.equal(await rejected(BODY, { ...headers(), 'webhook-signature': signature }), no, signature)
    }
  })

  it('tries 16 signatures of a delivery, and no more', async () => {
    const after = (others: number) => ({
      ...headers(), 'webhook-signature': ['v1,AAAA '.repeat(others), headers()['webhook-signature']].join(''),
    })
    assert.deepEqual<object>(await verify(BODY, after(15), SECRET), EVENT)
    assert.equal(await rejected(BODY, after(16)), 'No signature of the delivery fits')
  })

  it('rejects what is older than five minutes, or as far ahead, even if it is signed', async () => {
    const minutes = (count: number): number => Date.now() + count * 60_000
    for (const at of [minutes(-6), minutes(6)]) assert.match(await rejected(BODY, headers([SECRET], at)), /five minutes/)
    for (const timestamp of ['', 'now', 'NaN', 'Infinity']) {
      assert.match(await rejected(BODY, { ...headers(), 'webhook-timestamp': timestamp }), /five minutes/)
    }
    for (const at of [minutes(-4), minutes(4)]) assert.deepEqual<object>(await verify(BODY, headers([SECRET], at), SECRET), EVENT)
  })

  it('rejects a delivery without a header, and reports an invalid secret', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      assert.match(await rejected(BODY, { ...headers(), [name]: undefined }), /has not all of the headers/)
    }
    const no = 'The secret is not one of an endpoint: whsec_…'
    for (const secret of ['', 'whsec_', 'whsec_?', 'pst_1_2']) assert.equal(await rejected(BODY, headers(), secret), no)
    // Such as a variable of the environment that is not set.
    const unset: unknown = await verify(BODY, headers(), undefined as never).then(() => 'taken', String)
    assert.equal(unset, `Error: ${no}`)
  })

  it('reports that the body must be raw if a server has parsed it, or not kept it', async () => {
    for (const body of [EVENT, undefined]) assert.match(await rejected(body as never, headers()), /not a parsed value/)
    assert.deepEqual<object>(await verify(new TextEncoder().encode(BODY).buffer as never, headers(), SECRET), EVENT)
  })
})
