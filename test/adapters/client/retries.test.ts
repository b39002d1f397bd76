import { assert } from 'chai'
import { createClient } from '../../../adapters/client/index.js'
import { until } from '../../support/eventually.js'
import { freePort } from '../../support/free-port.js'
import { body, templateOf } from '../../core/template-samples.js'
import { CUSTOMER, gateway, type Gateway, TEXT_PRICE } from '../koa/gateway.js'
import { type Act, relayTo } from './relay.js'

const TEXT = { to: CUSTOMER, text: 'Hello' }
const SPENT_ONCE = { available: '9.992300', held: '0.000000' }

/** A gateway, a relay before it, and a client that knows the relay alone. */
const relayed = async (gw: Gateway, ...acts: ReadonlyArray<Act>) => {
  const relay = await relayTo(gw.url, ...acts)
  return { relay, client: createClient({ baseUrl: relay.url, apiKey: gw.key }), [Symbol.asyncDispose]: relay[Symbol.asyncDispose] }
}

describe('A client whose connection breaks', () => {
  for (const act of ['lose', 'halve'] as const) {
    it(`asks again under the same key, so that a message whose reply was lost (${act}) is sent and paid once`, async () => {
      await using gw = await gateway()
      await using world = await relayed(gw, act, act)
      const answer = await world.client.sendText(TEXT)
      assert.deepInclude(answer, { ok: true, status: 200, attempts: 3, unanswered: 2, isReplayed: true })
      assert.deepEqual(new Set(world.relay.keys()), new Set([answer.idempotencyKey]))
      assert.lengthOf(gw.sent, 1)
      assert.deepEqual(await gw.books(), SPENT_ONCE)
    })
  }

  it('makes and confirms a batch once if the reply was lost, and gets it as it is', async () => {
    await using gw = await gateway({ templates: [templateOf([body('Hi')])] })
    await using world = await relayed(gw, 'lose', 'halve')
    const given = { template_name: 'order_update', recipients: [{ to: CUSTOMER }], confirm: true }
    const answer = await world.client.batches.create(given)
    assert.deepInclude(answer, { ok: true, status: 201, attempts: 3, unanswered: 2, isReplayed: true })
    const { idempotencyKey } = answer
    assert.deepEqual(new Set(world.relay.keys()), new Set([idempotencyKey]))
    const again = await world.client.batches.create(given, { idempotencyKey })
    assert.deepEqual([again.ok && again.value, again.isReplayed], [answer.ok && answer.value, true])
    assert.deepEqual(await gw.books(), { available: '9.992300', held: '0.007700' })
    assert.isFalse((await world.client.batches.create(given)).isReplayed)
  })

  it('sends what never arrived', async () => {
    await using gw = await gateway()
    await using world = await relayed(gw, 'cut')
    assert.deepInclude(await world.client.sendText(TEXT), { ok: true, attempts: 2, unanswered: 1, isReplayed: false })
    assert.lengthOf(gw.sent, 1)
  })

  it('sends a file again as it was, and it is sent once', async () => {
    await using gw = await gateway()
    await using world = await relayed(gw, 'lose')
    const file = new File(['%PDF-1.7\n'], 'invoice.pdf', { type: 'application/pdf' })
    const answer = await world.client.sendFile({ to: CUSTOMER, type: 'document', caption: 'Yours', metadata: { order: 'A-17' }, file })
    assert.deepInclude(answer, { ok: true, attempts: 2, isReplayed: true })
    assert.lengthOf(gw.sent, 1)
  })

  it('says no_answer once its attempts are used up, and the same key then finds out', async () => {
    await using gw = await gateway()
    await using world = await relayed(gw, 'lose', 'cut')
    const lost = await world.client.sendText(TEXT, { attempts: 2, idempotencyKey: 'order 17/a' })
    assert.deepInclude(lost, { ok: false, code: 'no_answer', attempts: 2, unanswered: 2, idempotencyKey: 'order 17/a' })
    const { idempotencyKey } = lost
    assert.deepInclude(await world.client.sendText(TEXT, { idempotencyKey }), { ok: true, isReplayed: true })
    assert.lengthOf(gw.sent, 1)
  })

  it('waits no longer than one attempt and the whole call may take', async () => {
    await using gw = await gateway()
    await using world = await relayed(gw, 'hang', 'pass', 'hang')
    assert.deepInclude(await world.client.wallet({ attemptMs: 100 }), { ok: true, attempts: 2, unanswered: 1 })
    const late = await world.client.sendText(TEXT, { deadlineMs: 100 })
    assert.deepInclude(late, { ok: false, code: 'no_answer', attempts: 1, unanswered: 1 })
    assert.match(late.ok ? '' : late.message, /there was no answer within \d+ ms/)
    assert.isEmpty(gw.sent)
  })

  it('is aborted while it asks, while it waits, and before', async () => {
    await using gw = await gateway()
    await using world = await relayed(gw, 'hang', { status: 503, headers: { 'Retry-After': '30' } })
    const asking = new AbortController()
    const asked = world.client.sendText(TEXT, { signal: asking.signal })
    await until(() => world.relay.received.length === 1)
    asking.abort()
    assert.deepInclude(await asked, { ok: false, code: 'aborted', attempts: 1, unanswered: 1 })
    const waiting = new AbortController()
    const waited = world.client.wallet({ signal: waiting.signal })
    await until(() => world.relay.received.length === 2)
    // The client has read the answer by then, and waits.
    await new Promise((resolve) => { setTimeout(resolve, 50) })
    waiting.abort()
    assert.deepInclude(await waited, { ok: false, code: 'aborted', attempts: 1 })
    assert.deepInclude(await world.client.wallet({ signal: AbortSignal.abort() }), {
      ok: false, code: 'aborted', attempts: 0, unanswered: 0,
    })
    assert.lengthOf(world.relay.received, 2)
  })

  it('reports that nothing listens, for every request', async () => {
    const client = createClient({ baseUrl: `http://127.0.0.1:${await freePort()}`, apiKey: 'pst_1', attempts: 1 })
    for (const answer of [
      await client.wallet(), await client.sendText(TEXT), await client.messages.list().page(), await client.media('1'),
    ]) {
      assert.deepInclude(answer, { ok: false, code: 'no_answer', attempts: 1, unanswered: 1, requestId: undefined })
      assert.match(answer.ok ? '' : answer.message, /ECONNREFUSED/)
    }
  })

  it('repeats nothing that would be done twice', async () => {
    await using gw = await gateway()
    await using world = await relayed(gw, 'lose', 'cut', 'cut', 'cut', 'cut', 'cut')
    const { endpoints, redeliverEvent } = world.client
    const id = `ep_${'0'.repeat(32)}`
    const calls = [
      () => endpoints.add({ url: 'https://shop.example/postern' }), () => endpoints.remove(id), () => endpoints.rotateSecret(id),
      () => endpoints.test(id), () => endpoints.redeliver(id, '2026-03-01T12:00:00Z'), () => redeliverEvent(`evt_${'0'.repeat(32)}`, id),
    ]
    for (const call of calls) assert.deepInclude(await call(), { ok: false, code: 'no_answer', attempts: 1 })
    assert.lengthOf(world.relay.received, calls.length)
    const listed = await endpoints.list()
    assert.lengthOf(listed.ok ? listed.value.endpoints : [], 1)
  })
})

