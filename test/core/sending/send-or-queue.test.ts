import { assert } from 'chai'
import { type Hours, parseHours } from '../../../core/customers/hours.js'
import type { PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/kernel/time.js'
import { MAX_SCHEDULE_MS } from '../../../core/sending/timing.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { gateway, type Gateway, type GatewayOptions, KEY, NOON, OPENING_BALANCE, TEXT_PRICE } from '../gateway.js'

const LIMITED = { pairLimit: { burst: 1, intervalMs: MINUTE_MS } }
const UNTIL = NOON + HOUR_MS
const HELD = { available: OPENING_BALANCE - TEXT_PRICE, held: TEXT_PRICE }

/** A gateway whose customer has just got the message that the limit allows. */
const limited = async (options: GatewayOptions = {}): Promise<Gateway> => {
  const gw = await gateway({ ...LIMITED, balance: OPENING_BALANCE + TEXT_PRICE, ...options })
  rightOf(await gw.sendText())
  return gw
}

const hours = (given: Parameters<typeof parseHours>[0]): Hours => rightOf(parseHours(given))
/** `NOON` is in winter, when Berlin is an hour ahead of UTC. */
const NIGHT = hours({ from: '22:00', to: '06:00' })
const DAYTIME = hours({ from: '09:00', to: '20:00' })

const stateOf = (answer: object): unknown => ('state' in answer ? answer.state : 'sent')

describe('A message that may wait for the limits', () => {
  it('is sent immediately if no limit refuses it', async () => {
    const gw = await gateway(LIMITED)
    assert.equal(stateOf(rightOf(await gw.sendOrQueueText({ until: UNTIL }))), 'sent')
    assert.lengthOf(gw.sent, 1)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
  })

  it('is queued with its price held if the limit of its customer refuses it, and sent and charged once', async () => {
    const gw = await limited()
    const queued = rightOf(await gw.sendOrQueueText({ until: UNTIL, text: 'later' }))
    assert.deepInclude(queued, { state: 'queued', sendAt: undefined, replayed: false })
    assert.deepEqual(await gw.balance(), HELD)
    assert.deepEqual(await gw.drain(), { sent: 0, refused: 0, postponed: 1, left: 0, isMoreDue: false })
    gw.passes(MINUTE_MS)
    assert.equal((await gw.drain()).sent, 1)
    assert.deepEqual(gw.sent.map(({ message }) => 'text' in message && message.text), ['Hello', 'later'])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
    assert.deepEqual(await gw.entries(), ['hold', 'capture', 'hold', 'capture'])
    assert.isEmpty(await gw.brokenBooks())
  })

  it('is queued if the limit of its sender refuses it', async () => {
    const gw = await gateway({ senderLimit: { perSecond: 1, maxWaitMs: 0 } })
    rightOf(await gw.sendText())
    assert.equal(leftOf(await gw.sendOrQueueText({ deliverBetween: DAYTIME }))._tag, 'SenderLimitReached')
    assert.equal(stateOf(rightOf(await gw.sendOrQueueText({ until: UNTIL }))), 'queued')
    assert.lengthOf(gw.sent, 1)
  })

  it('is refused, and releases its price once, from its end on', async () => {
    const gw = await limited({ pairLimit: { burst: 1, intervalMs: 2 * HOUR_MS } })
    rightOf(await gw.sendOrQueueText({ until: UNTIL }))
    gw.passes(HOUR_MS)
    assert.equal((await gw.drain()).refused, 1)
    assert.equal((await gw.messages()).at(-1)?.error?.['code'], 'queue_expired')
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
    assert.deepEqual((await gw.entries()).slice(2), ['hold', 'release'])
    assert.isEmpty(await gw.brokenBooks())
  })

  it('releases its price once if it is canceled', async () => {
    const gw = await limited()
    const queued = rightOf(await gw.sendOrQueueText({ until: UNTIL }))
    rightOf(await gw.cancel(queued.id))
    rightOf(await gw.cancel(queued.id))
    gw.passes(MINUTE_MS)
    await gw.drain()
    await gw.reconcile()
    assert.lengthOf(gw.sent, 1)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
    assert.deepEqual((await gw.entries()).slice(2), ['hold', 'release'])
  })

  it('is refused like a send, and not queued, if the wallet cannot pay it or the window is closed', async () => {
    const gw = await limited({ balance: TEXT_PRICE + 1n })
    const refused = leftOf(await gw.sendOrQueueText({ until: UNTIL, idempotencyKey: KEY }))
    assert.deepInclude(refused, { _tag: 'InsufficientBalance', replayed: false })
    await gw.topUp(TEXT_PRICE)
    assert.equal(stateOf(rightOf(await gw.sendOrQueueText({ until: UNTIL, idempotencyKey: KEY }))), 'queued')
    const closed = await gateway({ lastInbound: undefined })
    assert.equal(leftOf(await closed.sendOrQueueText({ until: UNTIL }))._tag, 'WindowClosed')
    assert.isEmpty(await closed.messages())
  })

  it('keeps its hold while it is queued, whatever reconciliation does', async () => {
    const gw = await limited({ pairLimit: { burst: 1, intervalMs: 2 * DAY_MS } })
    rightOf(await gw.sendOrQueueText({ until: NOON + DAY_MS }))
    gw.passes(12 * HOUR_MS)
    await gw.reconcile()
    assert.deepEqual(await gw.balance(), HELD)
  })

  it('is queued once by two simultaneous requests with one key, and replayed as queued and then as sent', async () => {
    const gw = await limited()
    const ask = () => gw.sendOrQueueText({ until: UNTIL, idempotencyKey: KEY })
    const [first, second] = (await Promise.all([ask(), ask()])).map(rightOf)
    assert.equal(first?.id, second?.id)
    assert.sameMembers([first?.replayed, second?.replayed], [true, false])
    assert.deepEqual(await gw.balance(), HELD)
    const third = rightOf(await ask())
    assert.deepEqual([third.id, stateOf(third), third.replayed], [first?.id, 'queued', true])
    gw.passes(MINUTE_MS)
    await gw.drain()
    gw.passes(2 * HOUR_MS)
    const sent = rightOf(await ask())
    assert.deepEqual([sent.id, sent.replayed], [first?.id, true])
    assert.isTrue('platformId' in sent)
    assert.lengthOf(gw.sent, 2)
    assert.equal(leftOf(await gw.sendOrQueueText({ until: UNTIL + 1, idempotencyKey: KEY }))._tag, 'IdempotencyKeyReused')
  })
})

describe('A message with hours', () => {
  it('is sent immediately inside them', async () => {
    const gw = await gateway()
    assert.equal(stateOf(rightOf(await gw.sendOrQueueText({ deliverBetween: DAYTIME }))), 'sent')
  })

  it('waits outside them with its price held, and is sent when they begin', async () => {
    const gw = await gateway()
    const opens = NOON + 9 * HOUR_MS
    assert.deepInclude(rightOf(await gw.sendOrQueueText({ deliverBetween: NIGHT })), { state: 'queued', sendAt: opens })
    assert.deepEqual(await gw.balance(), HELD)
    gw.passes(9 * HOUR_MS - 1)
    assert.equal((await gw.drain()).sent, 0)
    gw.passes(1)
    assert.equal((await gw.drain()).sent, 1)
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE - TEXT_PRICE, held: 0n })
  })

  it('waits for them again if it was kept waiting until they were over, and no other message to the customer waits for it', async () => {
    const gw = await gateway({ lastInbound: NOON + 10 * HOUR_MS })
    rightOf(await gw.sendOrQueueText({ deliverBetween: hours({ from: '14:00', to: '15:00' }), text: 'in hours', until: NOON + 2 * DAY_MS }))
    rightOf(await gw.sendOrQueueText({ sendAt: NOON + 2 * HOUR_MS, text: 'at any hour' }))
    gw.passes(2 * HOUR_MS)
    assert.deepInclude(await gw.drain(), { sent: 1, postponed: 1 })
    assert.deepEqual(gw.sent.map(({ message }) => 'text' in message && message.text), ['at any hour'])
    gw.passes(22 * HOUR_MS + 59 * MINUTE_MS)
    assert.equal((await gw.drain()).sent, 0)
    gw.passes(MINUTE_MS)
    assert.equal((await gw.drain()).sent, 1)
    assert.isEmpty(await gw.brokenBooks())
  })

  it('is refused if they do not begin before its end, by default after a day', async () => {
    const gw = await gateway()
    const queued = rightOf(await gw.sendOrQueueText({ deliverBetween: hours({ from: '09:00', to: '20:00', days: ['wed'] }) }))
    assert.equal(stateOf(queued), 'queued')
    gw.passes(DAY_MS)
    assert.equal((await gw.drain()).refused, 1)
    assert.equal((await gw.message(queued.id)).error?.['code'], 'queue_expired')
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
  })

  it('is sent within them at or after its time, and holds nothing until then', async () => {
    const gw = await gateway()
    const queued = rightOf(await gw.sendOrQueueText({ sendAt: NOON + HOUR_MS, deliverBetween: NIGHT }))
    assert.deepInclude(queued, { state: 'queued', sendAt: NOON + 9 * HOUR_MS })
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
    gw.passes(HOUR_MS)
    assert.deepEqual(await gw.drain(), { sent: 0, refused: 0, postponed: 0, left: 0, isMoreDue: false })
    gw.passes(8 * HOUR_MS)
    assert.equal((await gw.drain()).sent, 1)
  })

  it('counts in the zone that the hours name, not in that of the customer', async () => {
    const gw = await gateway()
    // It is 21:00 in Tokyo.
    const tokyo = hours({ from: '22:00', to: '23:00', timezone: 'Asia/Tokyo' })
    assert.deepInclude(rightOf(await gw.sendOrQueueText({ deliverBetween: tokyo })), { sendAt: NOON + HOUR_MS })
  })

  it('is TimezoneUnknown, and nothing is stored, if the zone of its customer is not known for sure', async () => {
    const gw = await gateway()
    for (const to of ['8816123456789' as PhoneNumber, 'DE.13491208655302741918' as UserId]) {
      const template = { _tag: 'Template', to, name: 'order_update', language: 'en' } as const
      assert.equal(leftOf(await gw.sendOrQueueText({ message: template as never, to, deliverBetween: NIGHT }))._tag, 'TimezoneUnknown')
      const refused = leftOf(await gw.sendOrQueueText({ message: template as never, to, deliverBetween: NIGHT, sendAt: UNTIL }))
      assert.equal(refused._tag, 'TimezoneUnknown')
    }
    assert.isEmpty(await gw.messages())
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
  })
})

