import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { FORGOTTEN_PLATFORM_ID, type MessageId, type PlatformId } from '../../../core/messages/message.js'
import { type Answered, CUSTOMER, gateway, NOON } from './gateway.js'
import { withUses } from './with-uses.js'

const AT = new Date(NOON).toISOString()
const idOf = ({ headers }: Answered): string => headers.get('postern-message') ?? 'no id'
const platformIdOf = ({ json }: Answered): string => (json as { message_id: string }).message_id

describe('reading over HTTP', () => {
  for (const base of ['/v1', '/api/v1']) {
    it(`${base}/messages/{id} gives one message, by msg_… or by URL-encoded wamid.…`, async () => {
      await using gw = await gateway()
      const sent = await gw.sendTemplate({ to: CUSTOMER, template_name: 'order_update', language: 'pt_BR' })
      const byOurs = await gw.get(`${base}/messages/${idOf(sent)}`)
      const byTheirs = await gw.get(`${base}/messages/${encodeURIComponent(platformIdOf(sent))}`)
      assert.equal(byOurs.status, 200)
      assert.equal(byTheirs.text, byOurs.text)
      assert.equal(byOurs.text, JSON.stringify({
        id: idOf(sent), platform_id: platformIdOf(sent), kind: 'template', type: 'template', summary: 'template', sender: gw.phoneNumberId,
        to: CUSTOMER, state: 'accepted', price: '0.062500', currency: 'USD', template_name: 'order_update', language: 'pt_BR',
        metadata: null, error: null, created_at: AT, history: [{ state: 'pending', at: AT }, { state: 'accepted', at: AT }], content: null,
      }))
    })
  }

  it('gives a message of another network by its id there, of whatever form, and a reply of the send with it', async () => {
    const ids = ['SM9f86d081884c7d65', 'abcdefghijklmnopqrstuv', '4711', 'a/b+c==', `${'x'.repeat(254)}1`]
    const left = [...ids, 'SM2']
    await using gw = await gateway({ platform: { send: async () => E.right({ platformId: left.shift() as PlatformId }) } })
    for (const id of ids) {
      const sent = await gw.sendText({ to: CUSTOMER, text: 'hello' })
      assert.deepEqual(sent.json, { status: 'success', message_id: id })
      const found = await gw.get(`/v1/messages/${encodeURIComponent(id)}`)
      assert.equal(found.status, 200, id)
      assert.deepInclude(found.json, { id: idOf(sent), platform_id: id })
    }
    const quoting = await gw.post('/v1/messages/send', {
      to: CUSTOMER, type: 'reaction', reaction: { message_id: 'SM9f86d081884c7d65', emoji: '👍' },
    })
    assert.deepEqual(quoting.json, { status: 'success', message_id: 'SM2' })
    assert.match((await gw.get('/v1/messages/SM0')).text, /This workspace has no message SM0/)
  })

  it('finds no message by the word that stands for the ids of forgotten ones', async () => {
    await using gw = await gateway({ platform: { send: async () => E.right({ platformId: FORGOTTEN_PLATFORM_ID }) } })
    assert.equal((await gw.sendText({ to: CUSTOMER, text: 'hello' })).status, 200)
    assert.equal((await gw.get(`/v1/messages/${FORGOTTEN_PLATFORM_ID}`)).status, 404)
  })

  it('shows the content of a message if it is kept, and nowhere else', async () => {
    await using gw = await gateway({
      deps: withUses('messages', {
        readContents: async (_, ids) => E.right(new Map(ids.map((id) => [id, { type: 'text', text: { body: 'hello' } }]))),
      }),
    })
    const sent = await gw.sendText({ to: CUSTOMER, text: 'hello' })
    assert.deepInclude((await gw.get(`/v1/messages/${idOf(sent)}`)).json, { content: { type: 'text', text: { body: 'hello' } } })
    assert.notInclude((await gw.get('/v1/messages')).text, 'hello')
  })

  it('shows a refused text with its error, and nothing of its content', async () => {
    await using gw = await gateway()
    const error = { code: 131026, message: 'Message undeliverable' }
    gw.willAnswer({ _tag: 'PlatformRejected', error })
    const refused = await gw.sendText({ to: CUSTOMER, text: 'hello' })
    const { json, text } = await gw.get(`/v1/messages/${idOf(refused)}`)
    assert.deepInclude(json, { platform_id: null, kind: 'text', state: 'refused', template_name: null, language: null, error })
    assert.notInclude(text, 'hello')
  })

  it('shows the type of a message, what the application noted, and one line without what it says', async () => {
    await using gw = await gateway()
    const metadata = { order: 'A-17' }
    const sent = await gw.post('/v1/messages/send', { to: CUSTOMER, type: 'image', image: { id: '1', caption: 'Your boots' }, metadata })
    const { json, text } = await gw.get(`/v1/messages/${idOf(sent)}`)
    assert.deepInclude(json, { kind: 'image', type: 'image', summary: 'image with caption', metadata })
    assert.notInclude(text, 'boots')
  })

  it('answers 404 for a message that is not there, belongs to another workspace, or has no sane id', async () => {
    await using gw = await gateway()
    const other = await gw.addWorkspace()
    const sent = await gw.sendText({ to: CUSTOMER, text: 'hello' })
    const Authorization = `Bearer ${other.key}`
    for (const id of [idOf(sent), encodeURIComponent(platformIdOf(sent))]) {
      assert.equal((await gw.get(`/v1/messages/${id}`)).status, 200)
      const { status, json } = await gw.get(`/v1/messages/${id}`, { Authorization })
      assert.equal(status, 404)
      assert.deepInclude(json, { code: 'not_found' })
    }
    for (const id of [
      'msg_', 'wamid.', 'wamid.unknown', 'x', '%ff', '%', '%00', `msg_${'0'.repeat(32)}`, 'msg_1%27%20OR%201', '..%2f..', 'x'.repeat(5000),
    ]) {
      assert.equal((await gw.get(`/v1/messages/${id}`)).status, 404, id)
    }
  })

  it('/messages gives pages, newest first, with next_cursor null at the end', async () => {
    await using gw = await gateway()
    const ids: Array<string> = []
    for (let count = 0; count < 5; count += 1) {
      gw.passes(1)
      ids.unshift(idOf(await gw.sendText({ to: CUSTOMER, text: 'hello' })))
    }
    const seen: Array<ReadonlyArray<string>> = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { status, json } = await gw.get(`/v1/messages?limit=2&cursor=${encodeURIComponent(cursor)}`)
      assert.equal(status, 200)
      const page = json as { messages: ReadonlyArray<{ id: string }>; next_cursor: string | null }
      seen.push(page.messages.map(({ id }) => id))
      cursor = page.next_cursor
    }
    assert.deepEqual(seen.flat(), ids)
    assert.deepEqual(seen.map(({ length }) => length), [2, 2, 1])
  })

  it('/messages gives 20 if no limit is given', async () => {
    await using gw = await gateway()
    await Promise.all(Array.from({ length: 21 }, () => gw.sendText({ to: CUSTOMER, text: 'hello' })))
    const { json } = await gw.get('/v1/messages')
    assert.lengthOf((json as { messages: ReadonlyArray<unknown> }).messages, 20)
    assert.isString((json as { next_cursor: unknown }).next_cursor)
  })

  it('/messages gives those of one customer, of one state, and of this workspace only', async () => {
    await using gw = await gateway()
    const other = await gw.addWorkspace()
    await gw.sendText({ to: CUSTOMER, text: 'hello' }, { Authorization: `Bearer ${other.key}` })
    const first = idOf(await gw.sendTemplate({ to: CUSTOMER, template_name: 't' }))
    gw.willAnswer({ _tag: 'PlatformRejected', error: {} })
    const second = idOf(await gw.sendTemplate({ to: '1234567', template_name: 't' }))
    const idsAt = async (query: string): Promise<ReadonlyArray<string>> =>
      ((await gw.get(`/v1/messages${query}`)).json as { messages: ReadonlyArray<{ id: string }> }).messages.map(({ id }) => id)
    assert.sameMembers([...await idsAt('')], [first, second])
    assert.deepEqual(await idsAt(`?to=${CUSTOMER}`), [first])
    assert.deepEqual(await idsAt('?state=refused'), [second])
    assert.deepEqual(await idsAt(`?state=refused&to=${CUSTOMER}`), [])
  })

  it('lists what the application noted, in either way to write it', async () => {
    await using gw = await gateway()
    for (const order of ['A-17', 'A-18']) await gw.sendText({ to: CUSTOMER, text: order, metadata: { order, 'shop.city': 'Köln' } })
    const ordersAt = async (query: string) =>
      ((await gw.get(`/v1/messages?${query}`)).json as {
        readonly messages: ReadonlyArray<{ readonly metadata: { readonly order: string } }>
      }).messages.map(({ metadata }) => metadata.order)
    const found: ReadonlyArray<readonly [query: string, orders: ReadonlyArray<string>]> = [
      ['metadata.order=A-17', ['A-17']], ['metadata[order]=A-18', ['A-18']], ['metadata.shop.city=K%C3%B6ln', ['A-18', 'A-17']],
      ['metadata.order=A-17&metadata[shop.city]=K%C3%B6ln', ['A-17']], ['metadata.order=A-1', []], ['metadata.order=', []],
    ]
    for (const [query, orders] of found) assert.deepEqual(await ordersAt(query), orders, query)
    for (const query of ['metadata=A-17', 'metadata.order=A&metadata.order=B', `metadata.${'k'.repeat(41)}=1`]) {
      const { status, json } = await gw.get(`/v1/messages?${query}`)
      assert.deepEqual([status, (json as { readonly code: string }).code], [400, 'invalid_parameter'], query)
    }
  })

  it('refuses a limit, state, cursor or to that breaks its rule', async () => {
    await using gw = await gateway()
    const broken: ReadonlyArray<readonly [string, string, RegExp]> = [
      ...['0', '101', '-1', '1.5', '1e1', 'ten', '٥', '007', '1&limit=2'].map((limit) =>
        [`/v1/messages?limit=${limit}`, 'invalid_parameter', /^limit must be a whole number from 1 to 100$/] as const),
      ['/v1/wallet/entries?limit=101', 'invalid_parameter', /^limit must be a whole number from 1 to 100$/],
      ['/v1/messages?state=lost', 'invalid_parameter', /^state must be one of queued, pending, accepted, /],
      ['/v1/messages?state=toString', 'invalid_parameter', /^state must be/],
      ['/v1/messages?cursor=%00', 'invalid_parameter', /^cursor must be/],
      ['/v1/messages?cursor=%ff', 'invalid_parameter', /^cursor must be/],
      ['/v1/messages?to=5511-abc', 'invalid_phone_number', /^to must be/],
      ['/v1/messages?to=1234567&to=1234568', 'invalid_parameter', /^to must be a string/],
      ['/v1/windows/abc', 'invalid_phone_number', /^to must be/],
      ['/v1/windows/%2B55%2B11987654321', 'invalid_phone_number', /^to must be/],
    ]
    for (const [path, code, sentence] of broken) {
      const { status, json } = await gw.get(path)
      assert.equal(status, 400, path)
      assert.deepInclude(json, { code }, path)
      assert.match((json as { message: string }).message, sentence, path)
    }
    assert.equal((await gw.get('/v1/messages?limit=100&cursor=')).status, 200)
  })

  it('refuses a filter that is empty or unknown, and names those that there are', async () => {
    await using gw = await gateway()
    const all = 'to, state, sender, metadata.<key>, limit, cursor'
    const broken: ReadonlyArray<readonly [string, string]> = [
      ...['to', 'state', 'sender', 'metadata'].map((name) => [`/v1/messages?${name}=`, `${name} must not be empty; leave it out to list all. This list takes ${all}`] as const),
      ...['status=failed', 'recipient=5511987654321', 'other=', '__proto__=x', 'toString=1'].map((query) =>
        [`/v1/messages?${query}`, `${query.split('=')[0] ?? ''} is not a known parameter; this list takes ${all}`] as const),
      ['/v1/messages?%3Cb%3E=1', `One of them is not a known parameter; this list takes ${all}`],
      ['/v1/wallet/entries?kind=hold', 'kind is not a known parameter; this list takes sender, limit, cursor'],
    ]
    for (const [path, message] of broken) {
      const { status, json } = await gw.get(path)
      assert.equal(status, 400, path)
      assert.deepInclude(json, { code: 'invalid_parameter', message }, path)
    }
  })

  it('takes an empty value of metadata for itself', async () => {
    await using gw = await gateway()
    const send = async (metadata: Readonly<Record<string, string>>) =>
      assert.equal((await gw.post('/v1/messages/send-text', { to: CUSTOMER, text: 'Hello', metadata })).status, 200)
    await send({ order: '' })
    await send({ order: 'A-17' })
    await send({ shop: '' })
    for (const query of ['metadata.order=', 'metadata[order]=']) {
      const { messages } = (await gw.get(`/v1/messages?${query}`)).json as {
        readonly messages: ReadonlyArray<{ readonly metadata: unknown }>
      }
      assert.deepEqual(messages.map(({ metadata }) => metadata), [{ order: '' }], query)
    }
  })

  it('refuses an invalid cursor, and the cursor of another list', async () => {
    await using gw = await gateway()
    await gw.sendText({ to: CUSTOMER, text: 'hello' })
    await gw.sendText({ to: CUSTOMER, text: 'hello' })
    const nextOf = async (path: string) => ((await gw.get(`${path}?limit=1`)).json as { next_cursor: string }).next_cursor
    const cursors = { '/v1/messages': await nextOf('/v1/messages'), '/v1/wallet/entries': await nextOf('/v1/wallet/entries') }
    for (const [path, own] of Object.entries(cursors)) {
      const others = Object.values(cursors).filter((cursor) => cursor !== own)
      for (const cursor of ['x', '999999999999999999999', 'eyJhIjoxfQ', `msg_${'f'.repeat(32)}`, '__proto__', `x${own}`, ...others]) {
        const { status, json } = await gw.get(`${path}?cursor=${encodeURIComponent(cursor)}`)
        assert.equal(status, 400, cursor)
        assert.deepInclude(json, { code: 'invalid_parameter', message: 'cursor must be a next_cursor of this list' })
      }
      assert.equal((await gw.get(`${path}?cursor=${encodeURIComponent(own)}`)).status, 200)
      const list = own.split('.')[0] ?? ''
      for (const forged of ['forged', 'msg_', `msg_${'F'.repeat(32)}`, `evt_${'f'.repeat(32)}`, `${'f'.repeat(32)}0`]) {
        const { status, json } = await gw.get(`${path}?cursor=${list}.${forged}`)
        assert.deepEqual([status, (json as { readonly message: string }).message.slice(0, 14)], [400, 'cursor must be'], forged)
      }
      assert.equal((await gw.get(`${path}?cursor=${own.replace(/[0-9a-f]{32}$/, '0'.repeat(32))}`)).status, 200, 'the place of an item that is not there')
    }
  })

  it('takes a number as people write it, even if a raw + has become a space', async () => {
    await using gw = await gateway()
    const id = idOf(await gw.sendText({ to: CUSTOMER, text: 'hello' }))
    for (const written of ['%2B55%2011%2098765-4321', '+55+11+98765-4321', '+5511987654321', '(55).11-98765-4321', CUSTOMER]) {
      const { json } = await gw.get(`/v1/messages?to=${written}`)
      assert.deepEqual((json as { messages: ReadonlyArray<{ id: string }> }).messages.map((one) => one.id), [id], written)
    }
    for (const written of ['+55%2011%2098765-4321', '%2B5511987654321', '55-11-98765-4321']) {
      assert.deepInclude((await gw.get(`/v1/windows/${written}`)).json, { open: true }, written)
    }
  })

  it('lists a history in the order of its states, though the platform reports whole seconds', async () => {
    await using gw = await gateway()
    gw.passes(412)
    const id = idOf(await gw.sendText({ to: CUSTOMER, text: 'hello' }))
    for (const [state, at] of [['delivered', 2_000], ['sent', 0]] as const) {
      await gw.storage.messageLog.apply(gw.workspace, id as MessageId, { state, at: NOON + at })
    }
    const { history } = (await gw.get(`/v1/messages/${id}`)).json as { history: ReadonlyArray<{ state: string; at: string }> }
    assert.deepEqual(history.map(({ state }) => state), ['pending', 'accepted', 'sent', 'delivered'])
  })

  it('/wallet gives the currency, what is available, what is held, and what scheduled messages will cost', async () => {
    await using gw = await gateway({ balance: '12.34' })
    gw.willAnswer({ _tag: 'OutcomeUnknown', cause: 'timeout' })
    const scheduled = '{"next_24_h":"0.000000","all":"0.000000"}'
    const wallet = `{"currency":"USD","available":"12.340000","held":"0.000000","scheduled":${scheduled}}`
    assert.equal((await gw.get('/v1/wallet')).text, wallet)
    await gw.sendText({ to: CUSTOMER, text: 'hello' })
    assert.equal((await gw.get('/api/v1/wallet')).text, wallet.replace('12.340000', '12.332300').replace('0.000000', '0.007700'))
  })

  it('/wallet/entries gives every movement, newest first, in pages', async () => {
    await using gw = await gateway({ balance: '1' })
    gw.passes(1)
    const sent = idOf(await gw.sendText({ to: CUSTOMER, text: 'hello' }))
    const { json } = await gw.get('/v1/wallet/entries')
    const page = json as { entries: ReadonlyArray<Record<string, unknown>>; next_cursor: unknown }
    assert.deepEqual(page.entries.map(({ kind, amount, message_id, sender }) => ({ kind, amount, message_id, sender })), [
      { kind: 'capture', amount: '0.007700', message_id: sent, sender: gw.phoneNumberId },
      { kind: 'hold', amount: '0.007700', message_id: sent, sender: gw.phoneNumberId },
      { kind: 'top_up', amount: '1.000000', message_id: null, sender: null },
    ])
    assert.isNull(page.next_cursor)
    assert.hasAllKeys(page.entries[2], ['id', 'kind', 'amount', 'message_id', 'sender', 'reference', 'error', 'created_at'])
    assert.isString(page.entries[2]?.['reference'])
    assert.equal(page.entries[2]?.['created_at'], AT)
    const first = (await gw.get('/v1/wallet/entries?limit=1')).json as { entries: ReadonlyArray<unknown>; next_cursor: string }
    assert.deepEqual(first.entries, page.entries.slice(0, 1))
    const rest = (await gw.get(`/v1/wallet/entries?cursor=${encodeURIComponent(first.next_cursor)}`)).json
    assert.deepEqual(rest, { entries: page.entries.slice(1), next_cursor: null })
  })

  it('/wallet/entries says why money came back, in the words of the message', async () => {
    await using gw = await gateway({ balance: '1' })
    gw.willAnswer({ _tag: 'PlatformRejected', error: { code: 131026, message: 'Message undeliverable' } })
    gw.passes(1)
    await gw.sendText({ to: CUSTOMER, text: 'hello' })
    gw.willAnswer({ _tag: 'PlatformUnreachable', cause: 'refused' })
    gw.passes(1)
    await gw.sendText({ to: CUSTOMER, text: 'hello' })
    const { entries } = (await gw.get('/v1/wallet/entries')).json as { entries: ReadonlyArray<Record<string, unknown>> }
    assert.deepEqual(entries.map(({ kind, error }) => [kind, error]), [
      ['release', { code: 'platform_unreachable', message: 'The platform could not be reached' }], ['hold', null],
      ['release', { code: 131026, message: 'Message undeliverable' }], ['hold', null], ['top_up', null],
    ])
    for (const { message_id: id, error, kind } of entries) {
      if (kind === 'release') {
        assert.deepEqual(((await gw.get(`/v1/messages/${String(id)}`)).json as Record<string, unknown>)['error'], error)
      }
    }
  })

  it('/windows/{to} says whether the window is open, since when and until when', async () => {
    await using gw = await gateway({ lastInbound: NOON })
    const open = { last_inbound_at: '2026-03-01T12:00:00.000Z', closes_at: '2026-03-02T12:00:00.000Z' }
    const windows = (window: object) => ({ ...window, senders: [{ phone_number_id: gw.phoneNumberId, ...window }] })
    assert.equal((await gw.get(`/v1/windows/${CUSTOMER}`)).text, JSON.stringify(windows({ open: true, ...open })))
    gw.passes(24 * 3_600_000)
    assert.deepEqual((await gw.get(`/v1/windows/${CUSTOMER}`)).json, windows({ open: false, ...open }))
    const never = { open: false, last_inbound_at: null, closes_at: null }
    assert.deepEqual((await gw.get('/api/v1/windows/1234567')).json, windows(never))
  })

  it('answers HEAD as GET, without a body', async () => {
    await using gw = await gateway()
    const { status, text, headers } = await gw.request('/v1/wallet', { method: 'HEAD' })
    assert.equal(status, 200)
    assert.equal(text, '')
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  })
})
