import { createServer, type RequestListener } from 'node:http'
import { assert } from 'chai'
import { makeOpenApiDocument, type OpenApi } from '../../../adapters/koa/index.js'
import { type Listening, listening } from '../../support/listening.js'
import { contractOf, makeContract, type Exchange } from './contract.js'
import { CUSTOMER, gateway } from './gateway.js'
import { validatedFetch } from './validated-fetch.js'
import { recordedListener } from './recorded-listener.js'

const ALL = {
  answering: true, batches: true, events: true, webhook: true, appWebhooks: true, metrics: true, quoting: true, templates: true,
  templateResults: true,
  senders: true,
  files: true, pages: true, queue: true, consent: true,
}
const WALLET = {
  currency: 'USD', available: '12.340000', held: '0.000000', scheduled: { next_24_h: '0.000000', all: '0.000000' },
}

/** A valid exchange with some changes. */
const exchange = ({ json = WALLET, ...change }: Partial<Exchange> & { readonly json?: unknown } = {}): Exchange => ({
  method: 'GET', target: '/v1/wallet', requestHeaders: { authorization: 'Bearer pst_1_x' }, requestBody: Buffer.alloc(0), status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'req-1' }, body: Buffer.from(JSON.stringify(json)),
  ...change,
})

const TEXT_SENT = {
  method: 'POST', target: '/api/v1/messages/send-text', json: { status: 'success', message_id: 'wamid.x' },
  requestHeaders: { authorization: 'Bearer pst_1_x', 'content-type': 'application/json' },
}

const faultsOf = (asked: Exchange, document?: OpenApi.Document): ReadonlyArray<string> =>
  (document === undefined ? contractOf(ALL) : makeContract(document)).validate(asked).faults

const faulty = (asked: Exchange, fault: RegExp, document?: OpenApi.Document): void => {
  const faults = faultsOf(asked, document)
  assert.isTrue(faults.some((sentence) => fault.test(sentence)), `${fault} in ${JSON.stringify(faults)}`)
}

/** The document with a defect. */
const broken = (
  breakIt: (document: { paths: Record<string, { get?: { responses: Record<string, unknown> } }> }) => void,
): OpenApi.Document => {
  const document = structuredClone(makeOpenApiDocument(ALL))
  breakIt(document as Parameters<typeof breakIt>[0])
  return document
}

const ADVICE = { doc_url: '/errors/a_code', retry: { when: 'changed' } }