describe('A client that has to wait', () => {
  it('returns a 504 and never sends it again', async () => {
    await using gw = await gateway()
    gw.willAnswer({ _tag: 'OutcomeUnknown', cause: 'lost' })
    await using world = await relayed(gw)
    const answer = await world.client.sendText(TEXT)
    assert.deepInclude(answer, { ok: false, status: 504, code: 'outcome_unknown', attempts: 1, unanswered: 0 })
    assert.match(answer.messageId ?? '', /^msg_/)
    assert.deepEqual([world.relay.received.length, gw.sent.length], [1, 1])
    assert.deepEqual(await gw.books(), { available: '9.992300', held: TEXT_PRICE })
  })

  it("returns a proxy's 504, too, and reports that it is not part of the contract", async () => {
    await using gw = await gateway()
    await using world = await relayed(gw, {
      status: 504, headers: { 'Content-Type': 'text/html', 'Retry-After': '0' }, body: '<h1>Gateway Time-out</h1>',
    })
    assert.deepInclude(await world.client.sendText(TEXT), {
      ok: false, status: 504, code: 'unexpected_reply', reply: '<h1>Gateway Time-out</h1>', attempts: 1, unanswered: 1,
    })
    assert.lengthOf(world.relay.received, 1)
  })

  it('asks again after Retry-After under the same key, and only if that is before its deadline', async () => {
    await using gw = await gateway()
    const busy = { status: 503, headers: { 'Retry-After': '1' }, body: '{"status":"error","code":"storage_unavailable","message":"Temporarily unavailable"}' }
    await using world = await relayed(gw, busy, 'pass', busy, busy)
    const sent = await world.client.sendText(TEXT)
    assert.deepInclude(sent, { ok: true, attempts: 2, unanswered: 0 })
    assert.deepEqual(world.relay.keys(), [sent.idempotencyKey, sent.idempotencyKey])
    assert.deepInclude(await world.client.sendText(TEXT, { deadlineMs: 900 }), {
      ok: false, status: 503, code: 'storage_unavailable', attempts: 1,
    })
    assert.deepInclude(await world.client.wallet({ deadlineMs: 900 }), { ok: false, code: 'storage_unavailable', attempts: 1 })
    assert.lengthOf(gw.sent, 1)
  })

  it('asks again if the platform throttles, and if a proxy answers 429 with a date or without any time', async () => {
    await using gw = await gateway()
    gw.willAnswer({ _tag: 'PlatformThrottled', error: { code: 130429 }, retryAfterSeconds: 1 })
    await using world = await relayed(
      gw, { status: 429, headers: { 'Retry-After': 'Thu, 01 Jan 2026 00:00:00 GMT' } }, { status: 429, body: 'slow down' },
    )
    assert.deepInclude(await world.client.sendText(TEXT), { ok: true, attempts: 4, unanswered: 2, isReplayed: false })
    assert.lengthOf(gw.sent, 2)
    assert.deepEqual(await gw.books(), SPENT_ONCE)
  })

  it('returns the last answer once its attempts are used up', async () => {
    await using gw = await gateway()
    const busy = { status: 503, headers: { 'Retry-After': '0' }, body: '{"status":"error","code":"overloaded","message":"Too much"}' }
    await using world = await relayed(gw, busy, busy, busy, busy)
    assert.deepInclude(await world.client.sendText(TEXT), { ok: false, code: 'overloaded', message: 'Too much', attempts: 4 })
    assert.isEmpty(gw.sent)
  })

  it('does not wait for a sender that the operator has to set', async () => {
    await using gw = await gateway({ sender: false })
    const client = createClient({ baseUrl: gw.url, apiKey: gw.key })
    assert.deepInclude(await client.sendText(TEXT), { ok: false, code: 'sender_not_configured', attempts: 1 })
  })

  it('waits for the request that has its key, however many attempts that takes, and gets its answer', async () => {
    await using gw = await gateway()
    const release = gw.hold()
    const client = createClient({ baseUrl: gw.url, apiKey: gw.key, attempts: 1 })
    const first = client.sendText(TEXT, { idempotencyKey: 'order 17/a' })
    await until(() => gw.sent.length === 1)
    const second = client.sendText(TEXT, { idempotencyKey: 'order 17/a' })
    await until(() => gw.requests.some(({ status }) => status === 409))
    release()
    const [one, other] = [await first, await second]
    assert.deepInclude(one, { ok: true, attempts: 1, isReplayed: false })
    assert.deepInclude(other, { ok: true, isReplayed: true, messageId: one.messageId })
    assert.isAbove(other.attempts, 1)
    assert.lengthOf(gw.sent, 1)
  })

  it('does not follow a redirect, which would take a send elsewhere', async () => {
    await using gw = await gateway()
    await using world = await relayed(gw, { status: 301, headers: { Location: '/v1/wallet' } })
    assert.deepInclude(await world.client.sendText(TEXT), { ok: false, status: 301, code: 'unexpected_reply', attempts: 1 })
    assert.lengthOf(world.relay.received, 1)
  })
})
