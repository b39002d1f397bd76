import { Readable } from 'node:stream'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { BatchId } from '../../../core/kernel/ids.js'
import { MAX_ENDPOINTS } from '../../../core/events/endpoint-use-cases.js'
import { ERROR_CODES, type ErrorCode } from '../../../core/explanations/codes.js'
import { makeByteBudget } from '../../../adapters/shared/byte-budget.js'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import type { PlatformId } from '../../../core/messages/message.js'
import { body, give, templateOf, text } from '../../core/template-samples.js'
import { until } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'
import { ACCOUNT, type Answered, CUSTOMER, gateway, type Gateway, NOON, portDown, type World } from './gateway.js'
import { withSpendingLimit, withUses } from './with-uses.js'

const TEXT = { to: CUSTOMER, text: 'hello' }
const TEMPLATE = { to: CUSTOMER, template_name: 'order_update' }
const KEY = { 'Idempotency-Key': 'order 17' }
const TEMPLATES = '/v1/messages/send-template'
const ENDPOINTS = '/v1/event-endpoints'
/** A number of a North American area code that is not assigned, so its time zone is not known. */
const UNKNOWN_AREA = '12225550123'
const ALL_DAY = { from: '00:00', to: '24:00' }
const MEDIA = '/v1/media/1003383421387256'
const SINCE = { since: new Date(NOON).toISOString() }

type Fixed = {
  readonly world?: World
  /** Makes the request fail, and gives the refusal. */
  readonly fails: (gw: Gateway) => Promise<Answered>
  /** Does what the page of the code says, and gives the answer to the request after it. */
  readonly fixed: (gw: Gateway, refused: Answered) => Promise<Answered>
}

const idOf = ({ json }: Answered): string => (json as { readonly id: string }).id

const waited = (gw: Gateway, { json }: Answered): void =>
  gw.passes((json as { readonly retry: { readonly after_s: number } }).retry.after_s * SECOND_MS)

const image = (gw: Gateway, bytes: string): Promise<Answered> => {
  const form = new FormData()
  form.append('file', new File([bytes], 'a.pdf', { type: 'application/pdf' }))
  return gw.request('/v1/media', { method: 'POST', body: form })
}

const BATCHES = '/v1/batches'
const PRICE = '0.062500'

/** A new batch to some customers. */
const draft = async (gw: Gateway, ...to: ReadonlyArray<string>): Promise<string> =>
  idOf(await gw.post(BATCHES, { template_name: 'order_update', recipients: to.map((one) => ({ to: one })) }))

const putRecipients = (gw: Gateway, id: string, file: string): Promise<Answered> =>
  gw.request(`${BATCHES}/${id}/recipients`, { method: 'PUT', body: file, headers: { 'Content-Type': 'text/csv' } })

const raw = (gw: Gateway, sent: string, type = 'application/json'): Promise<Answered> =>
  gw.request('/v1/messages/send-text', { method: 'POST', body: sent, headers: { 'Content-Type': type } })

const addEndpoint = (gw: Gateway): Promise<Answered> => gw.post(ENDPOINTS, { url: 'https://shop.example/' })

const MIB = 1_048_576
const MEMORY_BYTES = 600_000
/** The memory of the bodies of one test, which other requests can fill. */
const MEMORY = makeByteBudget(MEMORY_BYTES)

const SEND_HEAD = (gw: Gateway): string => `/v1/messages/send-text HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: application/json`

/** The answer in what came over a connection. */
const answeredIn = (raw: string): Answered => {
  const [head = '', text = ''] = raw.split('\r\n\r\n')
  return {
    status: Number(head.split(' ')[1]),
    headers: new Headers(),
    text,
    json: JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as unknown,
  }
}

/** Fails the first time, and never again. */
const refusingOnce = <Failure>(failure: Failure): (() => Promise<E.Either<Failure, undefined>>) => {
  let asked = 0
  return async () => ((asked += 1) === 1 ? E.left(failure) : E.right(undefined))
}

