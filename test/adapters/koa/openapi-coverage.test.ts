import { Readable } from 'node:stream'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { makeWebhook } from '../../../adapters/cloud-api/index.js'
import { type FindWebhook, type HttpDeps, makeOpenApiDocument } from '../../../adapters/koa/index.js'
import { signatureHeaders } from '../../../apps/simulator/webhooks/delivery.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { MAX_ENDPOINTS } from '../../../core/events/endpoint-use-cases.js'
import { endpointIdOf, endpointSecretOf, type NewEndpoint } from '../../../core/events/endpoint.js'
import type { PlatformError } from '../../../core/kernel/failure.js'
import { eventIdOf, type WorkspaceId } from '../../../core/kernel/ids.js'
import { ALL_EVENTS } from '../../../core/kernel/outbox.js'
import type { ConversationError } from '../../../core/messages/conversation.js'
import { body, templateOf } from '../../core/template-samples.js'
import { until } from '../../support/eventually.js'
import { rightOf } from '../../support/right-of.js'
import { BATCH_SCENARIOS } from './batch-scenarios.js'
import { documentedAt } from './contract.js'
import { CUSTOMER, gateway, type Gateway, NOON, portDown, type World } from './gateway.js'
import { withoutScope, withSpendingLimit, withUses } from './with-uses.js'

const TEXT = { to: CUSTOMER, text: 'hello' }
const TEMPLATE = { to: CUSTOMER, template_name: 'order_update' }
const CONTENT = { to: CUSTOMER, type: 'text', text: { body: 'hello' } }
const ANY_TEMPLATE = { to: CUSTOMER, type: 'template', template: { name: 'order_update' } }
const BODIES = [['send-text', TEXT], ['send-template', TEMPLATE], ['send', CONTENT], ['send', ANY_TEMPLATE]] as const
const SENDS = BODIES.map(([operation, body]) => [`/v1/messages/${operation}`, body] as const)
const QUOTES = BODIES.map(([operation, body]) => [`/v1/quotes/${operation}`, body] as const)
const POSTS = [...SENDS, ...QUOTES]
const DOCUMENTS = [
  '/openapi.json', '/docs', '/docs.js', '/docs.woff2', '/errors', '/errors.json', '/errors/window_closed', '/errors/platform/131047',
  '/llms.txt', '/docs/api.md', '/docs/operations/run.md',
]
const HANDSHAKE = '?hub.mode=subscribe&hub.verify_token=agreed&hub.challenge='
const WEBHOOKS = ['/webhooks/platform', '/webhooks/platform/acme']

const APP_SECRET = 'app-secret'
const webhook = { ...makeWebhook({ appSecret: APP_SECRET, verifyToken: 'agreed' }), deadlineMs: 200 }
const appWebhook: FindWebhook = async (app) => E.right(app === 'acme' ? webhook : undefined)
const signed = (body: string): Record<string, string> => ({ ...signatureHeaders('right', Buffer.from(body), APP_SECRET) })

const metrics = async () => ({ contentType: 'text/plain', body: 'up 1\n' })
const pages = () => ({ list: '# Postern\n', pages: new Map([['api.md', '# The HTTP API\n'], ['operations/run.md', '# Run\n']]) })
const defect = (): never => { throw new TypeError('bug') }

type Scenario = {
  readonly world?: World
  readonly deps?: (deps: HttpDeps) => Partial<HttpDeps>
  readonly run: (gw: Gateway) => Promise<unknown>
}

const sends = async (gw: Gateway, headers: Record<string, string> = {}): Promise<void> => {
  for (const [path, body] of POSTS) await gw.post(path, body, headers)
}

/** Cancels a message; by default the first one that was sent. */
const cancel = (gw: Gateway, id: string = gw.sent[0]?.id ?? `msg_${'0'.repeat(32)}`, headers: Record<string, string> = {}) =>
  gw.request(`/v1/messages/${id}`, { method: 'DELETE', headers })

const CONSENT = `/v1/customers/${CUSTOMER}/consent`
const WORDS = '/v1/opt-out-words'

const CONSENTS = [
  [CONSENT, { of: 'marketing', status: 'granted', source: 'form' }], [WORDS, { words: { en: ['STOP'] }, of: 'marketing' }],
] as const

const put = (gw: Gateway, path: string, body: unknown, headers: Record<string, string> = {}) =>
  gw.request(path, { method: 'PUT', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } })

const reads = async (gw: Gateway, headers: Record<string, string> = {}): Promise<void> => {
  const [{ id } = { id: 'none' }] = gw.sent
  for (const path of [
    'messages', `messages/${id}`, 'queue', 'wallet', 'wallet/entries', `windows/${CUSTOMER}`, `customers/${CUSTOMER}`, 'templates', 'key',
    'templates/order_update/results', 'templates/order_update/results?format=csv', 'senders', `senders/${gw.phoneNumberId}`, 'senders/none',
    'consents', 'consents?format=ndjson',
  ]) {
    await gw.get(`/v1/${path}`, headers)
  }
  await cancel(gw, id === 'none' ? undefined : id, headers)
  await gw.get('/v1/opt-out-words', headers)
  for (const [path, body] of CONSENTS) await put(gw, path, body, headers)
}

const WAMID = `wamid.HBgN${encodeURIComponent('/+==')}`

const MEDIA = '/v1/media/1003383421387256'
const READ = `/v1/messages/${WAMID}/read`

const answers = async (gw: Gateway, headers: Record<string, string> = {}): Promise<void> => {
  await gw.post(READ, { typing: true }, headers)
  await gw.get(MEDIA, headers)
}

/** Sends a file in a form, and uploads one. */
const uploads = async (gw: Gateway, headers: Record<string, string> = {}, bytes = '%PDF-1.7'): Promise<void> => {
  for (const [path, fields] of [['/v1/media', {}], ['/v1/messages/send', { to: CUSTOMER, type: 'document' }]] as const) {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', new File([bytes], 'a.pdf', { type: 'application/pdf' }))
    await gw.request(path, { method: 'POST', body: form, headers })
  }
  await imports(gw, headers)
}

/** Imports consents. */
const imports = (gw: Gateway, headers: Record<string, string> = {}) =>
  gw.request(CONSENT_FILE, {
    method: 'POST', body: `to,of,status\n${CUSTOMER},marketing,granted\n`, headers: { 'Content-Type': 'text/csv', ...headers },
  })

const CONSENT_FILE = '/v1/consents'

const FORM = { 'Content-Type': 'multipart/form-data; boundary=b' }
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'

const ENDPOINTS = '/v1/event-endpoints'
const ENDPOINT = `${ENDPOINTS}/ep_${'0'.repeat(32)}`
const EVENT = `/v1/events/evt_${'0'.repeat(32)}`
const ENDPOINT_BODY = { url: 'https://shop.example/' }
const SINCE = { since: new Date(NOON).toISOString() }
const TO_ENDPOINT = { endpoint: `ep_${'0'.repeat(32)}` }

/** Every operation of events, on one endpoint and one event. */
const manages = async (
  gw: Gateway, headers: Record<string, string> = {}, endpoint = ENDPOINT, event = EVENT, to: object = TO_ENDPOINT,
): Promise<void> => {
  const send = (method: string, path: string, sent?: object) =>
    gw.request(path, {
      method, headers: { ...headers, ...(sent && { 'Content-Type': 'application/json' }) }, ...(sent && { body: JSON.stringify(sent) }),
    })
  await send('POST', ENDPOINTS, ENDPOINT_BODY)
  for (const path of [ENDPOINTS, endpoint, `${endpoint}/deliveries`, '/v1/events']) await send('GET', path)
  for (const path of ['rotate-secret', 'test']) await send('POST', `${endpoint}/${path}`)
  await send('POST', `${endpoint}/redeliver`, SINCE)
  await send('POST', `${event}/redeliver`, to)
  await send('PATCH', endpoint, { status: 'disabled' })
  await send('POST', `${endpoint}/redeliver`, SINCE)
  await send('POST', `${event}/redeliver`, to)
  await send('DELETE', endpoint)
}

const addEndpoint = async (gw: Gateway): Promise<string> => ((await gw.post(ENDPOINTS, ENDPOINT_BODY)).json as { readonly id: string }).id

const newEndpoint = (workspace: WorkspaceId): NewEndpoint => ({
  id: endpointIdOf(uuidv7()), workspace, url: ENDPOINT_BODY.url, types: ALL_EVENTS, description: '', createdAt: NOON,
  secret: endpointSecretOf(''),
})