describe('The timing of a message', () => {
  const cases: ReadonlyArray<readonly [string, object, object]> = [
    ['an end that is now', { until: NOON }, { field: 'until', why: 'past' }],
    ['an end that is not a number', { until: Number.NaN }, { field: 'until', why: 'past' }],
    ['an end before its time', { sendAt: UNTIL, until: UNTIL }, { field: 'until', why: 'before_send_at' }],
    ['an end too far ahead', { until: NOON + MAX_SCHEDULE_MS + 1 }, { field: 'until', why: 'too_far' }],
    ['a time too far ahead', { sendAt: NOON + MAX_SCHEDULE_MS + 1 }, { field: 'sendAt', why: 'too_far' }],
    ['a time that is not a number', { sendAt: Number.NaN }, { field: 'sendAt', why: 'too_far' }],
    ['a time a day ago', { sendAt: NOON - DAY_MS }, { field: 'sendAt', why: 'past' }],
  ]
  for (const [what, timing, fault] of cases) {
    it(`is refused with ${what}`, async () => {
      const gw = await gateway()
      const expected: unknown = { _tag: 'InvalidTiming', ...fault }
      assert.deepEqual<unknown>(leftOf(await gw.sendOrQueueText(timing)), expected)
      assert.isEmpty(await gw.messages())
    })
  }

  it('may be at its limits', async () => {
    const gw = await gateway()
    for (const timing of [
      { sendAt: NOON + MAX_SCHEDULE_MS }, { until: NOON + 1, sendAt: NOON }, { sendAt: NOON - DAY_MS + SECOND_MS },
      { sendAt: NOON + MAX_SCHEDULE_MS, until: NOON + MAX_SCHEDULE_MS + DAY_MS },
    ]) assert.equal(stateOf(rightOf(await gw.sendOrQueueText(timing))), 'queued')
  })
})