/** Codes that another request, a person or waiting can fix: the cause of each, and its fix. */
const FIXES: { readonly [Code in ErrorCode]?: Fixed } = {
  missing_parameters: { fails: (gw) => gw.sendText({ to: CUSTOMER }), fixed: (gw) => gw.sendText(TEXT) },
  invalid_parameter: { fails: (gw) => gw.get('/v1/messages?limit=1000'), fixed: (gw) => gw.get('/v1/messages?limit=100') },
  invalid_phone_number: { fails: (gw) => gw.sendText({ ...TEXT, to: `+${CUSTOMER}` }), fixed: (gw) => gw.sendText(TEXT) },
  malformed_body: {
    fails: (gw) => raw(gw, `{"to":"${CUSTOMER}" "text":"hello"}`), fixed: (gw) => raw(gw, `{"to":"${CUSTOMER}", "text":"hello"}`),
  },
  content_invalid: {
    fails: (gw) => gw.post('/v1/messages/send', { to: CUSTOMER, type: 'text', text: { body: '' } }),
    fixed: (gw) => gw.post('/v1/messages/send', { to: CUSTOMER, type: 'text', text: { body: 'hello' } }),
  },
  media_invalid: { fails: (gw) => image(gw, 'no pdf'), fixed: (gw) => image(gw, '%PDF-1.7') },
  window_closed: {
    world: { lastInbound: undefined }, fails: (gw) => gw.sendText(TEXT, KEY),
    fixed: async (gw) => {
      rightOf(await gw.receive([
        { _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER as PhoneNumber }, at: NOON },
      ]))
      return gw.sendText(TEXT, KEY)
    },
  },
  template_not_found: {
    world: { templates: [templateOf([body('Hi')], { language: 'en_US' })] }, fails: (gw) => gw.sendTemplate(TEMPLATE),
    fixed: (gw) => gw.sendTemplate({ ...TEMPLATE, language: 'en_US' }),
  },
  template_not_approved: {
    world: { templates: [templateOf([body('Hi')], { status: 'paused' })] }, fails: (gw) => gw.sendTemplate(TEMPLATE),
    fixed: async (gw) => {
      rightOf(await gw.storage.templateCatalogue.replaceAll(ACCOUNT, [templateOf([body('Hi')])], NOON))
      return gw.sendTemplate(TEMPLATE)
    },
  },
  template_parameters: {
    world: { templates: [templateOf([body('Hi {{1}}')])] }, fails: (gw) => gw.sendTemplate(TEMPLATE),
    fixed: (gw) => gw.sendTemplate({ ...TEMPLATE, components: [give('body', text('Ada'))] }),
  },
  consent_required: {
    fails: async (gw) => {
      rightOf(await gw.storage.consents.set(gw.workspace, { marketingNeedsConsent: true }))
      return gw.sendTemplate(TEMPLATE)
    },
    fixed: async (gw) => {
      const fact = { topic: 'marketing', status: 'granted', since: NOON, source: 'form' } as const
      rightOf(await gw.storage.consents.record(gw.workspace, [{ ids: [CUSTOMER as PhoneNumber], fact }]))
      return gw.sendTemplate(TEMPLATE)
    },
  },
  unauthenticated: {
    fails: (gw) => gw.get('/v1/wallet', { Authorization: gw.key }),
    fixed: (gw) => gw.get('/v1/wallet', { Authorization: `Bearer ${gw.key}` }),
  },
  insufficient_balance: {
    world: { balance: '0.01' }, fails: (gw) => gw.sendTemplate(TEMPLATE, KEY),
    fixed: async (gw, { json }) => {
      await gw.topUp((json as { readonly shortfall: string }).shortfall)
      return gw.sendTemplate(TEMPLATE, KEY)
    },
  },
  spending_limit_reached: {
    world: { deps: withSpendingLimit(70_000n) },
    fails: async (gw) => {
      await gw.sendTemplate(TEMPLATE)
      return gw.sendTemplate(TEMPLATE, KEY)
    },
    fixed: (gw, refused) => {
      waited(gw, refused)
      return gw.sendTemplate(TEMPLATE, KEY)
    },
  },
  forbidden: {
    fails: async (gw) => gw.sendText(TEXT, { Authorization: `Bearer ${rightOf(await gw.storage.keyStore.mint({ workspace: gw.workspace, name: 'reader', at: NOON, scopes: ['read'] })).key}` }),
    fixed: async (gw) => gw.sendText(TEXT, { Authorization: `Bearer ${rightOf(await gw.storage.keyStore.mint({ workspace: gw.workspace, name: 'sender', at: NOON, scopes: ['send'] })).key}` }),
  },
  not_found: {
    fails: (gw) => gw.get('/v1/walet'),
    fixed: (gw, { json }) => gw.get(/did you mean (\S+)\?/.exec((json as { readonly message: string }).message)?.[1] ?? ''),
  },
  method_not_allowed: {
    fails: (gw) => gw.post('/v1/wallet', {}),
    fixed: (gw, { headers }) => gw.request('/v1/wallet', { method: headers.get('allow')?.split(', ')[0] ?? '' }),
  },
  idempotency_in_progress: {
    fails: async (gw) => {
      const release = gw.hold()
      const first = gw.sendText(TEXT, KEY)
      await until(() => gw.sent.length === 1)
      const refused = await gw.sendText(TEXT, KEY)
      release()
      await first
      return refused
    },
    fixed: (gw) => gw.sendText(TEXT, KEY),
  },
  idempotency_key_reused: {
    fails: async (gw) => {
      await gw.sendText(TEXT, KEY)
      return gw.sendText({ ...TEXT, text: 'another one' }, KEY)
    },
    fixed: (gw) => gw.sendText({ ...TEXT, text: 'another one' }, { 'Idempotency-Key': 'order 18' }),
  },
  endpoint_disabled: {
    fails: async (gw) => {
      const id = idOf(await addEndpoint(gw))
      await gw.request(`${ENDPOINTS}/${id}`, {
        method: 'PATCH', body: '{"status":"disabled"}', headers: { 'Content-Type': 'application/json' },
      })
      return gw.post(`${ENDPOINTS}/${id}/redeliver`, SINCE)
    },
    fixed: async (gw) => {
      const { endpoints: [{ id } = { id: '' }] } = (await gw.get(ENDPOINTS)).json as {
        readonly endpoints: ReadonlyArray<{ readonly id: string }>
      }
      await gw.request(`${ENDPOINTS}/${id}`, {
        method: 'PATCH', body: '{"status":"enabled"}', headers: { 'Content-Type': 'application/json' },
      })
      return gw.post(`${ENDPOINTS}/${id}/redeliver`, SINCE)
    },
  },
  too_many_endpoints: {
    fails: async (gw) => {
      for (let added = 0; added < MAX_ENDPOINTS; added += 1) await addEndpoint(gw)
      return addEndpoint(gw)
    },
    fixed: async (gw) => {
      const { endpoints: [{ id } = { id: '' }] } = (await gw.get(ENDPOINTS)).json as {
        readonly endpoints: ReadonlyArray<{ readonly id: string }>
      }
      await gw.request(`${ENDPOINTS}/${id}`, { method: 'DELETE' })
      return addEndpoint(gw)
    },
  },
  request_timeout: {
    world: { deps: () => ({ bodyLimits: { memoryBytes: MIB, deadlineMs: 50 } }) },
    fails: async (gw) => answeredIn(await gw.raw(`POST ${SEND_HEAD(gw)}\r\nContent-Length: 1000`, 'half of it')),
    fixed: (gw) => gw.sendText(TEXT),
  },
  pair_limit: {
    world: { pairLimit: { intervalMs: 6_000, burst: 1 } },
    fails: async (gw) => {
      await gw.sendText(TEXT)
      return gw.sendText(TEXT, KEY)
    },
    fixed: (gw, refused) => {
      assert.equal(refused.headers.get('retry-after'), '6')
      waited(gw, refused)
      return gw.sendText(TEXT, KEY)
    },
  },
  sender_limit: {
    world: { senderLimit: { perSecond: 1, maxWaitMs: 0 } },
    fails: async (gw) => {
      await gw.sendText(TEXT)
      return gw.sendText(TEXT, KEY)
    },
    fixed: (gw, refused) => {
      assert.equal(refused.headers.get('retry-after'), '1')
      waited(gw, refused)
      return gw.sendText(TEXT, KEY)
    },
  },
  rate_limited: {
    world: { deps: () => ({ rateLimit: refusingOnce({ _tag: 'RateLimited', retryAfterSeconds: 3 }) }) },
    fails: (gw) => gw.sendText(TEXT, KEY),
    fixed: (gw, refused) => {
      assert.equal(refused.headers.get('retry-after'), '3')
      waited(gw, refused)
      return gw.sendText(TEXT, KEY)
    },
  },
  overloaded: {
    world: { deps: () => ({ bodyLimits: { memory: MEMORY, deadlineMs: MINUTE_MS } }) },
    fails: async (gw) => {
      const others = MEMORY.begin()
      others.take(MEMORY_BYTES - 1)
      const refused = await gw.sendText(TEXT, KEY)
      others.end()
      return refused
    },
    fixed: (gw, refused) => {
      waited(gw, refused)
      return gw.sendText(TEXT, KEY)
    },
  },
  storage_unavailable: {
    world: {
      ports: ({ keyStore }) => {
        const down = portDown('KeyStore')
        let asked = 0
        return {
          keyStore: { ...keyStore, principalOf: (presented, at) => ((asked += 1) === 1 ? down() : keyStore.principalOf(presented, at)) },
        }
      },
    },
    fails: (gw) => gw.sendText(TEXT, KEY),
    fixed: (gw, refused) => {
      waited(gw, refused)
      return gw.sendText(TEXT, KEY)
    },
  },
  payload_too_large: { fails: (gw) => raw(gw, JSON.stringify({ ...TEXT, note: 'x'.repeat(300_000) })), fixed: (gw) => gw.sendText(TEXT) },
  unsupported_media_type: { fails: (gw) => raw(gw, JSON.stringify(TEXT), 'text/plain'), fixed: (gw) => raw(gw, JSON.stringify(TEXT)) },
  range_not_satisfiable: {
    fails: (gw) => {
      gw.willGiveMedia({ _tag: 'RangeNotSatisfiable', size: 4 })
      return gw.get(MEDIA, { Range: 'bytes=9-' })
    },
    fixed: (gw) => {
      gw.willGiveMedia({
        type: 'image/png', length: 4, part: undefined, bytes: Readable.from([Buffer.from('some')]), close: () => undefined,
      })
      return gw.get(MEDIA)
    },
  },
  timezone_unknown: {
    fails: (gw) => gw.post(TEMPLATES, { ...TEMPLATE, to: UNKNOWN_AREA, deliver_between: ALL_DAY }, KEY),
    fixed: (gw) => gw.post(TEMPLATES, { ...TEMPLATE, to: UNKNOWN_AREA, deliver_between: { ...ALL_DAY, timezone: 'UTC' } }, KEY),
  },
  unreadable_file: {
    fails: async (gw) => putRecipients(gw, await draft(gw), `phone\n${CUSTOMER}\n`),
    fixed: async (gw) => putRecipients(gw, await draft(gw), `to\n${CUSTOMER}\n`),
  },
  nothing_to_send: {
    fails: async (gw) => gw.post(`${BATCHES}/${await draft(gw)}/confirm`, { total: '0' }),
    fixed: async (gw) => {
      const id = await draft(gw)
      await putRecipients(gw, id, `to\n${CUSTOMER}\n`)
      return gw.post(`${BATCHES}/${id}/confirm`, { total: PRICE })
    },
  },
  content_gone: {
    fails: async (gw) => {
      const id = await draft(gw, CUSTOMER)
      const of = { workspace: gw.workspace, batch: id as BatchId }
      rightOf(await gw.storage.batches.append(of, 1, [{ line: 1, to: CUSTOMER, content: { metadata: { a: 'b' } } }]))
      rightOf(await gw.storage.batches.change({ ...of, from: ['draft'], set: { state: 'canceled', upload: 1, endedAt: 1 } }))
      rightOf(await gw.storage.batches.forgetContents(2, 10))
      return gw.post(BATCHES, { template_name: 'order_update', from: { batch: id, states: ['unsent'] } })
    },
    fixed: async (gw) => putRecipients(gw, await draft(gw), `to\n${CUSTOMER}\n`),
  },
  batch_state: {
    fails: async (gw) => {
      const id = await draft(gw)
      await gw.request(`${BATCHES}/${id}/cancel`, { method: 'POST' })
      return putRecipients(gw, id, `to\n${CUSTOMER}\n`)
    },
    fixed: async (gw) => putRecipients(gw, await draft(gw), `to\n${CUSTOMER}\n`),
  },
  preflight_changed: {
    fails: async (gw) => gw.post(`${BATCHES}/${await draft(gw, CUSTOMER)}/confirm`, { total: '1' }),
    fixed: async (gw, { json }) =>
      gw.post(`${BATCHES}/${await draft(gw, CUSTOMER)}/confirm`, { total: (json as { readonly total: string }).total }),
  },
  already_sent: {
    fails: async (gw) => gw.request(`/v1/messages/${(await gw.sendText(TEXT)).headers.get('postern-message') ?? ''}`, { method: 'DELETE' }),
    fixed: async (gw) => {
      const queued = await gw.post('/v1/messages/send-text', { ...TEXT, send_at: new Date(NOON + DAY_MS).toISOString() })
      return gw.request(`/v1/messages/${idOf(queued)}`, { method: 'DELETE' })
    },
  },
  platform_rejected: {
    fails: (gw) => {
      gw.willAnswer({ _tag: 'PlatformRejected', error: { code: 131009 } })
      return gw.sendText(TEXT, KEY)
    },
    fixed: (gw) => gw.sendText({ ...TEXT, text: 'another one' }, KEY),
  },
  platform_throttled: {
    fails: (gw) => {
      gw.willAnswer({ _tag: 'PlatformThrottled', error: { code: 130429 } })
      return gw.sendText(TEXT, KEY)
    },
    fixed: (gw) => gw.sendText(TEXT, KEY),
  },
  platform_credentials: {
    fails: (gw) => {
      gw.willAnswer({ _tag: 'CredentialsRefused', error: { code: 190 } })
      return gw.sendText(TEXT, KEY)
    },
    fixed: async (gw) => {
      rightOf(await gw.storage.senders.assign(gw.workspace, {
        phoneNumberId: gw.phoneNumberId, accessToken: 'a-new-token', businessAccountId: undefined,
      }))
      return gw.sendText(TEXT, KEY)
    },
  },
  platform_unreachable: {
    fails: (gw) => {
      gw.willAnswer({ _tag: 'PlatformUnreachable', cause: 'down' })
      return gw.sendText(TEXT, KEY)
    },
    fixed: (gw) => gw.sendText(TEXT, KEY),
  },
  sender_not_configured: {
    world: { sender: false }, fails: (gw) => gw.sendText(TEXT, KEY),
    fixed: async (gw) => {
      rightOf(await gw.storage.senders.assign(gw.workspace, {
        phoneNumberId: gw.phoneNumberId, accessToken: 'a-token', businessAccountId: undefined,
      }))
      return gw.sendText(TEXT, KEY)
    },
  },
  outcome_unknown: {
    fails: (gw) => {
      gw.willAnswer({ _tag: 'OutcomeUnknown', cause: 'timeout' })
      return gw.sendText(TEXT, KEY)
    },
    fixed: async (gw) => {
      const [sent = assert.fail('nothing was sent')] = gw.sent
      rightOf(await gw.receive([{
        _tag: 'StatusReport', phoneNumberId: gw.phoneNumberId, messageId: sent.id, platformId: 'wamid.HBgM' as PlatformId,
        change: { state: 'sent', at: NOON + MINUTE_MS, platformId: 'wamid.HBgM' as PlatformId },
      }]))
      return gw.sendText(TEXT, KEY)
    },
  },
}

