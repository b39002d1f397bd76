import { randomUUID } from 'node:crypto'
import { changeOf, inboundOf, statusOf } from '../server/notifications.js'
import type { Call, Names, Tenant } from './tenant.js'

/** What an address is for a tenant: something to read, something to do, or nothing of a tenant's. */
export type Row =
  /** `of` has what the requests name: the tenant's own things, those of the other tenant, or what does not exist. */
  | { readonly reads: (tenant: Tenant, of: Names) => ReadonlyArray<Call> }
  | { readonly acts: (tenant: Tenant, of: Names) => ReadonlyArray<Call> }
  | { readonly apart: string }

const TEXT = { text: 'A text that both of them send' }
/** The same for both tenants, and both have it for a request of their own. */
export const SAME_KEY = 'an-idempotency-key-of-both'

const get = (path: string, status = 200): Call => ({ method: 'GET', path, status })
const live = (path: string): Call => ({ method: 'LIVE', path, status: 200 })
const send = (method: string, path: string, status: number, json?: unknown): Call =>
  ({ method, path, status, ...(json !== undefined && { json }) })
const post = (path: string, form: Readonly<Record<string, string>> = {}, more: Partial<Call> = {}): Call =>
  ({ method: 'POST', path, form, status: 303, ...more })
const base = ({ id }: Tenant): string => `/console/workspaces/${id}`
/** The place that a cursor of the API names: the console has it without the name of the list. */
const placeOf = (cursor: string): string => cursor.slice(cursor.indexOf('.') + 1)
const anyone = (call: Call): Call => ({ ...call, as: 'anyone' })

/** Each is of other bytes, since the same ones are uploaded once. */
const uploadOf = (content: string): Call => ({
  method: 'POST', path: '/v1/media', status: 201, headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
  raw: `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${content} ${randomUUID()}\r\n--b--\r\n`,
})

/** A form with the same file of both tenants. */
const fileOf = (path: string, fields: Readonly<Record<string, string>>): Call => ({
  method: 'POST', path, status: 303, headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
  raw: `${Object.entries(fields).map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nThe same bytes\r\n--b--\r\n`,
})

