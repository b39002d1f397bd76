import { assert } from 'chai'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import { HOUR_MS } from '../../../../core/kernel/time.js'
import type { Media } from '../../../../core/messages/conversation.js'
import type { PlatformId } from '../../../../core/messages/message.js'
import { senderIdOf } from '../../../../core/senders/sender.js'
import { rightOf } from '../../../support/right-of.js'
import { type Answered, CUSTOMER, gateway, type Gateway, NOON, type World } from '../gateway.js'
import { agentWith, keyFor } from '../mcp/agent.js'
import { errorOf, platformBody } from '../graph/requests.js'

const OTHER_ACCOUNT = '102290129340399'
const MEDIA_ID = '1003383421387256'
const READ = `/v1/messages/${encodeURIComponent('wamid.HBgN')}/read`
const TEXT = { to: CUSTOMER, text: 'hello' }
const TEMPLATE = { to: CUSTOMER, template_name: 'hello' }
const CONTENT = { to: CUSTOMER, type: 'text', text: { body: 'hello' } }
const ANY_TEMPLATE = { to: CUSTOMER, type: 'template', template: { name: 'hello', language: { code: 'en' } } }
const BODIES = [['send-text', TEXT], ['send-template', TEMPLATE], ['send', CONTENT], ['send', ANY_TEMPLATE]] as const
const HOUR_AGO = '2026-03-01T11:00:00.000Z'
const OPEN = { open: true, last_inbound_at: HOUR_AGO, closes_at: '2026-03-02T11:00:00.000Z' }
const CLOSED = { open: false, last_inbound_at: null, closes_at: null }

const template = (name: string) => ({
  id: name, name, language: 'en', category: 'utility', status: 'approved', quality: undefined, parameterFormat: undefined,
  components: undefined,
})

/** A workspace with two senders: the customer wrote only to the second one an hour ago, and each has a business account of its own. */
const twoSenders = async (options: World = {}) => {
  const gw = await gateway({ lastInbound: undefined, templates: [template('hello')], ...options })
  const inbound = { phoneNumber: CUSTOMER, at: NOON - HOUR_MS }
  const second = await gw.addSender(gw.workspace, { accessToken: 'second', businessAccountId: OTHER_ACCOUNT, inbound })
  rightOf(await gw.storage.templateCatalogue.replaceAll(OTHER_ACCOUNT, [template('hello'), template('bye')], NOON))
  const theirs = await gw.addWorkspace()
  return Object.assign(gw, { second, foreign: theirs.phoneNumberId })
}

const through = (gw: Gateway): ReadonlyArray<string> => gw.sent.map(({ sender }) => sender.phoneNumberId)

const sayOf = ({ json }: Answered) => json as { readonly code: string; readonly message: string }

const jpeg = (): Media => ({
  type: 'image/jpeg', length: 5, part: undefined, bytes: (async function* bytes() { yield Buffer.from('bytes') })(), close: () => undefined,
})

const file = (fields: Readonly<Record<string, string>>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new File(['%PDF-1.7'], 'a.pdf', { type: 'application/pdf' }))
  return form
}