/** The requests of events whose bodies are read, each with a good one. */
const EVENT_BODIES = [
  ['POST', ENDPOINTS, ENDPOINT_BODY], ['PATCH', ENDPOINT, {}], ['POST', `${ENDPOINT}/redeliver`, SINCE],
  ['POST', `${EVENT}/redeliver`, TO_ENDPOINT],
] as const

/** Notifies the webhook of the environment and that of an app. */
const notify = async (gw: Gateway, body = '{}', signature = signed(body), paths = WEBHOOKS): Promise<void> => {
  for (const path of paths) await gw.request(path, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...signature } })
}

const get = async (gw: Gateway, ...paths: ReadonlyArray<string>): Promise<void> => {
  for (const path of paths) await gw.get(path)
}

const errors: ReadonlyArray<PlatformError> = [
  { _tag: 'PlatformRejected', error: {} }, { _tag: 'PlatformThrottled', error: {}, retryAfterSeconds: 1 },
  { _tag: 'CredentialsRefused', error: {} }, { _tag: 'PlatformUnreachable', cause: 'down' }, { _tag: 'OutcomeUnknown', cause: 'timeout' },
]

const unanswered: ReadonlyArray<ConversationError> = [
  { _tag: 'PlatformRejected', error: {} }, { _tag: 'PlatformThrottled', error: {}, retryAfterSeconds: 1 },
  { _tag: 'CredentialsRefused', error: {} }, { _tag: 'PlatformUnanswered', cause: 'down' },
]

const crowded = () => E.left({ _tag: 'TooManyRequests' as const, limit: 'address', retryAfterSeconds: 1 })
const CROWDED = { enterDocument: crowded, enterList: crowded }