describe('the validator of exchanges', () => {
  it('finds nothing in a good exchange', () => {
    assert.deepEqual(faultsOf(exchange()), [])
    assert.deepEqual(faultsOf(exchange({ target: '/api/v1/wallet?x=1' })), [])
    assert.deepEqual(faultsOf(exchange({ ...TEXT_SENT, requestBody: Buffer.from('{"to":"5511987654321","text":"hello"}') })), [])
  })

  it('finds a reply with a field too many, too few, or of another type', () => {
    faulty(exchange({ json: { ...WALLET, debt: '0.000000' } }), /must NOT have additional properties.*debt/)
    faulty(exchange({ json: { currency: 'USD', available: '12.340000' } }), /must have required property 'held'/)
    faulty(exchange({ json: { ...WALLET, held: 0 } }), /\/held must be string/)
    faulty(exchange({ json: { ...WALLET, held: '0.5' } }), /\/held must match pattern/)
    faulty(exchange({ body: Buffer.from('{') }), /body: the value must be object/)
  })

  it('finds a failure of a code its operation does not have', () => {
    const failure = (code: string) => exchange({ status: 429, json: { status: 'error', message: 'Too many', code, ...ADVICE } })
    assert.deepEqual(faultsOf(failure('rate_limited')), [])
    faulty(failure('platform_throttled'), /\/code must be equal to one of the allowed values/)
  })

  it('finds a status that is not documented', () => {
    faulty(exchange({ status: 418 }), /418: status 418 is not documented/)
    faulty(exchange(), /status 200 is not documented/, broken(({ paths }) => delete paths['/wallet']?.get?.responses['200']))
  })

  it('finds an address or a method that is not documented', () => {
    for (const target of ['/v1/refunds', '/wallet', '/v2/wallet', '/v1/wallet/x', '/v1/v1/wallet', '/v1/health/live']) {
      faulty(exchange({ target }), /the address is not documented/)
    }
    faulty(exchange({ method: 'DELETE' }), /the method is not documented/)
    faulty(exchange({ method: 'POST' }), /the method is not documented/)
    faulty(exchange(), /the address is not documented/, broken(({ paths }) => delete paths['/wallet']))
    faulty(exchange(), /the method is not documented/, broken(({ paths }) => delete paths['/wallet']?.get))
  })

  it('finds a header that is not documented, is missing, or breaks its rule', () => {
    const { headers } = exchange()
    faulty(exchange({ headers: { ...headers, 'postern-debug': '1' } }), /the header postern-debug is not documented/)
    faulty(exchange({ headers: { ...headers, 'retry-after': '1' } }), /the header retry-after is not documented/)
    faulty(exchange({ headers: { 'content-type': 'application/json' } }), /the header x-request-id is missing/)
    faulty(exchange({ headers: { ...headers, 'x-request-id': 'a b' } }), /header x-request-id: .*must match pattern/)
  })

  it('finds a content type that is not documented', () => {
    faulty(exchange({ headers: { 'content-type': 'text/html', 'x-request-id': 'req-1' } }), /the content type text\/html is not documented/)
  })

  it('finds a request that was accepted though the document forbids it', () => {
    const text = (body: unknown) => exchange({ ...TEXT_SENT, requestBody: Buffer.from(JSON.stringify(body)) })
    faulty(text({ to: '+5511987654321', text: 'hello' }), /request body: \/to must match pattern/)
    faulty(text({ to: '5511987654321' }), /request body: .*'text'/)
    faulty(text({ to: '5511987654321', text: 'x'.repeat(4097) }), /request body: \/text must NOT have more than 4096 characters/)
    faulty(exchange({ ...TEXT_SENT, requestHeaders: { authorization: 'x', 'content-type': 'text/plain' } }), /content type text\/plain is not documented/)
    faulty(exchange({ requestHeaders: {} }), /no key was asked for/)
    faulty(exchange({ target: '/v1/messages?limit=101', json: { messages: [], next_cursor: null } }), /parameter limit: .*must be <= 100/)
  })

  it('takes a 404 for an unknown address, a 405 for an unknown method and a 204 for OPTIONS, of the documented form only', () => {
    const refusal = (status: number, code: string, change: Partial<Exchange>) =>
      exchange({ status, json: { status: 'error', message: 'No', code, ...ADVICE }, ...change })
    const { headers } = exchange()
    assert.deepEqual(faultsOf(refusal(404, 'not_found', { target: '/nowhere' })), [])
    faulty(refusal(404, 'lost', { target: '/nowhere' }), /not documented/)
    assert.deepEqual(faultsOf(refusal(405, 'method_not_allowed', { method: 'PUT', headers: { ...headers, allow: 'GET, HEAD' } })), [])
    faulty(refusal(405, 'method_not_allowed', { method: 'PUT' }), /the header allow is missing/)
    assert.deepEqual(
      faultsOf(exchange({ method: 'OPTIONS', status: 204, headers: { ...headers, allow: 'GET' }, body: Buffer.alloc(0) })), [],
    )
    faulty(exchange({ method: 'OPTIONS', status: 204, body: Buffer.alloc(0) }), /the method is not documented/)
  })
})

/** A server with only one reply, which has an extra field. */
const serving = (watch: (listener: RequestListener) => RequestListener): Promise<Listening> => {
  const listener = watch((req, res) => {
    req.resume()
    res.setHeader('Content-Type', 'application/json').setHeader('X-Request-Id', 'req-1')
    res.end(JSON.stringify({ ...WALLET, debt: '1.000000' }))
  })
  return listening(createServer(listener))
}

const HEADERS = { Authorization: 'Bearer x' }

describe('the watch at the socket', () => {
  it('validates every reply, and only those under its prefix', async () => {
    let faults = (): ReadonlyArray<string> => []
    await using server = await serving((listener) => {
      const watch = recordedListener(contractOf(ALL), listener, '/gateway')
      faults = watch.faults
      return watch.listener
    })
    for (const path of ['/v1/wallet', '/gateway/v1/wallet', '/gateway/v1/refunds']) {
      await (await fetch(server.url + path, { headers: HEADERS })).text()
    }
    const [field, address, ...more] = faults()
    assert.match(String(field), /^GET \/v1\/wallet 200: .*additional properties.*debt/)
    assert.match(String(address), /^GET \/v1\/refunds 200: the address is not documented/)
    assert.isEmpty(more)
  })
})

describe('a fetch that validates', () => {
  it('gives what the contract knows, and rejects what it does not', async () => {
    await using gw = await gateway()
    await using server = await serving((listener) => listener)
    const ask = validatedFetch(gw.contract)
    const form = new FormData()
    form.set('to', CUSTOMER)
    form.set('text', 'hello')
    const sent = await ask(`${gw.url}/v1/messages/send-text`, {
      method: 'POST', body: form, headers: { Authorization: `Bearer ${gw.key}` },
    })
    assert.deepInclude(await sent.json(), { status: 'success' })
    const refusal: unknown = await ask(`${server.url}/v1/wallet`, { headers: HEADERS }).catch((error: unknown) => error)
    assert.match(String(refusal), /what the OpenAPI document does not know/)
  })
})