const graphAddress = (object: string, rest = ''): string => `/graph/v23.0/${object}${rest}`
const platformBody = (to: string, more: object) => ({ messaging_product: 'whatsapp', to, ...more })
/** A call of a tool by an agent. */
const use = (name: string, args: object): Call => ({
  ...send('POST', '/mcp', 200, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  headers: { Accept: 'application/json, text/event-stream' },
})
const batch = (id: string, rest = ''): string => `/v1/batches/${id}${rest}`
const endpoint = (id: string, rest = ''): string => `/v1/event-endpoints/${id}${rest}`
const settings = ({ application, mark }: Tenant) => ({ url: application, description: `The application of ${mark}` })

/** Every address of a gateway, by its method and its pattern. A new one has to be added here. */
export const ADDRESSES: Readonly<Record<string, Row>> = {
  'post /v1/messages/send-text': { acts: ({ mark, names }, of) => [
    send('POST', '/v1/messages/send-text', 200, { to: of.customer, text: `Hello from ${mark}` }),
    { ...send('POST', '/v1/messages/send-text', 200, { to: names.customer, ...TEXT }), headers: { 'Idempotency-Key': SAME_KEY } },
  ] },
  'post /v1/messages/send-template': { acts: ({ names }, of) => [
    send('POST', '/v1/messages/send-template', 200, { to: names.customer, template_name: of.template, language: 'en' }),
  ] },
  'post /v1/messages/send': { acts: ({ mark, names }, of) => [
    send('POST', '/v1/messages/send', 200, {
      to: of.customer, type: 'location', location: { latitude: '1', longitude: '2', name: `The place of ${mark}` },
    }),
    send('POST', '/v1/messages/send', 200, {
      to: names.customer, type: 'template', template: { name: of.template, language: { code: 'en' } },
    }),
  ] },
  'post /v1/quotes/send': {
    reads: (_, of) => [send('POST', '/v1/quotes/send', 200, { to: of.customer, type: 'text', text: { body: TEXT.text } })],
  },
  'post /v1/quotes/send-text': { reads: (_, of) => [send('POST', '/v1/quotes/send-text', 200, { to: of.customer, ...TEXT })] },
  'post /v1/quotes/send-template': { reads: ({ names }, of) => [
    send('POST', '/v1/quotes/send-template', 200, { to: names.customer, template_name: of.template, language: 'en' }),
  ] },
  'post /v1/batches': { acts: ({ mark, names }) => [
    send('POST', '/v1/batches', 201, { template_name: names.template, name: `Another of ${mark}`, recipients: [{ to: names.customer }] }),
  ] },
  'put /v1/batches/{id}/recipients': { acts: ({ names }, of) => [{
    method: 'PUT', path: batch(of.batch, '/recipients'), status: 200, headers: { 'Content-Type': 'text/csv' },
    raw: `to\n${names.customer}\n`,
  }] },
  'post /v1/batches/{id}/preflight': { acts: (_, of) => [send('POST', batch(of.batch, '/preflight'), 200)] },
  'post /v1/batches/{id}/confirm': { acts: (_, of) => [send('POST', batch(of.batch, '/confirm'), 409, { total: '1000000' })] },
  'post /v1/batches/{id}/pause': { acts: (_, of) => [send('POST', batch(of.batch, '/pause'), 409)] },
  'post /v1/batches/{id}/resume': { acts: (_, of) => [send('POST', batch(of.batch, '/resume'), 409)] },
  'post /v1/batches/{id}/cancel': { acts: (_, of) => [send('POST', batch(of.spareBatch, '/cancel'), 200)] },
  'get /v1/batches': { reads: (_, of) => [get('/v1/batches'), get(`/v1/batches?limit=2&cursor=${of.batchesCursor}`)] },
  'get /v1/batches/{id}': { reads: (_, of) => [get(batch(of.batch))] },
  'get /v1/batches/{id}/results': { reads: (_, of) => [get(`${batch(of.batch)}/results`)] },
  'post /v1/messages/{wamid}/read': { acts: (_, of) => [send('POST', `/v1/messages/${encodeURIComponent(of.wamid)}/read`, 200, {})] },
  'post /v1/media': { acts: ({ mark }) => [uploadOf(`A file of ${mark}`)] },
  'get /v1/media/{id}': { reads: (_, of) => [get(`/v1/media/${of.media}`)] },
  'post /v1/consents': { acts: ({ names, mark }) => [
    { method: 'POST', path: '/v1/consents', status: 200, headers: { 'Content-Type': 'text/csv' }, raw: `to,of,status,source\n${names.customer},marketing,granted,${mark}\n` },
  ] },
  'get /v1/consents': { reads: () => [get('/v1/consents')] },
  'get /v1/messages': { reads: (_, of) => [
    get('/v1/messages'), get(`/v1/messages?to=${of.customer}`), get(`/v1/messages?limit=2&cursor=${of.cursor}`),
    get('/v1/messages?state=unconfirmed'),
  ] },
  'delete /v1/messages/{id}': { acts: (_, of) => [send('DELETE', `/v1/messages/${of.message}`, 409)] },
  'get /v1/queue': { reads: () => [get('/v1/queue')] },
  'get /v1/messages/{id}': { reads: (_, of) => [get(`/v1/messages/${of.message}`)] },
  'get /v1/wallet': { reads: () => [get('/v1/wallet')] },
  'get /v1/wallet/entries': { reads: (_, of) => [get('/v1/wallet/entries'), get(`/v1/wallet/entries?cursor=${of.entriesCursor}`)] },
  'get /v1/windows/{to}': { reads: (_, of) => [get(`/v1/windows/${of.customer}`)] },
  'get /v1/customers/{to}': { reads: (_, of) => [get(`/v1/customers/${of.customer}`)] },
  'put /v1/customers/{to}/consent': {
    // Postern records the consent for the caller alone, whichever number the caller names, and sends the caller an event with it.
    acts: ({ mark, names }) => [
      send('PUT', `/v1/customers/${names.customer}/consent`, 200, { of: 'all', status: 'granted', source: `Form of ${mark}` }),
    ],
  },
  'get /v1/opt-out-words': { reads: () => [get('/v1/opt-out-words')] },
  'put /v1/opt-out-words': { acts: ({ mark }) => [send('PUT', '/v1/opt-out-words', 200, { words: { en: [`STOP ${mark}`] }, of: 'all' })] },
  'get /v1/templates': { reads: (_, of) => [get('/v1/templates'), get(`/v1/templates?name=${of.template}`), get(`/v1/templates?cursor=${of.templatesCursor}`)] },
  'get /v1/templates/{name}/results': {
    reads: (_, of) => [get(`/v1/templates/${of.template}/results`), get(`/v1/templates/${of.template}/results?by=week&format=csv`)],
  },
  'get /v1/senders': { reads: () => [get('/v1/senders')] },
  'get /v1/senders/{phone_number_id}': { reads: (_, of) => [get(`/v1/senders/${of.phone}`)] },
  'get /v1/key': { reads: () => [get('/v1/key')] },
  'post /v1/event-endpoints': {
    acts: (tenant) => [send('POST', '/v1/event-endpoints', 201, { ...settings(tenant), types: ['wallet.*'] })],
  },
  'get /v1/event-endpoints': { reads: () => [get('/v1/event-endpoints')] },
  'get /v1/event-endpoints/{id}': { reads: (_, of) => [get(endpoint(of.endpoint))] },
  'patch /v1/event-endpoints/{id}': { acts: (tenant, of) => [send('PATCH', endpoint(of.endpoint), 200, settings(tenant))] },
  'delete /v1/event-endpoints/{id}': { acts: (_, of) => [send('DELETE', endpoint(of.spareEndpoint), 204)] },
  'post /v1/event-endpoints/{id}/rotate-secret': { acts: (_, of) => [send('POST', endpoint(of.endpoint, '/rotate-secret'), 200)] },
  'post /v1/event-endpoints/{id}/test': { acts: (_, of) => [send('POST', endpoint(of.endpoint, '/test'), 200)] },
  'get /v1/event-endpoints/{id}/deliveries': { reads: (_, of) => [get(endpoint(of.endpoint, '/deliveries'))] },
  'post /v1/event-endpoints/{id}/redeliver': {
    acts: (_, of) => [send('POST', endpoint(of.endpoint, '/redeliver'), 202, { since: '2026-01-01T00:00:00Z' })],
  },
  'get /v1/events': { reads: (_, of) => [get('/v1/events?limit=100'), get(`/v1/events?after=${of.event}`)] },
  'post /v1/events/{id}/redeliver': { acts: ({ names }, of) => [
    send('POST', `/v1/events/${of.event}/redeliver`, 202, { endpoint: names.endpoint }),
    send('POST', `/v1/events/${names.event}/redeliver`, 202, { endpoint: of.endpoint }),
  ] },
  'post /graph/{version}/{object}/messages': { acts: ({ mark, names }, of) => [
    send(
      'POST', graphAddress(of.phone, '/messages'), 200,
      platformBody(names.customer, { type: 'location', location: { latitude: '1', longitude: '2', name: `The place of ${mark}` } }),
    ),
    send(
      'POST', graphAddress(names.phone, '/messages'), 200,
      platformBody(of.customer, { type: 'template', template: { name: of.template, language: { code: 'en' } } }),
    ),
    {
      ...send('POST', graphAddress(names.phone, '/messages'), 200, platformBody(names.customer, { text: { body: TEXT.text } })),
      headers: { 'Idempotency-Key': `${SAME_KEY}-at-the-door` },
    },
    send('POST', graphAddress(names.phone, '/messages'), 200, { messaging_product: 'whatsapp', status: 'read', message_id: of.wamid }),
  ] },
  'post /graph/{version}/{object}/media': {
    acts: ({ mark }, of) =>
      [{ ...uploadOf(`A file for the Graph-compatible API of ${mark}`), path: graphAddress(of.phone, '/media'), status: 200 }],
  },
  'get /graph/{version}/{object}/message_templates': { reads: ({ names }, of) => [
    get(graphAddress(of.account, '/message_templates')), get(graphAddress(names.account, `/message_templates?name=${of.template}`)),
    get(graphAddress(names.account, `/message_templates?after=${of.templatesCursor.replace('templates.', '')}`)),
  ] },
  'get /graph/{version}/{object}/phone_numbers': { reads: (_, of) => [get(graphAddress(of.account, '/phone_numbers'))] },
  'get /graph/{version}/{object}/whatsapp_business_profile': {
    reads: (_, of) => [get(graphAddress(of.phone, '/whatsapp_business_profile'))],
  },
  'get /graph/{version}/{object}': { reads: (_, of) => [get(graphAddress(of.media))] },
  'get /webhooks/platform': { apart: 'the platform asks for it, with the word of the operator' },
  'post /webhooks/platform': { apart: 'the platform signs it; what it says of a tenant is an act of its own' },
  'get /webhooks/platform/{app}': { apart: 'the platform asks for it, with the word of an app of the operator' },
  'post /webhooks/platform/{app}': { apart: 'the platform signs it; what it says of a sender of another app has no effect' },
  'get /health/live': { apart: 'it looks at nothing' },
  'get /health/ready': { apart: 'it looks at the database' },
  'get /metrics': { apart: 'it is for the operator, and no proxy passes it on' },
  'get /openapi.json': { apart: 'it is the same for everyone' },
  'get /docs': { apart: 'it is the same for everyone' },
  'post /mcp': { reads: (_, of) => [
    use('get_message', { id: of.message }), use('list_messages', {}), use('list_messages', { to: of.customer }), use('get_wallet', {}),
    use('get_window', { to: of.customer }), use('get_customer', { to: of.customer }), use('list_templates', { name: of.template }),
    use('quote', { to: of.customer, type: 'text', text: { body: 'Hello' } }),
  ] },
  'get /docs.js': { apart: 'it is the same for everyone' },
  'get /docs.woff2': { apart: 'it is the same for everyone' },
  'get /errors': { apart: 'it is the same for everyone' },
  'get /errors.json': { apart: 'it is the same for everyone' },
  'get /errors/{code}': { apart: 'it is the same for everyone' },
  'get /errors/platform/{number}': { apart: 'it is the same for everyone' },
  'get /llms.txt': { apart: 'it is the same for everyone' },
  'get /docs/{page}': { apart: 'it is the same for everyone' },
  'get /docs/{folder}/{page}': { apart: 'it is the same for everyone' },

  'get /console': { reads: () => [get('/console')] },
  'post /console': {
    acts: ({ mark }) => [
      post('/console', { name: `The second shop of ${mark}` }, { as: 'operator' }),
      post('/console', { name: `One more of ${mark}` }, { status: 403 }),
    ],
  },
  'get /console/sign-in': { apart: 'nobody is signed in there' },
  'post /console/password': {
    acts: ({ mark }) =>
      [post('/console/password', { password: `a password of ${mark}`, again: `a password of ${mark}` }, { as: 'developer' })],
  },
  'get /console/password': { reads: () => [get('/console/password')] },
  'post /console/sign-in': {
    acts: ({ mark }) =>
      [post('/console/sign-in', { email: `${mark}.developer@example.com`, password: `a password of ${mark}` }, { as: 'anyone' })],
  },
  'get /console/link/:token': { acts: (_, of) => [anyone(get(`/console/link/${of.link}`))] },
  'post /console/link/:token': { acts: (_, of) => [post(`/console/link/${of.link}`, {}, { as: 'anyone' })] },
  'get /console/account': { reads: () => [get('/console/account')] },
  'post /console/account/zone': { acts: () => [post('/console/account/zone', { zone: 'UTC' })] },
  'post /console/account/alerts': { acts: () => [post('/console/account/alerts', { balance: 'on' })] },
  'post /console/account/sessions': { acts: (_, of) => [post('/console/account/sessions', { end: of.session })] },
  'post /console/language': { acts: () => [post('/console/language', { language: 'en' }, { as: 'anyone' })] },
  'post /console/sign-out': { acts: ({ leaving }) => [post('/console/sign-out', {}, { cookie: leaving })] },
  'get /console/members': { reads: (_, of) => [get(`/console/members?workspace=${of.workspace}`), get('/console/members', 403)] },
  'post /console/members': { acts: ({ mark }, of) => [
    post('/console/members', { email: `${mark}.new@example.com`, access: 'viewer', workspace: of.workspace }),
    ...['ann', 'bea'].map((both) => post('/console/members', { email: `${both}@example.com`, access: 'owner', workspace: of.workspace })),
  ] },
  'post /console/members/remove': { acts: ({ id }, of) => [post('/console/members/remove', { email: of.email, workspace: id })] },
  'get /console/audit': { reads: (_, of) => [get(`/console/audit?workspace=${of.workspace}`), get('/console/audit', 403)] },
  'get /console/audit.csv': { reads: (_, of) => [get(`/console/audit.csv?workspace=${of.workspace}`), get('/console/audit.csv', 403)] },
  'get /console/apps': { reads: () => [get('/console/apps', 403)] },
  'get /console/health': { reads: () => [get('/console/health', 403)] },
  'get /console/health/checks': { reads: () => [get('/console/health/checks', 403)] },
  'post /console/health/reconcile': {
    acts: () => [post('/console/health/reconcile', {}, { as: 'operator' }), post('/console/health/reconcile', {}, { status: 403 })],
  },

  'get /console/queue': { reads: () => [get('/console/queue', 403)] },
  // The queues of both are held, and resumed before the other one looks.
  'post /console/queue/hold': { acts: ({ mark }) => [
    post('/console/queue/hold', { note: mark }, { as: 'operator' }), post('/console/queue/resume', {}, { as: 'operator' }),
    post('/console/queue/hold', { note: mark }, { status: 403 }),
  ] },
  'post /console/queue/resume': {
    acts: () => [post('/console/queue/resume', {}, { as: 'operator' }), post('/console/queue/resume', {}, { status: 403 })],
  },
  'get /console/search': { reads: (_, of) => [get(`/console/search?q=${of.message}`, 303), get('/console/search')] },
  'get /console/workspaces/:workspace/search': {
    reads: (t, of) => [of.message, of.customer].map((text) => get(`${base(t)}/search?q=${text}`, 303)),
  },
  'get /console/palette': { reads: (_, of) => [get(`/console/palette?q=${of.message}`), get('/console/palette')] },
  'get /console/workspaces/:workspace/palette': {
    reads: (t, of) => ['', of.message, of.customer, 'e', '?'].map((text) => get(`${base(t)}/palette?q=${text}`)),
  },
  'get /console/workspaces/:workspace': {
    reads: (t, of) => [get(base(t)), get(`${base(t)}?range=1h`), get(`${base(t)}?sender=${of.phone}`)],
  },
  'live /console/queue': { reads: () => [{ ...live('/console/queue'), status: 403 }] },
  'live /console/workspaces/:workspace': { reads: (t) => [live(base(t))] },
  'get /console/workspaces/:workspace/messages': {
    reads: (t, of) => [get(`${base(t)}/messages`), get(`${base(t)}/messages?to=${of.customer}`), get(`${base(t)}/messages?cursor=${placeOf(of.cursor)}`)],
  },
  'get /console/workspaces/:workspace/messages.csv': { reads: (t, of) => [get(`${base(t)}/messages.csv`), get(`${base(t)}/messages.csv?to=${of.customer}`)] },
  'live /console/workspaces/:workspace/messages': { reads: (t) => [live(`${base(t)}/messages`)] },
  'get /console/workspaces/:workspace/messages/:message': { reads: (t, of) => [get(`${base(t)}/messages/${of.message}`)] },
  'live /console/workspaces/:workspace/messages/:message': { reads: (t, of) => [live(`${base(t)}/messages/${of.message}`)] },
  'get /console/workspaces/:workspace/messages/chosen.csv': { reads: (t, of) => [get(`${base(t)}/messages/chosen.csv?${of.message}=on`)] },
  'post /console/workspaces/:workspace/messages/again': {
    acts: (t, of) => [post(`${base(t)}/messages/again`, { [of.message]: 'on' }, { status: 422 })],
  },
  'get /console/workspaces/:workspace/messages/again/price': {
    reads: (t, of) => [get(`${base(t)}/messages/again/price?${of.message}=on`)],
  },
  'post /console/workspaces/:workspace/messages/again/confirm': {
    acts: (t, of) => [post(`${base(t)}/messages/again/confirm`, { [of.message]: 'on', key: `again-${t.mark}` }, { status: 422 })],
  },
  'post /console/workspaces/:workspace/messages/:message/again': {
    acts: (t, of) => [post(`${base(t)}/messages/${of.message}/again`, { key: `again-${t.mark}` }, { status: 422 })],
  },
  'post /console/workspaces/:workspace/messages/:message/resolve': { acts: (t, of) => [
    post(`${base(t)}/messages/${of.unconfirmed}/resolve`, { outcome: 'not_sent', note: `A note of ${t.mark}` }, { status: 403 }),
    post(`${base(t)}/messages/${of.unconfirmed}/resolve`, { outcome: 'not_sent', note: `A note of ${t.mark}` }, { as: 'operator' }),
  ] },
  'post /console/workspaces/:workspace/messages/:message/cancel': {
    acts: (t, of) => [post(`${base(t)}/messages/${of.queued}/cancel`, { back: 'queue' })],
  },
  'get /console/workspaces/:workspace/batches': { reads: (t, of) => [get(`${base(t)}/batches`), get(`${base(t)}/batches?cursor=${placeOf(of.batchesCursor)}`)] },
  'get /console/workspaces/:workspace/batches/new': { reads: (t) => [get(`${base(t)}/batches/new`)] },
  'get /console/workspaces/:workspace/batches/sample.csv': { reads: (t) => [get(`${base(t)}/batches/sample.csv`, 404)] },
  'post /console/workspaces/:workspace/batches/file': {
    acts: (t, of) => [{ ...fileOf(`${base(t)}/batches/file`, { template: `1.["${of.template}","en"]` }), status: 422 }],
  },
  'post /console/workspaces/:workspace/batches/preview/file': {
    acts: (t, of) => [{ ...fileOf(`${base(t)}/batches/preview/file`, { template: `1.["${of.template}","en"]` }), status: 404 }],
  },
  'get /console/workspaces/:workspace/batches/:batch': { reads: (t, of) => [get(`${base(t)}/batches/${of.batch}`)] },
  'live /console/workspaces/:workspace/batches/:batch': { reads: (t, of) => [live(`${base(t)}/batches/${of.batch}`)] },
  'get /console/workspaces/:workspace/batches/:batch/results.csv': {
    reads: (t, of) => [get(`${base(t)}/batches/${of.batch}/results.csv`)],
  },
  'post /console/workspaces/:workspace/batches/:batch/file': { acts: (t, of) => [fileOf(`${base(t)}/batches/${of.batch}/file`, {})] },
  'post /console/workspaces/:workspace/batches/:batch/confirm': {
    acts: (t, of) => [post(`${base(t)}/batches/${of.batch}/confirm`, { total: '1000000' })],
  },
  'post /console/workspaces/:workspace/batches/:batch/again': {
    acts: (t, of) => [post(`${base(t)}/batches/${of.batch}/again`, { group: 'unsent' })],
  },
  'post /console/workspaces/:workspace/batches/:batch/pause': { acts: (t, of) => [post(`${base(t)}/batches/${of.batch}/pause`)] },
  'post /console/workspaces/:workspace/batches/:batch/resume': { acts: (t, of) => [post(`${base(t)}/batches/${of.batch}/resume`)] },
  'post /console/workspaces/:workspace/batches/:batch/cancel': { acts: (t, of) => [post(`${base(t)}/batches/${of.spareBatch}/cancel`)] },
  'get /console/workspaces/:workspace/queue': { reads: (t) => [get(`${base(t)}/queue`)] },
  'live /console/workspaces/:workspace/queue': { reads: (t) => [live(`${base(t)}/queue`)] },
  'post /console/workspaces/:workspace/queue/hold': { acts: (t) => [
    post(`${base(t)}/queue/hold`, { note: `A note of ${t.mark}` }, { as: 'operator' }),
    post(`${base(t)}/queue/hold`, { note: t.mark }, { status: 403 }),
  ] },
  'post /console/workspaces/:workspace/queue/resume': { acts: (t) => [
    post(`${base(t)}/queue/resume`, {}, { as: 'operator' }), post(`${base(t)}/queue/resume`, {}, { status: 403 }),
  ] },
  'get /console/workspaces/:workspace/customers': { reads: (t) => [get(`${base(t)}/customers`)] },
  'live /console/workspaces/:workspace/customers': { reads: (t) => [live(`${base(t)}/customers`)] },
  'get /console/workspaces/:workspace/customers/:customer': { reads: (t, of) => [get(`${base(t)}/customers/${of.customer}`)] },
  'live /console/workspaces/:workspace/customers/:customer': { reads: (t, of) => [live(`${base(t)}/customers/${of.customer}`)] },
  'post /console/workspaces/:workspace/customers/:customer/consent': {
    acts: (t) => [
      post(`${base(t)}/customers/${t.names.customer}/consent`, { of: 'marketing', status: 'withdrawn', note: `A note of ${t.mark}` }),
    ],
  },
  'post /console/workspaces/:workspace/customers/:customer/erase': { acts: (t, of) => [post(`${base(t)}/customers/${of.spareCustomer}/erase`)] },
  'get /console/workspaces/:workspace/keys': { reads: (t) => [get(`${base(t)}/keys`)] },
  // The newest calls are those of the test itself, so it looks at those before one of them.
  'get /console/workspaces/:workspace/requests': { reads: (t, of) => [get(`${base(t)}/requests?cursor=${of.request}`)] },
  'get /console/workspaces/:workspace/requests/:request': { reads: (t, of) => [get(`${base(t)}/requests/${of.request}`)] },
  'post /console/workspaces/:workspace/keys': {
    acts: (t) => [post(`${base(t)}/keys`, { name: `A key of ${t.mark}`, 'scope-send': 'on' })],
  },
  'post /console/workspaces/:workspace/keys/rotate': {
    acts: (t, of) => [post(`${base(t)}/keys/rotate`, { key: of.otherKey, overlap: '1h' })],
  },
  'post /console/workspaces/:workspace/keys/revoke': { acts: (t, of) => [post(`${base(t)}/keys/revoke`, { key: of.spareKey })] },
  'get /console/workspaces/:workspace/endpoints': { reads: (t) => [get(`${base(t)}/endpoints`)] },
  'live /console/workspaces/:workspace/endpoints': { reads: (t) => [live(`${base(t)}/endpoints`)] },
  'post /console/workspaces/:workspace/endpoints': {
    acts: (t) => [post(`${base(t)}/endpoints`, { ...settings(t), types: 'chosen', 'type-key.*': 'on' })],
  },
  'get /console/workspaces/:workspace/endpoints/:endpoint': { reads: (t, of) => [get(`${base(t)}/endpoints/${of.endpoint}`)] },
  'live /console/workspaces/:workspace/endpoints/:endpoint': { reads: (t, of) => [live(`${base(t)}/endpoints/${of.endpoint}`)] },
  'post /console/workspaces/:workspace/endpoints/:endpoint/change': {
    acts: (t, of) => [post(`${base(t)}/endpoints/${of.endpoint}/change`, { ...settings(t), types: 'chosen', 'type-*': 'on' })],
  },
  'post /console/workspaces/:workspace/endpoints/:endpoint/status': { acts: (t, of) =>
    ['disabled', 'enabled'].map((status) => post(`${base(t)}/endpoints/${of.endpoint}/status`, { status })) },
  'post /console/workspaces/:workspace/endpoints/:endpoint/rotate-secret': { acts: (t, of) => [post(`${base(t)}/endpoints/${of.endpoint}/rotate-secret`)] },
  'post /console/workspaces/:workspace/endpoints/:endpoint/test': { acts: (t, of) => [post(`${base(t)}/endpoints/${of.endpoint}/test`)] },
  'post /console/workspaces/:workspace/endpoints/:endpoint/redeliver': { acts: (t, of) => [
    post(`${base(t)}/endpoints/${t.names.endpoint}/redeliver`, { event: of.event }),
    post(`${base(t)}/endpoints/${of.endpoint}/redeliver`, { since: '2026-03-01T12:00' }),
  ] },
  'post /console/workspaces/:workspace/endpoints/:endpoint/remove': { acts: (t, of) => [post(`${base(t)}/endpoints/${of.otherEndpoint}/remove`)] },
  'get /console/workspaces/:workspace/endpoints/:endpoint/events/:event': { reads: (t, of) => [
    get(`${base(t)}/endpoints/${of.endpoint}/events/${t.names.event}`), get(`${base(t)}/endpoints/${t.names.endpoint}/events/${of.event}`),
  ] },
  'get /console/workspaces/:workspace/sender': { reads: (t) => [get(`${base(t)}/sender`)] },
  'get /console/workspaces/:workspace/sender/:number': { reads: (t, of) => [get(`${base(t)}/sender/${of.phone}`)] },
  'post /console/workspaces/:workspace/sender/:number/remove': {
    acts: (t, of) => [post(`${base(t)}/sender/${of.phone}/remove`, { sure: 'on' }, { status: 422 })],
  },
  'post /console/workspaces/:workspace/sender': { acts: (t, of) => [
    ...[[t.phone, of.account], [of.phone, t.account], [of.phone, of.account], [of.phone, '']]
    .map(([phone = '', account = '']) => post(`${base(t)}/sender`, { phone, account, token: t.token })),
    post(`${base(t)}/sender`, { phone: t.phone, account: t.account, token: t.token }),
  ] },
  'post /console/workspaces/:workspace/sender/:number': {
    acts: (t, of) => [
      post(`${base(t)}/sender/${of.phone}`, { account: t.account, token: t.token }),
      post(`${base(t)}/sender/${t.phone}`, { account: of.account, token: '' }),
    ],
  },
  'post /console/workspaces/:workspace/sender/:number/default': { acts: (t, of) => [post(`${base(t)}/sender/${of.phone}/default`)] },
  'post /console/workspaces/:workspace/sender/:number/replace': {
    acts: (t, of) => [
      post(`${base(t)}/sender/${of.phone}/replace`, { phone: t.phone, account: t.account, token: t.token }),
      post(`${base(t)}/sender/${t.phone}/replace`, { phone: of.phone, account: t.account, token: t.token }),
    ],
  },
  'post /console/workspaces/:workspace/sender/:number/check': {
    acts: (t, of) => [post(`${base(t)}/sender/${of.phone}/check`, {}, { status: 200 })],
  },
  'get /console/workspaces/:workspace/settings': { reads: (t) => [get(`${base(t)}/settings`)] },
  'post /console/workspaces/:workspace/settings/name': {
    acts: (t) => [post(`${base(t)}/settings/name`, { name: `The shop of ${t.mark}` })],
  },
  'post /console/workspaces/:workspace/settings/opt-out': {
    acts: (t) => [
      post(`${base(t)}/settings/opt-out`, { words: `en: STOP, STOP ${t.mark}`, of: 'marketing', reply: `Stopped by ${t.mark}` }),
    ],
  },
  'post /console/workspaces/:workspace/settings/consent': { acts: (t) => [post(`${base(t)}/settings/consent`, {})] },
  'post /console/workspaces/:workspace/settings/prices': {
    acts: (t) => [
      post(`${base(t)}/settings/prices`, { markup: '0' }, { as: 'operator' }),
      post(`${base(t)}/settings/prices`, { markup: '5' }, { status: 403 }),
    ],
  },
  'post /console/workspaces/:workspace/settings/channel': {
    acts: (t) => [post(`${base(t)}/settings/channel`, { channel: 'https://hooks.example/T1' })],
  },
  'get /console/workspaces/:workspace/send': { reads: (t, of) => [get(`${base(t)}/send`), get(`${base(t)}/send?template=en%20${of.template}`)] },
  'post /console/workspaces/:workspace/send': {
    reads: (t, of) => [post(`${base(t)}/send`, { to: t.names.customer, what: 'template', template: `en ${of.template}` }, { status: 200 })],
  },
  'post /console/workspaces/:workspace/send/compose': { reads: (t, of) => [
    post(`${base(t)}/send/compose`, { to: t.names.customer, what: 'template', template: `en ${of.template}` }, { status: 200 }),
    post(`${base(t)}/send/compose`, { to: of.customer, what: 'text' }, { status: 200 }),
  ] },
  'post /console/workspaces/:workspace/send/check': {
    reads: (t, of) => [post(`${base(t)}/send/check`, { to: of.customer, what: 'text', ...TEXT }, { status: 200 })],
  },
  'post /console/workspaces/:workspace/send/confirm': {
    acts: (t, of) => [post(`${base(t)}/send/confirm`, { to: of.customer, what: 'text', ...TEXT, key: 'a-form-of-both' })],
  },
  'post /console/workspaces/:workspace/send/file': {
    acts: (t, of) => [
      fileOf(`${base(t)}/send/file`, {
        to: of.customer, what: 'document', caption: `A file of ${t.mark}`, link: '', key: 'a-form-of-both-with-a-file',
      }),
    ],
  },
  'get /console/workspaces/:workspace/send/sent/:message': { reads: (t, of) => [get(`${base(t)}/send/sent/${of.message}`)] },
  'get /console/workspaces/:workspace/templates': {
    reads: (t, of) => [get(`${base(t)}/templates`), get(`${base(t)}/templates?name=${of.template}`), get(`${base(t)}/templates?cursor=${encodeURIComponent(Buffer.from(placeOf(of.templatesCursor), 'base64url').toString())}`)],
  },
  'post /console/workspaces/:workspace/templates/sync': { acts: (t) => [post(`${base(t)}/templates/sync`, {}, { status: 200 })] },
  'get /console/workspaces/:workspace/templates/:name/results.csv': {
    reads: (t, of) => [get(`${base(t)}/templates/${of.template}/results.csv?period=quarter`)],
  },
  'get /console/workspaces/:workspace/templates/:name': { reads: (t, of) => [get(`${base(t)}/templates/${of.template}`)] },
  'get /console/workspaces/:workspace/wallet': { reads: (t) => [get(`${base(t)}/wallet`)] },
  'get /console/workspaces/:workspace/wallet/entries': {
    reads: (t, of) => [get(`${base(t)}/wallet/entries`), get(`${base(t)}/wallet/entries?cursor=${placeOf(of.entriesCursor)}`)],
  },
  'get /console/workspaces/:workspace/wallet/months': { reads: (t) => [get(`${base(t)}/wallet/months`)] },
  'get /console/workspaces/:workspace/wallet/alerts': { reads: (t) => [get(`${base(t)}/wallet/alerts`)] },
  'post /console/workspaces/:workspace/wallet/alerts': { acts: (t) => [post(`${base(t)}/wallet/alerts`, { threshold: '25' })] },
  'get /console/workspaces/:workspace/wallet/statement.csv': { reads: (t) => [get(`${base(t)}/wallet/statement.csv`)] },
  'get /console/workspaces/:workspace/wallet/spend': {
    reads: (t, of) => [get(`${base(t)}/wallet/spend`), get(`${base(t)}/wallet/spend?sender=${of.phone}`)],
  },
  'get /console/workspaces/:workspace/wallet/days/:day': { reads: (t) => [get(`${base(t)}/wallet/days/${new Date().toISOString().slice(0, 10)}`)] },
  'get /console/workspaces/:workspace/wallet/months/:month': { reads: (t) => [get(`${base(t)}/wallet/months/${new Date().toISOString().slice(0, 7)}`)] },
  'get /console/workspaces/:workspace/wallet/months/:month/templates.csv': { reads: (t) => [get(`${base(t)}/wallet/months/${new Date().toISOString().slice(0, 7)}/templates.csv`)] },
  'get /console/workspaces/:workspace/wallet/books': { reads: (t) => [get(`${base(t)}/wallet/books`)] },
  'post /console/workspaces/:workspace/wallet/top-up': { acts: (t) => [
    post(`${base(t)}/wallet/top-up`, { amount: '1', reference: 'a-reference-of-both' }, { as: 'operator' }),
    post(`${base(t)}/wallet/top-up`, { amount: '1', reference: t.mark }, { status: 403 }),
  ] },
  'post /console/workspaces/:workspace/wallet/adjust': { acts: (t) => [
    post(`${base(t)}/wallet/adjust`, { amount: '1', reference: 'a-correction-of-both', note: `A note of ${t.mark}` }, { as: 'operator' }),
    post(`${base(t)}/wallet/adjust`, { amount: '1', reference: t.mark, note: t.mark }, { status: 403 }),
  ] },
  'post /console/workspaces/:workspace/settings/archive': {
    acts: (t) => [post(`${base(t)}/settings/archive`, { sure: `The shop of ${t.mark}` }, { status: 403 })],
  },
}

/** What the platform reports of a tenant; `of` has the message that a status names. */
export const reportsOf = ({ mark, phone, account, customer }: Tenant, of: Pick<Names, 'message'>) => {
  const field = (name: string, value: object) => ({ field: name, value })
  const contact = { contacts: [{ wa_id: customer, profile: { name: `A customer of ${mark}` } }] }
  return [
    [account, changeOf(phone, { ...contact, messages: [inboundOf(customer, { text: { body: `Hello, ${mark}` } })] })],
    [
      account,
      changeOf(phone, {
        ...contact,
        messages: [
          inboundOf(customer, { id: `wamid.reaction${mark}`, type: 'reaction', reaction: { message_id: `wamid.${mark}1`, emoji: '👍' } }),
        ],
      }),
    ],
    [account, changeOf(phone, { statuses: [statusOf(of.message, 'delivered', { id: `wamid.of${mark}`, recipient_id: customer })] })],
    [account,
      changeOf(phone, {
        statuses: [statusOf(`msg_${'0'.repeat(31)}1`, 'delivered', { id: `wamid.lost${mark}`, recipient_id: customer })],
      })],
    [
      account,
      field('message_template_status_update', {
        event: 'PAUSED', message_template_id: 1, message_template_name: `${mark}_offer`, message_template_language: 'en',
      }),
    ],
    [
      account,
      field('message_template_status_update', {
        event: 'APPROVED', message_template_id: 1, message_template_name: `${mark}_offer`, message_template_language: 'en',
      }),
    ],
    [account, field('phone_number_quality_update', { display_phone_number: phone, event: 'ONBOARDING', current_limit: 'TIER_1K' })],
    [account,
      field('account_update', { event: 'ACCOUNT_RESTRICTION', restriction_info: [{ restriction_type: `OF_${mark.toUpperCase()}` }] })],
    [account,
      changeOf(phone, {
        user_preferences: [{ wa_id: customer, category: 'marketing_messages', value: 'stop', timestamp: 1_700_000_000 }],
      })],
  ] as const
}