/** Requests that make every operation end in every documented way. */
const SCENARIOS: ReadonlyArray<Scenario> = [
  { run: async (gw) => {
    await sends(gw)
    for (const part of [undefined, { first: 0, last: 3, size: 9 }]) {
      gw.willGiveMedia({ type: 'image/png', length: 4, part, bytes: Readable.from([Buffer.from('some')]), close: () => undefined })
      await answers(gw)
    }
    for (const bytes of ['%PDF-1.7', '%PDF-1.7', '']) await uploads(gw, {}, bytes)
    await reads(gw)
    const [endpoint, event] = [await addEndpoint(gw), eventIdOf(uuidv7())]
    rightOf(await gw.storage.eventOutbox.append(gw.workspace, [
      { id: event, type: 'message.sent', workspace: gw.workspace, at: NOON, subject: 'x', data: {} },
    ]))
    await manages(gw, {}, `${ENDPOINTS}/${endpoint}`, `/v1/events/${event}`, { endpoint })
    await notify(gw)
    await get(
      gw, ...WEBHOOKS.map((path) => `${path}${HANDSHAKE}1`), '/health/live', '/health/ready', '/metrics', ...DOCUMENTS,
      '/errors/window_closed.md',
      '/errors/platform/131047.md', '/errors/nothing', '/errors/platform/7', '/docs/nothing.md', '/docs/operations/nothing.md',
    )
  } },
  { run: async (gw) => {
    for (const path of DOCUMENTS) await gw.get(path, { 'If-None-Match': (await gw.get(path)).headers.get('etag') ?? '' })
  } },
  { deps: () => ({ readLimits: CROWDED }), run: async (gw) => {
    await reads(gw)
    await manages(gw)
    await get(gw, '/metrics', '/v1/batches', ...DOCUMENTS)
  } },
  { run: async (gw) => {
    await sends(gw, { Authorization: 'Bearer no' })
    await uploads(gw, { Authorization: 'Bearer no' })
    await answers(gw, { Authorization: 'Bearer no' })
    await reads(gw, { Authorization: 'Bearer no' })
    await manages(gw, { Authorization: 'Bearer no' })
    await notify(gw, '{}', {})
    await get(gw, ...WEBHOOKS, '/v1/messages/nothing')
  } },
  { run: async (gw) => {
    for (const path of Object.keys(makeOpenApiDocument({
      answering: true, batches: true, events: true, webhook: true, appWebhooks: true, metrics: true, quoting: true, templates: true,
      templateResults: true,
      senders: true,
      files: true,
      pages: true, queue: true, consent: true,
    }).paths)) {
      const base = [
        '/messages', '/media', '/wallet', '/windows', '/customers', '/quotes', '/templates', '/events', '/event-endpoints', '/key',
        '/senders', '/queue', '/batches', '/consents',
      ].some((start) => path.startsWith(start))
        ? '/v1'
        : ''
      await gw.request(
        `${base}${path.replace('{code}', 'window_closed').replace('{number}', '131047').replace('{folder}', 'operations').replace('{page}', 'run.md').replace('{app}', 'acme').replace('/media/{id}', '/media/1').replace('/event-endpoints/{id}', ENDPOINT.slice(3)).replace('/events/{id}', EVENT.slice(3)).replace('{id}', `msg_${'0'.repeat(32)}`).replace('{to}', '1234567').replace('{name}', 'order_update').replace('{wamid}', WAMID)}`,
        { method: 'PROPFIND' },
      )
    }
  } },
  { deps: () => ({ rateLimit: async () => E.left({ _tag: 'RateLimited', retryAfterSeconds: 1 }) }), run: async (gw) => {
    await sends(gw)
    await uploads(gw)
    await answers(gw)
    await reads(gw)
    await manages(gw)
  } },
  {
    deps: ({ postern }) => ({
      postern: { ...postern, keys: { authenticateKey: portDown('KeyStore') }, upkeep: { receive: portDown('MessageLog') } },
      readiness: () => Promise.reject(new Error('down')),
    }),
    run: async (gw) => {
      await sends(gw)
      await uploads(gw)
      await answers(gw)
      await reads(gw)
      await manages(gw)
      await notify(gw)
      await get(gw, '/health/ready')
    },
  },
  { deps: () => ({ appWebhook: portDown('Apps') }), run: async (gw) => {
    await notify(gw)
    await get(gw, ...WEBHOOKS)
  } },
  { run: async (gw) => {
    // More than the limit of a minute, even if some requests are allowed again meanwhile.
    const unknown = Array.from({ length: 120 }, (_, index) => `/webhooks/platform/unknown-${index}`)
    await notify(gw, '{}', signed('{}'), unknown)
    await get(gw, ...unknown)
  } },
  { deps: withUses('upkeep', { receive: async () => E.left({ _tag: 'NotYetKnown' }) }), run: async (gw) => { await notify(gw) } },
  {
    deps: (deps) => ({ ...withUses('upkeep', { receive: defect })(deps), rateLimit: defect, metrics: async () => defect() }),
    run: async (gw) => {
      await sends(gw)
      await uploads(gw)
      await answers(gw)
      await reads(gw)
      await manages(gw)
      await notify(gw)
      await get(gw, '/metrics')
    },
  },
  { deps: withUses('money', { showBalance: async () => E.right(O.none) }), run: (gw) => get(gw, '/v1/wallet') },
  {
    deps: withUses('templates', { showResults: async () => E.right(O.none) }), run: (gw) => get(gw, '/v1/templates/order_update/results'),
  },
  { run: async (gw) => {
    await get(
      gw, '/v1/messages?limit=0', '/v1/messages?to=x', '/v1/wallet/entries?limit=0', '/v1/templates?limit=0', '/v1/windows/x',
      '/v1/templates/order_update/results?from=2026-03-02&to=2026-03-01',
      `/v1/windows/${CUSTOMER}?sender=1`, `${MEDIA}?sender=1`, '/v1/customers/x', '/v1/customers/1234567',
    )
    await notify(gw, '{')
    await notify(gw, ' '.repeat(3 * 1024 * 1024 + 1))
    for (const path of WEBHOOKS) {
      await gw.raw(`POST ${path} HTTP/1.1\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\nContent-Length: 9`, 'half')
    }
  } },
  { run: async (gw) => {
    for (const error of errors) {
      gw.willAnswer(...SENDS.map(() => error))
      await sends(gw)
    }
    for (const error of unanswered) {
      gw.conversationWillFail(error)
      gw.willGiveMedia(error)
      await answers(gw)
      await uploads(gw)
    }
    gw.willGiveMedia({ _tag: 'RangeNotSatisfiable', size: 9 })
    await gw.get(MEDIA)
  } },
  { run: async (gw) => {
    for (const [path, body] of POSTS) {
      const send = (bytes: string, type = 'application/json') =>
        gw.request(path, { method: 'POST', body: bytes, headers: { 'Content-Type': type } })
      await gw.post(path, {})
      await gw.post(path, { ...body, to: 7 })
      await gw.post(path, { ...body, to: 'x' })
      await gw.post(path, body, { 'Idempotency-Key': 'é' })
      await send('{')
      await send('x', 'text/plain')
      await send(' '.repeat(256 * 1024 + 1))
      const key = { 'Idempotency-Key': `${path} ${Object.keys(body).join()}` }
      await gw.post(path, body, key)
      await gw.post(path, { ...body, to: '1234567' }, key)
      await gw.post(path, { ...body, text: { body: '' } })
    }
    for (const [body, headers] of [
      ['x', { 'Content-Type': 'text/plain' }], ['--b', FORM], ['--b--\r\n', FORM],
      [`--b\r\nContent-Disposition: form-data; name="type"\r\n\r\nfilm\r\n${FILE}x\r\n--b--\r\n`, FORM], [' '.repeat(66_000), FORM],
    ] as const) {
      await gw.request('/v1/media', { method: 'POST', body, headers })
    }
    for (const [path, body] of CONSENTS) {
      const send = (bytes: string, type = 'application/json') =>
        gw.request(path, { method: 'PUT', body: bytes, headers: { 'Content-Type': type } })
      await put(gw, path, {})
      await put(gw, path, { ...body, of: 7 })
      await put(gw, path.replace(CUSTOMER, 'x'), body)
      await send('{')
      await send('x', 'text/plain')
      await send(' '.repeat(256 * 1024 + 1))
      await gw.request(WORDS, { method: 'PROPFIND' })
    }
    await gw.post(READ, { typing: 'yes' })
    await gw.post('/v1/messages/msg_1/read', {})
    await gw.get('/v1/media/1x')
    await gw.get(`${CONSENT_FILE}?format=xml`)
    await imports(gw, { 'Content-Type': 'text/plain' })
    await gw.raw(`POST ${CONSENT_FILE} HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: text/csv\r\nContent-Length: ${2 ** 40}`, 'to')
    for (const [body, type] of [
      ['{', 'application/json'], ['x', 'text/plain'], [' '.repeat(256 * 1024 + 1), 'application/json'],
    ] as const) {
      await gw.request(READ, { method: 'POST', body, headers: { 'Content-Type': type } })
    }
  } },
  { deps: withoutScope('send', 'read', 'templates', 'answer', 'events'), run: async (gw) => {
    await sends(gw)
    await uploads(gw)
    await reads(gw)
    await answers(gw)
    await manages(gw)
  } },
  { run: async (gw) => {
    await manages(gw)
    for (const [method, path] of EVENT_BODIES) {
      const types = [
        ['{', 'application/json'], ['x', 'text/plain'], [' '.repeat(256 * 1024 + 1), 'application/json'], ['{}', 'application/json'],
        ['{"url":7,"since":7,"endpoint":7}', 'application/json'],
      ] as const
      for (const [sent, type] of types) await gw.request(path, { method, body: sent, headers: { 'Content-Type': type } })
    }
    await get(gw, '/v1/events?limit=0', `${ENDPOINT}/deliveries?limit=0`)
  } },
  { run: async (gw) => {
    for (let made = 0; made < MAX_ENDPOINTS; made += 1) rightOf(await gw.storage.eventEndpoints.add(newEndpoint(gw.workspace)))
    await addEndpoint(gw)
  } },
  { run: async (gw) => {
    const release = gw.hold()
    const keyOf = (body: object) => ({ 'Idempotency-Key': JSON.stringify(body) })
    const first = SENDS.map(([path, body]) => gw.post(path, body, keyOf(body)))
    await until(() => gw.sent.length === SENDS.length)
    for (const [path, body] of SENDS) await gw.post(path, body, keyOf(body))
    release()
    await Promise.all(first)
  } },
  { deps: () => ({ bodyLimits: { memoryBytes: 0, deadlineMs: 200 } }), run: async (gw) => {
    await sends(gw)
    await uploads(gw)
    await answers(gw)
    await manages(gw)
    await notify(gw)
    for (const [path, body] of CONSENTS) await put(gw, path, body)
  } },
  { deps: () => ({ bodyLimits: { deadlineMs: 20 } }), run: async (gw) => {
    await gw.raw(`POST /v1/media HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: ${FORM['Content-Type']}\r\nContent-Length: 9`, '--b')
    for (const [path] of POSTS) await gw.raw(`POST ${path} HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: application/json\r\nContent-Length: 9`, 'half')
    for (const [method, path] of [...EVENT_BODIES, ...CONSENTS.map(([one]) => ['PUT', one] as const)]) await gw.raw(`${method} ${path} HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: application/json\r\nContent-Length: 9`, 'half')
    for (const [path] of [...SENDS, [READ]]) await gw.raw(`POST ${path} HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: application/json\r\nContent-Length: 9`, 'half')
  } },
  { deps: () => ({ bodyLimits: { filePace: { slackMs: 20, bytesPerSecond: 1 } } }), run: async (gw) => {
    await gw.raw(`POST ${CONSENT_FILE} HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: text/csv\r\nContent-Length: 9`, 'half')
  } },
  { world: { balance: '0' }, run: sends },
  { deps: withSpendingLimit(0n), run: sends },
  { world: { senderLimit: { perSecond: 1, maxWaitMs: 0 } }, run: async (gw) => {
    await sends(gw)
    await sends(gw)
  } },
  { world: { pairLimit: { intervalMs: 6_000, burst: 1 } }, run: async (gw) => {
    await sends(gw)
    await sends(gw)
  } },
  { run: async (gw) => {
    for (const [path, body] of SENDS) {
      await gw.post(path, { ...body, send_at: '2026-03-01T13:00:00Z' })
      await gw.post(path, {
        ...body, to: '8816123456789', send_at: '2026-03-01T13:00:00Z', deliver_between: { from: '09:00', to: '20:00' },
      })
    }
    for (const { id } of rightOf(await gw.storage.messageLog.list(gw.workspace, { limit: 1 })).items) await cancel(gw, id)
  } },
  { world: { sender: false }, run: async (gw) => {
    await sends(gw)
    await uploads(gw)
    await answers(gw)
  } },
  { world: { lastInbound: undefined }, run: sends },
  ...[[], [templateOf([body('Hi')], { status: 'paused' })], [templateOf([body('Hi {{1}}')])]]
  .map((templates): Scenario => ({ world: { templates }, run: sends })),
  { run: async (gw) => {
    rightOf(await gw.storage.customers.learn(gw.workspace, CUSTOMER as PhoneNumber, { _tag: 'MarketingStopped', at: NOON }))
    await sends(gw)
  } },
  ...BATCH_SCENARIOS,
  { run: async (gw) => {
    rightOf(await gw.storage.consents.set(gw.workspace, { marketingNeedsConsent: true }))
    await sends(gw)
    const fact = { topic: 'all', status: 'withdrawn', since: NOON, source: 'phone call' } as const
    rightOf(await gw.storage.consents.record(gw.workspace, [{ ids: [CUSTOMER as PhoneNumber], fact }]))
    await sends(gw)
  } },
]

