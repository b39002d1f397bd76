import { assert } from 'chai'
import { type Client, createClient, type Event, type OperationName } from '../../../adapters/client/index.js'
import { body, templateOf } from '../../core/template-samples.js'
import { CUSTOMER, gateway, type Gateway, TEMPLATE_PRICE, TEXT_PRICE } from '../koa/gateway.js'
import { CALLS } from './operations.js'

const TEMPLATE = templateOf([body('Hello {{1}}')])
const WAMID = 'wamid.HBgM/3+A=='

const clientOf = ({ url, key }: Gateway): Client => createClient({ baseUrl: url, apiKey: key })

/** The value of an answer, which has to be a success. */
const valueOf = <Value>(answer: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly message: string }): Value =>
  (answer.ok ? answer.value : assert.fail(answer.message))

/** The values of a list. */
const all = async <Value>(
  list: AsyncIterable<{ readonly ok: true; readonly value: Value } | { readonly ok: false; readonly message: string }>,
): Promise<ReadonlyArray<Value>> => {
  const values: Value[] = []
  for await (const one of list) values.push(valueOf(one))
  return values
}

describe('The client with a gateway', () => {
  it('sends a text, a template, a location and a file, and finds each', async () => {
    await using gw = await gateway({ templates: [TEMPLATE] })
    const client = clientOf(gw)
    const file = new File(['%PDF-1.7\n'], 'März.pdf', { type: 'application/pdf' })
    const sent = [
      await client.sendText({ to: CUSTOMER, text: 'Hello', metadata: { order: 'A-17' } }),
      await client.sendTemplate({
        to: `+${CUSTOMER}`,
        template_name: TEMPLATE.name,
        language: TEMPLATE.language,
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }],
      }),
      await client.send({ to: CUSTOMER, type: 'location', location: { latitude: 48.1, longitude: 11.5 }, context: { message_id: WAMID } }),
      await client.sendFile({
        to: CUSTOMER, type: 'document', caption: 'Yours', context: { message_id: WAMID }, metadata: { order: 'A-17' }, file,
      }),
    ]
    assert.lengthOf(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)), sent.length)
    for (const answer of sent) {
      assert.deepInclude(answer, { ok: true, status: 200, attempts: 1, unanswered: 0, isReplayed: false })
      const found = valueOf(await client.messages.get(valueOf(answer).message_id))
      assert.deepEqual([found.id, found.state], [answer.messageId, 'accepted'])
      assert.deepEqual(valueOf(await client.messages.get(found.id)), found)
    }
    assert.deepEqual(gw.uploads.map(({ name, type }) => [name, type]), [['März.pdf', 'application/pdf']])
    assert.deepEqual((await all(client.messages.list({ metadata: { order: 'A-17' } }))).map(({ type }) => type), ['document', 'text'])
    assert.deepInclude(gw.messages().at(-1), { context: { message_id: WAMID }, metadata: { order: 'A-17' } })
  })

  it('gives a refusal with all that it says, and nothing is sent', async () => {
    await using gw = await gateway({ balance: '0.005', lastInbound: undefined })
    const client = clientOf(gw)
    const closed = await client.sendText({ to: CUSTOMER, text: 'Hello' })
    assert.deepInclude(closed, { ok: false, status: 400, code: 'window_closed', attempts: 1 })
    const short = await client.sendTemplate({ to: CUSTOMER, template_name: 'hello_world' })
    assert.deepInclude(short, {
      ok: false, status: 402, code: 'insufficient_balance', required: TEMPLATE_PRICE, available: '0.005000', currency: 'USD',
    })
    assert.match(short.messageId ?? '', /^msg_/)
    const broken = await client.send({ to: CUSTOMER, type: 'location', location: {} })
    assert.deepEqual(
      broken.ok || broken.code !== 'content_invalid' ? [] : broken.errors.map(({ path }) => path),
      ['location.latitude', 'location.longitude'],
    )
    assert.isEmpty(gw.sent)
  })

  it('takes one price for one key, however often and from however many callers', async () => {
    await using gw = await gateway()
    const client = clientOf(gw)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => client.sendText({ to: CUSTOMER, text: 'Hello' }, { idempotencyKey: 'order 17/a' })),
    )
    assert.lengthOf(new Set(answers.map((answer) => valueOf(answer).message_id)), 1)
    assert.lengthOf(gw.sent, 1)
    assert.deepInclude(await client.sendText({ to: CUSTOMER, text: 'Bye' }, { idempotencyKey: 'order 17/a' }), {
      ok: false, status: 422, code: 'idempotency_key_reused',
    })
  })

  it('quotes, and reads the wallet, its entries, the window, the customer, the templates and the key', async () => {
    await using gw = await gateway({ templates: [TEMPLATE] })
    const client = clientOf(gw)
    assert.equal(valueOf(await client.quotes.sendText({ to: CUSTOMER, text: 'Hello' })).quote.price, TEXT_PRICE)
    assert.equal(valueOf(await client.quotes.send({ to: CUSTOMER, type: 'text', text: { body: 'Hello' } })).quote.price, TEXT_PRICE)
    assert.deepInclude(await client.quotes.sendTemplate({ to: CUSTOMER, template_name: 'none' }), { ok: false, code: 'template_not_found' })
    valueOf(await client.sendText({ to: CUSTOMER, text: 'Hello' }))
    assert.deepEqual(valueOf(await client.wallet()), {
      currency: 'USD', available: '9.992300', held: '0.000000', scheduled: { next_24_h: '0.000000', all: '0.000000' },
    })
    assert.deepEqual((await all(client.walletEntries())).map(({ kind }) => kind), ['capture', 'hold', 'top_up'])
    assert.isTrue(valueOf(await client.window(`+${CUSTOMER}`)).open)
    assert.equal(valueOf(await client.customer(CUSTOMER)).phone_number, CUSTOMER)
    assert.deepInclude(await client.customer('4915112345678'), { ok: false, status: 404, code: 'not_found' })
    assert.deepEqual((await all(client.templates())).map(({ name }) => name), [TEMPLATE.name])
    assert.include(valueOf(await client.key()).scopes, 'send')
  })

  it('names the sender of sends, quotes, reads, marks and files', async () => {
    await using gw = await gateway({ lastInbound: undefined, templates: [TEMPLATE] })
    const sender = await gw.addSender(gw.workspace, { inbound: { phoneNumber: CUSTOMER, at: gw.now() } })
    const client = clientOf(gw)
    const file = new Blob(['%PDF-1.7\n'], { type: 'application/pdf' })
    assert.equal(valueOf(await client.quotes.sendText({ to: CUSTOMER, text: 'Hello', sender })).quote.price, TEXT_PRICE)
    const { messageId } = await client.sendText({ to: CUSTOMER, text: 'Hello', sender })
    valueOf(await client.sendFile({ to: CUSTOMER, type: 'document', sender, file }))
    valueOf(await client.markRead(WAMID, { sender }))
    assert.deepEqual<unknown>([...gw.sent, ...gw.uploads, ...gw.marked].map((call) => call.sender.phoneNumberId), Array(4).fill(sender))
    assert.deepEqual((await all(client.messages.list({ sender }))).map((one) => one.sender), [sender, sender])
    assert.equal((await all(client.messages.list({ sender }))).at(-1)?.id, messageId)
    assert.deepEqual(await all(client.messages.list({ sender: gw.phoneNumberId })), [])
    assert.lengthOf(await all(client.walletEntries({ sender })), 4)
    const windows = valueOf(await client.window(CUSTOMER))
    assert.deepEqual<unknown>([windows.open, windows.senders.map((one) => one.phone_number_id)], [false, [gw.phoneNumberId, sender]])
    assert.isTrue(valueOf(await client.window(CUSTOMER, { sender, attempts: 1 })).open)
    assert.deepEqual(await all(client.templates({ sender })), [])
    assert.deepInclude(await client.media('1003383421387256', { sender: '1' }), { ok: false, code: 'invalid_parameter' })
  })

  it('marks as read, uploads a file, and downloads an attachment', async () => {
    await using gw = await gateway()
    const client = clientOf(gw)
    assert.deepEqual(valueOf(await client.markRead(WAMID, { typing: true })), { status: 'success' })
    assert.deepEqual(gw.marked.map(({ message, typing }) => [message, typing]), [[WAMID, true]])
    const upload = () => client.uploadMedia({ file: new Blob(['%PDF-1.7\n'], { type: 'application/pdf' }) })
    const [first, again] = [await upload(), await upload()]
    assert.deepEqual([first.ok && first.status, again.ok && again.status], [201, 200])
    assert.deepEqual(valueOf(again), valueOf(first))
    async function* bytes() {
      yield Buffer.from('some ')
      yield Buffer.from('bytes')
    }
    gw.willGiveMedia({ type: 'image/png', length: 10, part: undefined, bytes: bytes(), close: () => undefined })
    const attachment = valueOf(await client.media('1003383421387256'))
    assert.deepEqual([attachment.type, await attachment.text()], ['image/png', 'some bytes'])
    gw.willGiveMedia({ _tag: 'MediaGone' })
    assert.deepInclude(await client.media('1'), { ok: false, status: 404, code: 'not_found' })
  })

  it('has endpoints, and their deliveries', async () => {
    await using gw = await gateway()
    const { endpoints } = clientOf(gw)
    const { id, secret } = valueOf(await endpoints.add({ url: 'https://shop.example/postern', types: ['message.*'] }))
    assert.deepEqual(valueOf(await endpoints.list()).endpoints.map((one) => one.id), [id])
    assert.notEqual(valueOf(await endpoints.rotateSecret(id)).secret, secret)
    assert.equal(valueOf(await endpoints.test(id)).status, 'delivered')
    assert.deepEqual((await all(endpoints.deliveries(id))).map(({ type }) => type), ['endpoint.test'])
    assert.deepEqual(valueOf(await endpoints.redeliver(id, '2026-03-01T00:00:00Z')), { status: 'success', events: 0 })
    assert.equal(valueOf(await endpoints.change(id, { status: 'disabled' })).status, 'disabled')
    assert.deepInclude(await endpoints.redeliver(id, '2026-03-01T00:00:00Z'), { ok: false, status: 409, code: 'endpoint_disabled' })
    assert.equal(valueOf(await endpoints.get(id)).status, 'disabled')
    assert.deepInclude(await endpoints.remove(id), { ok: true, status: 204, value: undefined })
    assert.deepInclude(await endpoints.get(id), { ok: false, status: 404, code: 'not_found' })
  })

  it('gives every item of a list, page by page, and the failure that ends it', async () => {
    await using gw = await gateway()
    const client = clientOf(gw)
    for (let sent = 0; sent < 5; sent += 1) valueOf(await client.sendText({ to: CUSTOMER, text: `${sent}` }))
    const list = client.messages.list({ to: CUSTOMER, limit: 2 })
    const whole = await all(list)
    assert.lengthOf(new Set(whole.map(({ id }) => id)), 5)
    assert.deepEqual(await all(list), whole)
    const { messages, next_cursor: cursor } = valueOf(await list.page())
    assert.deepEqual(messages.map(({ id }) => id), whole.slice(0, 2).map(({ id }) => id))
    assert.deepEqual((await all(client.messages.list({ cursor: cursor ?? '' }))).map(({ id }) => id), whole.slice(2).map(({ id }) => id))
    const failed: unknown[] = []
    for await (const one of client.messages.list({ limit: 1_000 })) failed.push(one.ok || one.code)
    assert.deepEqual(failed, ['invalid_parameter'])
  })

  it('gives the events after one, typed by what happened', async () => {
    await using gw = await gateway()
    const client = clientOf(gw)
    assert.deepEqual(await all(client.events()), [])
    for (let sent = 0; sent < 3; sent += 1) valueOf(await client.sendText({ to: CUSTOMER, text: `${sent}` }))
    await gw.topUp('5')
    const events: ReadonlyArray<Event> = await all(client.events({ limit: 1 }))
    assert.deepEqual(
      events.map((event) => (event.type === 'message.accepted' ? event.data.state : event.type)), ['accepted', 'accepted', 'accepted'],
    )
    const [first, ...later] = events
    assert.deepEqual(await all(client.events({ after: first?.id ?? '' })), later)
    assert.deepEqual(await all(client.events({ types: ['wallet.*', 'key.minted'], limit: 1 })), [])
    const { next } = valueOf(await client.events({ types: ['wallet.*'] }).page())
    assert.equal(next, events.at(-1)?.id)
  })

  it('says not_found if a gateway does not serve an operation', async () => {
    await using gw = await gateway({ events: false, answering: false })
    const client = clientOf(gw)
    for (const name of [
      'GET /event-endpoints', 'GET /events', 'POST /event-endpoints', 'POST /messages/{wamid}/read',
    ] satisfies ReadonlyArray<OperationName>) {
      assert.deepInclude<object>(await CALLS[name](client), { ok: false, status: 404, code: 'not_found' })
    }
  })

  it('refuses an invalid key, and never prints the key', async () => {
    await using gw = await gateway()
    const answer = await createClient({ baseUrl: gw.url, apiKey: 'pst_no_key' }).wallet()
    assert.deepInclude(answer, { ok: false, status: 401, code: 'unauthenticated' })
    assert.notInclude(JSON.stringify(answer), 'pst_no_key')
  })

  it('keeps the digits of whole numbers that are not safe, as strings', async () => {
    const client = createClient({ baseUrl: 'http://gateway.test', apiKey: 'pst_x', fetch: async () => new Response('{"id":"msg_1","content":{"catalog_id":123456789012345678,"count":7}}') })
    const found = await client.messages.get('msg_1')
    assert.deepNestedInclude(found, { 'ok': true, 'value.content': { catalog_id: '123456789012345678', count: 7 } })
  })

  it('uses the fetch that it is given', async () => {
    await using gw = await gateway()
    const asked: string[] = []
    const client = createClient({
      baseUrl: `${gw.url}/api`, apiKey: gw.key,
      fetch: (url, init) => {
        asked.push(`${init.method ?? ''} ${url}`)
        return fetch(url, init)
      },
    })
    valueOf(await client.wallet())
    assert.deepEqual(asked, [`GET ${gw.url}/api/v1/wallet`])
  })
})