const upload = (gw: Gateway, path: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
  gw.request(path, { method: 'POST', body: file(fields), headers })

describe('the sender of a request', () => {
  for (const [operation, body] of BODIES) {
    it(`is the one that the body names, or the default sender: ${operation}, ${'type' in body ? body.type : 'plain'}`, async () => {
      await using gw = await twoSenders()
      const path = `/v1/messages/${operation}`
      // The second request of a key uses the reads that were started before the key was known.
      for (const _ of [1, 2]) assert.equal((await gw.post(path, { ...body, sender: gw.second })).status, 200)
      assert.deepEqual<unknown>(through(gw), [gw.second, gw.second])
      assert.deepEqual(gw.sent.map(({ sender }) => sender.accessToken), ['second', 'second'])
      assert.equal((await gw.post(`/v1/quotes/${operation}`, { ...body, sender: gw.second })).status, 200)
      const byDefault = await gw.post(path, body)
      const isTemplate = body === TEMPLATE || body === ANY_TEMPLATE
      assert.equal(isTemplate ? through(gw).at(-1) : sayOf(byDefault).code, isTemplate ? gw.phoneNumberId : 'window_closed')
      assert.equal(sayOf(await gw.post(`/v1/quotes/${operation}`, { ...body, sender: gw.foreign })).code, 'invalid_parameter')
    })
  }

  it('is refused if the workspace does not have it, and nothing is sent, charged or stored', async () => {
    await using gw = await twoSenders()
    for (const sender of ['1', gw.foreign]) {
      const answers = [
        ...await Promise.all(BODIES.flatMap(([operation, body]) =>
          [`/v1/messages/${operation}`, `/v1/quotes/${operation}`].map((path) => gw.post(path, { ...body, sender })))),
        await upload(gw, '/v1/media', { sender }), await upload(gw, '/v1/messages/send', { to: CUSTOMER, type: 'document', sender }),
        await gw.post(READ, { sender }),
        ...await Promise.all(['messages', `windows/${CUSTOMER}`, 'templates', 'wallet/entries', `media/${MEDIA_ID}`].map((path) =>
          gw.get(`/v1/${path}?sender=${sender}`))),
      ]
      for (const answer of answers) {
        assert.deepEqual([answer.status, sayOf(answer).code], [400, 'invalid_parameter'])
        assert.match(sayOf(answer).message, /sender/)
      }
    }
    assert.isEmpty([...gw.sent, ...gw.uploads, ...gw.marked, ...gw.wanted])
    assert.deepEqual(await gw.books(), { available: '10.000000', held: '0.000000' })
    assert.deepEqual((await gw.get('/v1/messages')).json, { messages: [], next_cursor: null })
  })

  it('is refused with its rule if it has another type or form', async () => {
    await using gw = await twoSenders()
    const digits = /^sender must be the phone number id of a sender: a string of 1 to 32 digits$/
    for (const [sender, rule] of [
      [106540352242922, /^sender must be a string$/], [null, /^sender must be a string$/], ['', digits], ['+49', digits],
      ['1'.repeat(33), digits], ['١', digits],
    ] as const) {
      const answers = [
        ...await Promise.all(BODIES.map(([operation, body]) => gw.post(`/v1/messages/${operation}`, { ...body, sender }))),
        await gw.post(READ, { sender }),
      ]
      for (const answer of answers) {
        assert.deepEqual([answer.status, sayOf(answer).code], [400, 'invalid_parameter'], String(sender))
        assert.match(sayOf(answer).message, rule)
      }
    }
    for (const path of ['messages', `windows/${CUSTOMER}`, 'templates', 'wallet/entries', `media/${MEDIA_ID}`]) {
      assert.match(sayOf(await gw.get(`/v1/${path}?sender=x`)).message, digits)
    }
    assert.isEmpty(gw.sent)
  })

  it('belongs to the request that an idempotency key guards', async () => {
    await using gw = await twoSenders()
    const headers = { 'Idempotency-Key': 'a-key' }
    const first = await gw.sendText({ ...TEXT, sender: gw.second }, headers)
    const again = await gw.sendText({ ...TEXT, sender: gw.second }, headers)
    assert.deepEqual([again.json, again.headers.get('idempotency-replayed')], [first.json, 'true'])
    for (const body of [TEXT, { ...TEXT, sender: gw.phoneNumberId }]) assert.equal((await gw.sendText(body, headers)).status, 422)
    assert.lengthOf(gw.sent, 1)
    const file = { to: CUSTOMER, type: 'document' }
    const another = { 'Idempotency-Key': 'another-key' }
    assert.equal((await upload(gw, '/v1/messages/send', { ...file, sender: gw.second }, another)).status, 200)
    assert.equal((await upload(gw, '/v1/messages/send', file, another)).status, 422)
  })

  it('receives the file, alone or with its message', async () => {
    await using gw = await twoSenders()
    assert.equal((await upload(gw, '/v1/media', { sender: gw.second })).status, 201)
    assert.equal((await upload(gw, '/v1/media', {})).status, 201, 'a file of one sender is not one of the other')
    assert.equal((await upload(gw, '/v1/messages/send', { to: CUSTOMER, type: 'document', sender: gw.second })).status, 200)
    assert.deepEqual<unknown>(gw.uploads.map(({ sender }) => sender.phoneNumberId), [gw.second, gw.phoneNumberId])
    assert.deepEqual<unknown>(through(gw), [gw.second])
  })

  it('marks messages as read and opens attachments that it received', async () => {
    await using gw = await twoSenders()
    assert.equal((await gw.post(READ, { sender: gw.second, typing: true })).status, 200)
    assert.equal((await gw.post(READ, {})).status, 200)
    assert.deepEqual<unknown>(gw.marked.map(({ sender }) => sender.phoneNumberId), [gw.second, gw.phoneNumberId])
    gw.willGiveMedia(jpeg())
    assert.equal((await gw.get(`/v1/media/${MEDIA_ID}?sender=${gw.second}`)).text, 'bytes')
    gw.willGiveMedia(jpeg())
    assert.equal((await gw.get(`/v1/media/${MEDIA_ID}`)).text, 'bytes')
    assert.deepEqual<unknown>(gw.wanted.map(({ sender }) => sender.phoneNumberId), [gw.second, gw.phoneNumberId])
  })
})

describe('reading by sender', () => {
  it('/messages and /wallet/entries contain what went through it, with the former id of its number', async () => {
    await using gw = await twoSenders()
    for (const sender of [gw.second, gw.phoneNumberId]) {
      gw.passes(1)
      assert.equal((await gw.sendTemplate({ ...TEMPLATE, sender })).status, 200)
    }
    const [first] = gw.sent
    const read = async (path: string) => (await gw.get(path)).json as {
      readonly messages: ReadonlyArray<Record<string, unknown>>; readonly entries: ReadonlyArray<Record<string, unknown>>
    }
    const bySecond = async (sender = gw.second) => {
      const [{ messages }, { entries }] = [await read(`/v1/messages?sender=${sender}`), await read(`/v1/wallet/entries?sender=${sender}`)]
      return [messages.map(({ id, sender: of }) => [id, of]), entries.map(({ kind, message_id: id, sender: of }) => [kind, id, of])]
    }
    const expected = [[[first?.id, gw.second]], [['capture', first?.id, gw.second], ['hold', first?.id, gw.second]]]
    assert.deepEqual<unknown>(await bySecond(), expected)
    assert.lengthOf((await read('/v1/messages')).messages, 2)
    assert.deepEqual(
      (await read('/v1/wallet/entries')).entries.map(({ kind, sender }) => [kind, sender]),
      [['capture', gw.phoneNumberId], ['hold', gw.phoneNumberId], ['capture', gw.second], ['hold', gw.second], ['top_up', null]],
    )
    const moved = senderIdOf('106540352242922')
    const { accessToken } = first?.sender ?? assert.fail('nothing was sent')
    rightOf(await gw.storage.senders.replace(
      { workspace: gw.workspace, sender: gw.second }, { phoneNumberId: moved, accessToken, businessAccountId: undefined }, gw.now(),
    ))
    assert.deepEqual<unknown>(await bySecond(moved), expected)
    assert.equal((await gw.get(`/v1/messages?sender=${gw.second}`)).status, 400)
  })

  it('/messages goes on with the same sender from a cursor', async () => {
    await using gw = await twoSenders()
    for (const sender of [gw.second, gw.phoneNumberId, gw.second, gw.phoneNumberId, gw.second]) {
      gw.passes(1)
      await gw.sendTemplate({ ...TEMPLATE, sender })
    }
    const seen: Array<unknown> = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = (await gw.get(`/v1/messages?sender=${gw.second}&limit=2&cursor=${cursor}`)).json as {
        messages: ReadonlyArray<{ sender: unknown }>; next_cursor: string | null
      }
      seen.push(page.messages.map(({ sender }) => sender))
      cursor = page.next_cursor
    }
    assert.deepEqual<unknown>(seen, [[gw.second, gw.second], [gw.second]])
  })

  it('/windows/{to} shows the window of the named sender, or that of the default sender and of all', async () => {
    await using gw = await twoSenders()
    const [ofFirst, ofSecond] = [{ phone_number_id: gw.phoneNumberId, ...CLOSED }, { phone_number_id: gw.second, ...OPEN }]
    const shown = async (query: string) => (await gw.get(`/v1/windows/${CUSTOMER}${query}`)).json
    assert.deepEqual<unknown>(await shown(''), { ...CLOSED, senders: [ofFirst, ofSecond] })
    assert.deepEqual<unknown>(await shown(`?sender=${gw.second}`), { ...OPEN, senders: [ofSecond] })
    assert.deepEqual<unknown>(await shown(`?sender=${gw.phoneNumberId}`), { ...CLOSED, senders: [ofFirst] })
    const customer = (await gw.get(`/v1/customers/${CUSTOMER}`)).json
    assert.deepInclude<object>(customer as object, { window: CLOSED, windows: [ofFirst, ofSecond] })
  })

  it('/templates lists those of its business account', async () => {
    await using gw = await twoSenders()
    const names = async (query: string) =>
      ((await gw.get(`/v1/templates${query}`)).json as { templates: ReadonlyArray<{ name: string }> }).templates.map(({ name }) => name)
    assert.deepEqual([await names(''), await names(`?sender=${gw.second}`)], [['hello'], ['bye', 'hello']])
  })
})

