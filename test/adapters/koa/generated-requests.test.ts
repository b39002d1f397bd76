import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { assert } from 'chai'
import fc from 'fast-check'
import { makeOpenApiDocument, type OpenApi } from '../../../adapters/koa/index.js'
import { TRUNK_ZERO } from '../../../core/customers/customer.js'
import * as E from 'fp-ts/lib/Either.js'
import { parseEndpointUrl } from '../../../core/events/endpoint.js'
import { CUSTOMER, gateway } from './gateway.js'

const document = makeOpenApiDocument({
  answering: false, batches: false, events: true, webhook: false, appWebhooks: false, metrics: false, quoting: false, templates: false,
  templateResults: false, senders: false, files: false, pages: false, queue: false, consent: false,
})

/** Whether the document accepts a value; `x-maxUtf16Length` is the only keyword of Postern. */
const accepts = (() => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  ajv.addKeyword({ keyword: 'x-maxUtf16Length', type: 'string', validate: (most: number, text: string) => text.length <= most })
  ajv.addSchema(document, 'openapi.json')
  return (pointer: string, value: unknown): boolean => ajv.getSchema(`openapi.json#${pointer}`)?.(value) === true
})()

/** What the document says in words, because few languages can compile a pattern for it. */
const keepsTheWords = (body: Readonly<Record<string, unknown>>): boolean => {
  const hasLoneSurrogate = ['text', 'template_name', 'language', 'description'].some((name) => /\p{Cs}/u.test(String(body[name])))
  return !hasLoneSurrogate && !TRUNK_ZERO.test(String(body['to']))
    && (typeof body['url'] !== 'string' || E.isRight(parseEndpointUrl(body['url'])))
}

/** User ids, and texts that are almost user ids. */
const userId = fc.oneof(
  fc.constantFrom(
    'DE.13491208655302741918', 'US.ENT.a1B2', 'BR.x', 'de.134', 'D.134', 'DEU.134', 'DE.', 'DE', '.134', 'DE.ENT.', 'DE.ent.1', 'DE.1 ',
    ' DE.1', 'DE.1\n', '+DE.1', 'DE.1.2', 'DE-134', 'DE.é', 'DE.\u0661', '\u0414\u0415.134', 'DE.\u{1d7ce}', '49.15112345678',
  ),
  fc.integer({ min: 127, max: 129 }).map((count) => `DE.${'7'.repeat(count)}`),
  fc.integer({ min: 127, max: 129 }).map((count) => `DE.ENT.${'7'.repeat(count)}`),
)
const short = fc.oneof(
  userId,
  fc.constantFrom(
    CUSTOMER, `+${CUSTOMER}`, '+55 (11) 98765-4321', '0123456', '123456', '', ' ', '\t\n', '\ud800', '\u0000', 'en', 'wamid.x',
  ),
  fc.string({ unit: 'binary' }),
)
const text = fc.oneof(
  { arbitrary: short, weight: 4 }, fc.string({ minLength: 4094, maxLength: 4098 }),
  fc.integer({ min: 2046, max: 2050 }).map((count) => '🚚'.repeat(count)),
)
const value = fc.oneof({ arbitrary: text, weight: 8 }, { arbitrary: fc.constantFrom(7, true, null, [], {}), weight: 1 })
const parameter = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'currency'), text: value }, { requiredKeys: ['type'] }), fc.record({ type: value }),
  fc.constantFrom(null, 'x', []),
)
const component = fc.oneof(
  fc.record({ type: fc.constantFrom('body', 'header'), parameters: fc.array(parameter, { maxLength: 3 }) }, { requiredKeys: ['type'] }),
  fc.record({ parameters: value }), fc.constantFrom(null, 'x', []),
)
/** Lists about as long as the longest accepted ones. */
const longList = fc.oneof(
  fc.integer({ min: 99, max: 101 }).map((count) => Array.from({ length: count }, () => ({ type: 'button' }))),
  fc.integer({ min: 255, max: 257 }).map((count) =>
    [{ type: 'body', parameters: Array.from({ length: count }, () => ({ type: 'text', text: 'x' })) }]),
)
const number = fc.oneof(
  { arbitrary: fc.constantFrom(CUSTOMER, `+${CUSTOMER}`), weight: 4 }, { arbitrary: userId, weight: 2 }, { arbitrary: value, weight: 1 },
)
const BODIES = [
  ['send-text', 'SendTextRequest', fc.record({ to: number, text: value, other: value }, { requiredKeys: [] })],
  ['send-template', 'SendTemplateRequest', fc.record({
    to: number, template_name: fc.oneof(fc.constant('order_update'), value), language: fc.oneof(fc.constant('en'), value),
    components: fc.oneof(
      { arbitrary: fc.array(component, { maxLength: 3 }), weight: 3 }, { arbitrary: value, weight: 1 }, { arbitrary: longList, weight: 1 },
    ),
  }, { requiredKeys: ['to'] })],
] as const

