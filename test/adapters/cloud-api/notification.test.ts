import * as E from 'fp-ts/lib/Either.js'
import { assert } from 'chai'
import fc from 'fast-check'
import { parseNotification, readNotification } from '../../../adapters/cloud-api/notification.js'
import { metadata, change, notification, text, status, readStatuses, inbound, only } from './notification-samples.js'

describe('a notification', () => {
  it('reports every item of every change of every entry, in order within a change', () => {
    const body = {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '1', time: 5,
          changes: [change({ contacts: [], messages: [text()], statuses: [status()] }), change({ statuses: [status({ id: 'wamid.b' })] })],
        },
        { id: '2', changes: [change({ messages: [text({ from: '33612345678' })] })] },
      ],
    }
    const { reports, ignored } = readNotification(body)
    const named = reports.map((one): string => (one._tag === 'Inbound' ? one.customer.phoneNumber ?? '' : one._tag === 'StatusReport' ? one.platformId : ''))
    assert.deepEqual(named, ['4915112345678', 'wamid.out', 'wamid.b', '33612345678'])
    assert.deepEqual(ignored, [])
  })

  it('reports a thousand updates of one batch', () => {
    assert.equal(readStatuses(...Array.from({ length: 1_000 }, (_, n) => status({ id: `wamid.${n}` }))).reports.length, 1_000)
  })

  const senseless: ReadonlyArray<readonly [string, unknown, string]> = [
    ['is of another object', { ...notification(change({ messages: [text()] })), object: 'page' }, 'other_object'],
    ['names no object', { entry: [] }, 'other_object'],
    ['is null', null, 'other_object'],
    ['is an array', [notification()], 'other_object'],
    ['has an entry that is null', { object: 'whatsapp_business_account', entry: [null] }, 'no_changes'],
    ['has an entry without changes', notification(), 'no_changes'],
    ['is of another field', notification(change({ event: 'APPROVED' }, 'message_template_status_update')), 'other_field'],
    ['echoes what the business wrote by hand', notification(change({ messages: [text()] }, 'smb_message_echoes')), 'other_field'],
    ['has a change that is null', notification(null), 'other_field'],
    ['names no phone number id', notification({ field: 'messages', value: { messages: [text()] } }), 'no_phone_number_id'],
    ['names a phone number id that is a number', notification(change({ metadata: { phone_number_id: 4 } })), 'no_phone_number_id'],
    ['names a phone number id no sender could have', notification(change({ metadata: { phone_number_id: '4'.repeat(65) } })), 'no_phone_number_id'],
    ['is a notice on the account', notification(change({ errors: [{ code: 130429 }] })), 'no_items'],
    ['has messages that are no array', notification(change({ messages: { 0: text() } })), 'no_items'],
  ]
  for (const [what, body, reason] of senseless) {
    it(`reports nothing, with the reason, when it ${what}`, () => assert.deepEqual<unknown>(readNotification(body), only(reason)))
  }

  it('reports nothing when its entries are not an array', () => {
    assert.deepEqual(readNotification({ object: 'whatsapp_business_account', entry: 'x' }), { reports: [], ignored: [] })
  })

  it('ignores inherited properties', () => {
    const hidden = `{"__proto__":${JSON.stringify(notification(change({ messages: [text()] })))}}`
    assert.deepEqual<unknown>(readNotification(JSON.parse(hidden)), only('other_object'))
  })
})

describe('the bytes of a notification', () => {
  const bytes = (body: unknown) => Buffer.from(JSON.stringify(body))

  it('are read as JSON, with the platform\'s escapes', () => {
    const escaped = bytes(notification(change({ messages: [text()] }))).toString().replace('Hi', '\\u00fc \\/ \\u0040')
    assert.deepEqual<unknown>(parseNotification(Buffer.from(escaped)), E.right({ reports: [inbound], ignored: [] }))
  })

  it('are refused when they are not JSON, or not UTF-8', () => {
    for (const raw of ['', '{', 'undefined', '{"a":1}x', Buffer.from([0x22, 0xff, 0x22]), Buffer.from([0x7b, 0x22, 0xc3])]) {
      assert.deepEqual(parseNotification(Buffer.from(raw)), E.left({ _tag: 'NotJson' }))
    }
  })

  it('may nest 10,000 deep and the other items are still reported', () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
    const statuses = ['DEEP', status({ pricing: 'DEEP', errors: ['DEEP'] })]
    const marked = bytes(notification(change({ messages: [text(), 'DEEP', text({ text: 'DEEP' })], statuses })))
    const reading = parseNotification(Buffer.from(marked.toString().replaceAll('"DEEP"', deep)))
    assert.deepEqual(E.isRight(reading) && reading.right.reports.map(({ _tag }) => _tag), ['Inbound', 'Inbound', 'StatusReport'])
    assert.deepEqual(parseNotification(Buffer.from(deep)), E.right({ reports: [], ignored: [{ reason: 'other_object' }] }))
  })
})