describe('the sender in events', () => {
  it('is the one to whom the customer wrote', async () => {
    await using gw = await twoSenders()
    const added = await gw.post('/v1/event-endpoints', { url: 'https://shop.example/' })
    assert.equal(added.status, 201)
    const message = { id: 'wamid.A' as PlatformId, type: 'text', content: { body: 'hello' } }
    const customer = { phoneNumber: '4915123456789' as PhoneNumber }
    rightOf(await gw.receive([{ _tag: 'Inbound', phoneNumberId: gw.second, customer, at: NOON, message }]))
    const { events } = (await gw.get('/v1/events')).json as { events: ReadonlyArray<{ type: string; data: Record<string, unknown> }> }
    assert.deepEqual<unknown>(events.map(({ type, data }) => [type, data['sender']]), [
      ['message.received', gw.second], ['window.opened', gw.second],
    ])
  })
})

describe('the sender at the door', () => {
  const postTo = (gw: Gateway, number: string, body: unknown, headers: Record<string, string> = {}) =>
    gw.post(`/graph/v23.0/${number}/messages`, body, headers)

  it('is the one in the address: of messages, marks and files', async () => {
    await using gw = await twoSenders()
    const body = platformBody(CUSTOMER, { type: 'template', template: { name: 'hello', language: { code: 'en' } } })
    for (const number of [gw.second, gw.phoneNumberId, gw.second]) assert.equal((await postTo(gw, number, body)).status, 200)
    assert.deepEqual<unknown>(through(gw), [gw.second, gw.phoneNumberId, gw.second])
    const mark = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.HBgN' }
    for (const number of [gw.second, gw.phoneNumberId]) {
      assert.equal((await postTo(gw, number, mark)).status, 200)
      assert.equal((await upload(gw, `/graph/v23.0/${number}/media`, { messaging_product: 'whatsapp' })).status, 200)
    }
    assert.deepEqual<unknown>(gw.marked.map(({ sender }) => sender.phoneNumberId), [gw.second, gw.phoneNumberId])
    assert.deepEqual<unknown>(gw.uploads.map(({ sender }) => sender.phoneNumberId), [gw.second, gw.phoneNumberId])
    for (const number of ['1', gw.foreign]) assert.deepInclude(errorOf(await postTo(gw, number, body)), { code: 100, error_subcode: 33 })
  })

  it('has the windows of its own number', async () => {
    await using gw = await twoSenders()
    const body = platformBody(CUSTOMER, { type: 'text', text: { body: 'hello' } })
    assert.equal((await postTo(gw, gw.second, body)).status, 200)
    assert.deepInclude(errorOf(await postTo(gw, gw.phoneNumberId, body)), { code: 131047 })
  })

  it('is part of the request that a key guards, unless it is the default sender, which other requests do not name', async () => {
    await using gw = await twoSenders()
    const body = platformBody(CUSTOMER, { type: 'template', template: { name: 'hello', language: { code: 'en' } } })
    const [one, other] = [{ 'Idempotency-Key': 'one' }, { 'Idempotency-Key': 'other' }]
    assert.equal((await postTo(gw, gw.phoneNumberId, body, one)).status, 200)
    assert.equal((await gw.post('/v1/messages/send', ANY_TEMPLATE, one)).headers.get('idempotency-replayed'), 'true')
    assert.deepInclude(errorOf(await postTo(gw, gw.second, body, one)), { code: 100 })
    assert.equal((await postTo(gw, gw.second, body, other)).status, 200)
    const below = await gw.post('/v1/messages/send', { ...ANY_TEMPLATE, sender: gw.second }, other)
    assert.equal(below.headers.get('idempotency-replayed'), 'true')
    assert.lengthOf(gw.sent, 2)
  })

  it('reads the templates and the numbers of its business account', async () => {
    await using gw = await twoSenders()
    const third = await gw.addSender(gw.workspace, { businessAccountId: OTHER_ACCOUNT })
    const data = async (path: string) =>
      ((await gw.get(`/graph/v23.0/${OTHER_ACCOUNT}/${path}`)).json as { data: ReadonlyArray<object> }).data
    assert.deepEqual(await data('message_templates?fields=name'), [{ name: 'bye', id: 'bye' }, { name: 'hello', id: 'hello' }])
    assert.sameDeepMembers<unknown>([...await data('phone_numbers')], [{ id: gw.second }, { id: third }])
  })

  it('opens attachments by phone_number_id, from an address that names it too', async () => {
    await using gw = await twoSenders()
    gw.willGiveMedia(jpeg())
    const { url } = (await gw.get(`/graph/v23.0/${MEDIA_ID}?phone_number_id=${gw.second}`)).json as { url: string }
    assert.equal(url, `${gw.url}/v1/media/${MEDIA_ID}?sender=${gw.second}`)
    gw.willGiveMedia(jpeg())
    assert.equal((await gw.get(url.slice(gw.url.length))).text, 'bytes')
    assert.deepEqual<unknown>(gw.wanted.map(({ sender }) => sender.phoneNumberId), [gw.second, gw.second])
    assert.deepInclude(errorOf(await gw.get(`/graph/v23.0/${MEDIA_ID}?phone_number_id=${gw.foreign}`)), { code: 100, error_subcode: 33 })
  })
})