/** Addresses, and texts that are almost addresses. */
const url = fc.oneof(
  fc.constantFrom(
    'https://shop.example/postern', 'http://10.0.0.7:8080', 'HTTPS://shop.example?x=@', 'https://bücher.example/',
    'https://user:word@shop.example/', 'https://shop.example/#x', 'https://shop.example\\x', 'ftp://shop.example', 'https://',
    'https://shop\u0000.example', 'https://shop.example/\ud800', ' https://shop.example',
  ),
  fc.integer({ min: 2_047, max: 2_049 }).map((count) => `https://shop.example/${'x'.repeat(count - 21)}`),
  short,
)
const types = fc.oneof(
  {
    arbitrary: fc.array(fc.constantFrom('*', 'message.*', 'message.sent', 'wallet.low', 'message.lost', 'message', ''), { maxLength: 3 }),
    weight: 4,
  },
  { arbitrary: fc.constantFrom<unknown>(null, 'message.*', [7], {}), weight: 1 },
)
const description = fc.oneof(
  fc.constantFrom<unknown>('the shop', '', 'a\nb', '\ud800', 7, null), fc.integer({ min: 254, max: 256 }).map((count) => 'x'.repeat(count)),
)
const changes = fc.record(
  { url, types, description, status: fc.constantFrom('enabled', 'disabled', 'paused', null), other: value }, { requiredKeys: [] },
)

const limit = fc.oneof(fc.constantFrom('1', '20', '100', '101', '0', '-1', '1.5', 'x'), short)
const QUERIES = [
  ['/messages', fc.record({
    limit, state: fc.oneof(fc.constantFrom('sent', 'pending', 'lost'), short), to: fc.oneof(fc.constant(`+${CUSTOMER}`), userId, short),
    cursor: fc.oneof(fc.constantFrom('messages.x', 'entries.x', 'messages.', `messages.msg_${'0'.repeat(32)}`), short),
  }, { requiredKeys: [] })],
  ['/events', fc.record({
    limit, after: fc.oneof(fc.constantFrom(`evt_${'0'.repeat(32)}`, 'evt_0'), short),
    types: fc.oneof(
      fc.constantFrom('*', 'message.*,wallet.low', 'message.sent,message.sent', 'message.*,', 'message.lost', 'message.*, wallet.*'), short,
    ),
  }, { requiredKeys: [] })],
] as const

/** A parameter of a query, as the schema sees it. */
const typedAs = ({ type }: OpenApi.Schema, text: string): unknown => {
  if (type === 'array') return text.split(',')
  return type === 'integer' && /^-?(0|[1-9][0-9]*)$/.test(text) ? Number(text) : text
}

/** Parameters that programs send empty for the first page. */
const FIRST_PAGE: ReadonlySet<string> = new Set(['limit', 'cursor', 'after'])

const REFUSED = ['missing_parameters', 'invalid_parameter', 'invalid_phone_number']

describe('generated requests', () => {
  for (const [path, schema, bodies] of BODIES) {
    it(`to ${path} are refused by the server if and only if the document refuses them`, async () => {
      await using gw = await gateway({ balance: '1000000' })
      const seen = { accepted: 0, refused: 0 }
      await fc.assert(fc.asyncProperty(bodies, async (body) => {
        const { status, json } = await gw.post(`/v1/messages/${path}`, body)
        const isAccepted = accepts(`/components/schemas/${schema}`, JSON.parse(JSON.stringify(body))) && keepsTheWords(body)
        seen[isAccepted ? 'accepted' : 'refused'] += 1
        const code = (json as { readonly code?: string }).code ?? 'none'
        if (isAccepted) assert.notInclude(REFUSED, code)
        else assert.isTrue(status === 400 && REFUSED.includes(code), `${status} ${code}`)
      }), { numRuns: 500 })
      assert.isAbove(Math.min(seen.accepted, seen.refused), 10)
    })
  }

  it('to add or change an endpoint are refused by the server if and only if the document refuses them', async () => {
    await using gw = await gateway()
    const path = '/v1/event-endpoints'
    const { id } = (await gw.post(path, { url: 'https://shop.example/' })).json as { readonly id: string }
    const seen = { accepted: 0, refused: 0 }
    await fc.assert(fc.asyncProperty(changes, async (body) => {
      for (const [method, at, schema] of [
        ['POST', path, 'AddEndpointRequest'],
        ['PATCH', `${path}/${id}`, 'ChangeEndpointRequest'],
      ] as const) {
        const { status, json } = await gw.request(at, {
          method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' },
        })
        const isAccepted = accepts(`/components/schemas/${schema}`, JSON.parse(JSON.stringify(body))) && keepsTheWords(body)
        seen[isAccepted ? 'accepted' : 'refused'] += 1
        if (isAccepted) assert.isBelow(status, 300, JSON.stringify(body))
        else assert.isTrue(
          status === 400 && REFUSED.includes((json as { readonly code: string }).code), `${status} ${JSON.stringify(body)}`,
        )
      }
    }), { numRuns: 400 })
    assert.isAbove(Math.min(seen.accepted, seen.refused), 10)
  })

  for (const [path, query] of QUERIES) {
    it(`to read ${path} are refused by the server if and only if the document refuses them`, async () => {
      await using gw = await gateway()
      const parameters = document.paths[path]?.get?.parameters ?? []
      await fc.assert(fc.asyncProperty(query, async (asked) => {
        // URLSearchParams writes a lone surrogate as U+FFFD.
        const search = new URLSearchParams(asked)
        const isAccepted = parameters.every((given, index) => {
          const found = 'name' in given && given.in === 'query' ? search.get(given.name) : null
          if (found === null || !('schema' in given) || !('name' in given)) return true
          if (found === '') return FIRST_PAGE.has(given.name)
          return accepts(`/paths/${path.replace('/', '~1')}/get/parameters/${index}/schema`, typedAs(given.schema, found))
        })
        const { status } = await gw.get(`/v1${path}?${search.toString()}`)
        assert.equal(status, isAccepted ? 200 : 400, search.toString())
      }), { numRuns: 500 })
    })
  }
})