describe('the reading of any notification', () => {
  const item = fc.oneof(
    fc.constant(text()), fc.constant(status()), fc.jsonValue(),
    fc.record({ from: fc.jsonValue(), type: fc.constantFrom('text', 'system', 'x', 3), timestamp: fc.jsonValue() }, { requiredKeys: [] }),
    fc.record({
      id: fc.oneof(fc.constant('wamid.x'), fc.jsonValue()), status: fc.constantFrom('sent', 'failed', 'x', null),
      timestamp: fc.oneof(fc.constant('1763700001'), fc.jsonValue()), errors: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
      pricing: fc.jsonValue(), biz_opaque_callback_data: fc.jsonValue(),
    }, { requiredKeys: [] }),
  )
  const items = fc.oneof(fc.array(item), fc.jsonValue())
  const orJson = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: fc.jsonValue() })
  const value = orJson(fc.record({ metadata: orJson(fc.constant(metadata)), messages: items, statuses: items, calls: items }))
  const anyChange = orJson(fc.record({ field: fc.constantFrom('messages', 'calls', 'x', null), value }))
  const entries = orJson(fc.array(orJson(fc.record({ changes: orJson(fc.array(anyChange)) }))))
  const body = orJson(fc.record({ object: fc.constantFrom('whatsapp_business_account', 'page'), entry: entries }))

  it('never throws, and reports only what a port can take', () => {
    fc.assert(fc.property(body, (any) => {
      for (const report of readNotification(any).reports) {
        if (report._tag !== 'AccountNotice') assert.match(report.phoneNumberId, /^[!-~]{1,64}$/)
        assert.isTrue(Number.isSafeInteger(report._tag === 'StatusReport' ? report.change.at : report.at))
        if (report._tag === 'Inbound') assert.match(report.customer.phoneNumber ?? '', /^([1-9][0-9]{6,14})?$/)
        if (report._tag === 'StatusReport') assert.match(report.platformId, /^[!-~]{1,255}$/)
      }
    }), { numRuns: 300 })
  })

  it('reports the other items, with any invalid item at any place among them', () => {
    const good = [text(), text({ from: '33612345678' }), text({ type: 'order' })]
    const goodStatuses = [status(), status({ id: 'wamid.b', status: 'failed', errors: [{ code: 131026 }] })]
    const alone = readNotification(notification(change({ messages: good, statuses: goodStatuses })))
    fc.assert(fc.property(item, fc.nat(good.length), fc.nat(goodStatuses.length), (poison, at, statusAt) => {
      const poisoned = readNotification(notification(change({
        messages: good.toSpliced(at, 0, poison as never), statuses: goodStatuses.toSpliced(statusAt, 0, poison as never),
      })))
      const own = readNotification(notification(change({ messages: [poison], statuses: [poison] })))
      assert.equal(poisoned.reports.length, alone.reports.length + own.reports.length)
      assert.includeDeepMembers([...poisoned.reports], [...alone.reports])
      assert.equal(poisoned.reports.length + poisoned.ignored.length, good.length + goodStatuses.length + 2)
    }), { numRuns: 1_000 })
  })

  it('reports the other items, with any invalid change or entry among them', () => {
    const good = change({ messages: [text()], statuses: [status()] })
    const alone = readNotification(notification(good)).reports
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (poison, entry) => {
      const body = { object: 'whatsapp_business_account', entry: [entry, ...notification(poison, good, poison).entry, entry] }
      assert.deepEqual(readNotification(body).reports, alone)
    }), { numRuns: 500 })
  })
})