describe('the sender that an agent names', () => {
  it('is the one of sends, quotes, windows, messages and templates', async () => {
    await using gw = await twoSenders()
    await using agent = await agentWith(gw, await keyFor(gw, ['send', 'read', 'templates']))
    const sender = gw.second
    assert.deepInclude((await agent.use('quote', { ...CONTENT, sender })).json, { status: 'success' })
    assert.deepInclude((await agent.use('send', { ...CONTENT, sender, idempotency_key: 'a' })).json, { status: 'success' })
    assert.deepEqual<unknown>(through(gw), [sender])
    assert.deepInclude((await agent.use('get_window', { to: CUSTOMER, sender })).json, { open: true })
    assert.deepInclude((await agent.use('get_window', { to: CUSTOMER })).json, { open: false })
    assert.deepNestedInclude((await agent.use('list_messages', { sender })).json, { 'messages[0].sender': sender })
    assert.deepInclude((await agent.use('list_messages', { sender: gw.phoneNumberId })).json, { messages: [] })
    assert.deepNestedInclude((await agent.use('list_templates', { sender })).json, { 'templates[0].name': 'bye' })
    for (const tool of ['quote', 'send']) {
      const refused = await agent.use(tool, { ...CONTENT, sender: gw.foreign, idempotency_key: 'b' })
      assert.deepInclude(refused.json, { code: 'invalid_parameter' })
    }
  })
})