/** An operation and one way it ends, as `operation status code`. */
const ended = (operation: string, status: number | string, code: string | undefined): string =>
  `${operation} ${status} ${code ?? ''}`.trim()

type Schema = {
  readonly properties?: Readonly<Record<string, { readonly enum?: ReadonlyArray<string> }>>
  readonly oneOf?: ReadonlyArray<Schema>
}

const codesIn = ({ properties, oneOf = [] }: Schema): ReadonlyArray<string> =>
  [...(properties?.['code']?.enum ?? []), ...oneOf.flatMap(codesIn)]

const documented = (): ReadonlyArray<string> =>
  Object.values(makeOpenApiDocument({
    answering: true, batches: true, events: true, webhook: true, appWebhooks: true, metrics: true, quoting: true, templates: true,
    templateResults: true,
    senders: true,
    files: true,
    pages: true, queue: true, consent: true,
  }).paths)
    .flatMap(documentedAt)
    .flatMap(([, { operationId, responses }]) => Object.entries(responses).flatMap(([status, { content }]) => {
      const codes = codesIn(content?.['application/json']?.schema ?? {})
      return codes.length === 0 ? [ended(operationId, status, undefined)] : codes.map((code) => ended(operationId, status, code))
    }))

describe('every operation of the OpenAPI document', () => {
  it('ends in every status and code that is documented of it', async () => {
    const seen = new Set<string>()
    for (const { world = {}, deps = () => ({}), run } of SCENARIOS) {
      await using gw = await gateway({ ...world, deps: (given) => ({ webhook, appWebhook, metrics, pages, ...deps(given) }) })
      await run(gw)
      for (const { operation, status, code } of gw.known()) seen.add(ended(operation, status, code))
    }
    assert.deepEqual(documented().filter((way) => !seen.has(way)), [])
    assert.isAbove(documented().length, 100)
  })
})