describe('the fix of', () => {
  for (const [code, { world = {}, fails, fixed }] of Object.entries(FIXES)) {
    it(`${code} makes the request succeed`, async () => {
      await using gw = await gateway(world)
      const refused = await fails(gw)
      assert.include(refused.json as object, { status: 'error', code })
      const answer = await fixed(gw, refused)
      assert.include([200, 201, 202], answer.status, answer.text)
    })
  }

  it('customer_opted_out is to send no marketing, and answers go through', async () => {
    await using gw = await gateway()
    rightOf(await gw.storage.customers.learn(gw.workspace, CUSTOMER as PhoneNumber, { _tag: 'MarketingStopped', at: NOON - DAY_MS }))
    assert.include((await gw.sendTemplate(TEMPLATE)).json as object, { code: 'customer_opted_out' })
    assert.equal((await gw.sendText(TEXT)).status, 200)
  })

  it('internal is not fixed by a change of the request: its page says that the message may have been sent, and that the operator looks', async () => {
    await using gw = await gateway({ deps: withUses('sending', { send: () => { throw new TypeError('a defect') } }) })
    const refused = await gw.sendText(TEXT, { ...KEY, 'X-Request-Id': 'req-7' })
    assert.include(refused.json as object, { status: 'error', code: 'internal' })
    assert.deepInclude((refused.json as { readonly retry: object }).retry, { when: 'same_key' })
    const { text: page } = await gw.get((refused.json as { readonly doc_url: string }).doc_url)
    for (const said of ['the message may have been sent', 'Idempotency-Key', 'X-Request-Id']) assert.include(page, said)
    // What the page sends the operator to is there.
    assert.equal(refused.headers.get('x-request-id'), 'req-7')
    assert.match(gw.log.join(), /"unexpected",.*"request_id":"req-7"/)
  })

  it('each code is shown here', () => {
    assert.sameMembers([...Object.keys(FIXES), 'customer_opted_out', 'internal', 'message_not_known_yet'], [...ERROR_CODES])
  })
})
