import { assert } from 'chai'
import { HOUR_MS } from '../../../../core/kernel/time.js'
import type { MessageId, PlatformId } from '../../../../core/messages/message.js'
import { until } from '../../../support/eventually.js'
import { rightOf } from '../../../support/right-of.js'
import { CUSTOMER, gateway, NOON } from '../gateway.js'

const TEXT = { to: CUSTOMER, text: 'hello' }
const TEMPLATE = { to: CUSTOMER, template_name: 'order_update', components: [{ type: 'body', b: 1, a: 2 }] }
const KEY = { 'Idempotency-Key': 'order 17/a' }

describe('Idempotency-Key over HTTP', () => {
  it('gives the first answer again, byte for byte, with Idempotency-Replayed and the same Postern-Message', async () => {
    await using gw = await gateway({ balance: '1' })
    for (const send of [() => gw.sendText(TEXT, KEY), () => gw.sendTemplate(TEMPLATE, { 'Idempotency-Key': 'other' })]) {
      const first = await send()
      const again = await send()
      assert.equal(again.status, 200)
      assert.equal(again.text, first.text)
      assert.isNull(first.headers.get('idempotency-replayed'))
      assert.equal(again.headers.get('idempotency-replayed'), 'true')
      assert.equal(again.headers.get('postern-message'), first.headers.get('postern-message'))
    }
    assert.lengthOf(gw.sent, 2)
    assert.deepEqual(await gw.books(), { available: '0.929800', held: '0.000000' })
  })

  it('is refused with an API key in it, which is neither stored nor logged, and nothing is sent', async () => {
    await using gw = await gateway()
    for (const key of [gw.key, `Bearer ${gw.key}`]) {
      const { status, text } = await gw.sendText(TEXT, { 'Idempotency-Key': key })
      assert.equal(status, 400)
      assert.include(text, 'must not contain an API key')
      assert.notInclude(text + gw.log.join() + JSON.stringify(gw.requests), gw.key)
    }
    assert.lengthOf(gw.sent, 0)
  })

  it('sends one message and takes one price however many callers race', async () => {
    await using gw = await gateway({ balance: '1' })
    const release = gw.hold()
    const racing = Array.from({ length: 20 }, () => gw.sendText(TEXT, KEY))
    await until(() => gw.sent.length > 0)
    release()
    const answers = await Promise.all(racing)
    assert.lengthOf(gw.sent, 1)
    assert.deepEqual(await gw.books(), { available: '0.992300', held: '0.000000' })
    const replay = await gw.sendText(TEXT, KEY)
    for (const { status, text } of answers) {
      assert.include([200, 409], status)
      if (status === 200) assert.equal(text, replay.text)
    }
    assert.isNotEmpty(answers.filter(({ status }) => status === 200))
  })

  it('answers 409 idempotency_in_progress while the first request is under way', async () => {
    await using gw = await gateway()
    const release = gw.hold()
    const first = gw.sendText(TEXT, KEY)
    await until(() => gw.sent.length > 0)
    const { status, json, headers } = await gw.sendText(TEXT, KEY)
    assert.equal(status, 409)
    assert.deepInclude(json, { code: 'idempotency_in_progress' })
    assert.equal(headers.get('retry-after'), '1')
    release()
    assert.equal((await first).status, 200)
  })

  it('answers 422 idempotency_key_reused to the same key with another request', async () => {
    await using gw = await gateway()
    await gw.sendText(TEXT, KEY)
    for (const answer of [await gw.sendText({ ...TEXT, text: 'other' }, KEY), await gw.sendTemplate(TEMPLATE, KEY)]) {
      assert.equal(answer.status, 422)
      assert.deepInclude(answer.json, { code: 'idempotency_key_reused' })
    }
    assert.lengthOf(gw.sent, 1)
  })

  it('takes requests for the same that are spelt differently as the same', async () => {
    await using gw = await gateway()
    await gw.sendTemplate(TEMPLATE, KEY)
    const again = await gw.sendTemplate(
      { components: [{ a: 2, type: 'body', b: 1 }], language: 'en', template_name: 'order_update', to: `+${CUSTOMER}` }, KEY,
    )
    assert.equal(again.status, 200)
    assert.lengthOf(gw.sent, 1)
  })

  it('is per workspace', async () => {
    await using gw = await gateway()
    const other = await gw.addWorkspace()
    const first = await gw.sendText(TEXT, KEY)
    const second = await gw.sendText(TEXT, { ...KEY, Authorization: `Bearer ${other.key}` })
    assert.equal(second.status, 200)
    assert.notEqual(second.text, first.text)
    assert.lengthOf(gw.sent, 2)
  })

  it('is freed by any refusal: after a top-up, a pause or a correction the same key makes a fresh attempt', async () => {
    await using gw = await gateway({ balance: '0' })
    assert.equal((await gw.sendText(TEXT, KEY)).status, 402)
    await gw.topUp('1')
    gw.willAnswer({ _tag: 'PlatformRejected', error: { code: 100 } }, { _tag: 'PlatformThrottled', error: { code: 130429 } })
    assert.equal((await gw.sendText(TEXT, KEY)).status, 400)
    assert.equal((await gw.sendText({ ...TEXT, text: 'corrected' }, KEY)).status, 429)
    const sent = await gw.sendText({ ...TEXT, text: 'corrected again' }, KEY)
    assert.equal(sent.status, 200)
    assert.isNull(sent.headers.get('idempotency-replayed'))
    assert.deepEqual(await gw.books(), { available: '0.992300', held: '0.000000' })
  })

  it('after a 504 replays the 504 byte for byte, and 200 once a status has confirmed the message', async () => {
    await using gw = await gateway()
    gw.willAnswer({ _tag: 'OutcomeUnknown', cause: 'timeout' })
    const first = await gw.sendText(TEXT, KEY)
    const again = await gw.sendText(TEXT, KEY)
    assert.equal(again.status, 504)
    assert.equal(again.text, first.text)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    const id = first.headers.get('postern-message') as MessageId
    rightOf(await gw.storage.messageLog.apply(gw.workspace, id, { state: 'sent', at: NOON, platformId: 'wamid.known' as PlatformId }))
    const confirmed = await gw.sendText(TEXT, KEY)
    assert.equal(confirmed.status, 200)
    assert.equal(confirmed.text, '{"status":"success","message_id":"wamid.known"}')
    assert.equal(confirmed.headers.get('idempotency-replayed'), 'true')
    assert.equal(confirmed.headers.get('postern-message'), id)
    assert.lengthOf(gw.sent, 1)
  })

  it('is kept 24 hours, and for as long as an outcome is unknown', async () => {
    await using gw = await gateway()
    gw.willAnswer('accept', { _tag: 'OutcomeUnknown', cause: 'timeout' })
    await gw.sendTemplate(TEMPLATE, KEY)
    await gw.sendTemplate(TEMPLATE, { 'Idempotency-Key': 'unknown' })
    gw.passes(24 * HOUR_MS - 1)
    assert.equal((await gw.sendTemplate(TEMPLATE, KEY)).headers.get('idempotency-replayed'), 'true')
    gw.passes(1)
    assert.isNull((await gw.sendTemplate(TEMPLATE, KEY)).headers.get('idempotency-replayed'))
    assert.equal((await gw.sendTemplate(TEMPLATE, { 'Idempotency-Key': 'unknown' })).status, 504)
    assert.lengthOf(gw.sent, 3)
  })

  it('takes 1 to 255 printable ASCII characters, once, and refuses anything else', async () => {
    await using gw = await gateway()
    assert.equal((await gw.sendText(TEXT, { 'Idempotency-Key': '~'.repeat(255) })).status, 200)
    for (const key of ['x'.repeat(256), 'x'.repeat(10 * 1024), 'clé', '', 'a\tb']) {
      const { status, json } = await gw.sendText(TEXT, { 'Idempotency-Key': key })
      assert.equal(status, 400)
      assert.deepInclude(json, { code: 'invalid_parameter' })
      assert.match((json as { message: string }).message, /^Idempotency-Key must be/)
    }
    const body = JSON.stringify(TEXT)
    const twice = await gw.raw(
      `POST /v1/messages/send-text HTTP/1.1\r\n${gw.authorization}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nIdempotency-Key: a\r\nIdempotency-Key: b`, body)
    assert.match(twice, /^HTTP\/1.1 400 .*"invalid_parameter"/s)
    assert.lengthOf(gw.sent, 1)
  })
})
