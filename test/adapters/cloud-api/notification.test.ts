import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { parseNotification, readNotification } from '../../../adapters/cloud-api/notification.js'
import { READ_FIELDS, UNUSED_FIELDS } from '../../../adapters/cloud-api/reports.js'
import type { CustomerIds } from '../../../core/customers/customer.js'
import type { Report } from '../../../core/reports/receive.js'
import { isCatalogued } from '../../../core/templates/template.js'
import { change, contact, metadata, notification, only, readStatuses, saying, status, text } from './notification-samples.js'

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
    const named = reports.map((one): string =>
      one._tag === 'Inbound' ? one.customer.phoneNumber ?? '' : one._tag === 'StatusReport' ? one.platformId : '')
    assert.deepEqual(named, ['4915112345678', 'wamid.out', 'wamid.b', '33612345678'])
    assert.deepEqual(ignored, [])
  })

  it('reports a thousand updates of one batch', () => {
    assert.equal(readStatuses(...Array.from({ length: 1_000 }, (_, n) => status({ id: `wamid.${n}` }))).reports.length, 1_000)
  })

  const senseless: ReadonlyArray<readonly [string, unknown, string, string?]> = [
    ['is of another object', { ...notification(change({ messages: [text()] })), object: 'page' }, 'other_object', 'other'],
    ['names no object', { entry: [] }, 'other_object', 'other'],
    ['has no entries', { object: 'whatsapp_business_account', entry: [] }, 'no_entries', 'other'],
    ['has entries that are no array', { object: 'whatsapp_business_account', entry: 'x' }, 'no_entries', 'other'],
    ['is null', null, 'other_object', 'other'],
    ['is an array', [notification()], 'other_object', 'other'],
    ['has an entry that is null', { object: 'whatsapp_business_account', entry: [null] }, 'no_changes', 'other'],
    ['has an entry without changes', notification(), 'no_changes', 'other'],
    ['is of a field that is not used', notification(change({ decision: 'APPROVED' }, 'account_review_update')), 'unused_field',
      'account_review_update'],
    ['is of an unknown field', notification(change({ messages: [text()] }, 'x'.repeat(1_000))), 'unused_field', 'other'],
    ['is of a field named after a property', notification(change({ messages: [text()] }, '__proto__')), 'unused_field', 'other'],
    ['echoes what the business wrote by hand', notification(change({ messages: [text()] }, 'smb_message_echoes')), 'unused_field',
      'smb_message_echoes'],
    ['has a change that is null', notification(null), 'no_field', 'other'],
    ['has a field that is no text', notification({ field: ['messages'], value: {} }), 'no_field', 'other'],
    ['names no phone number id', notification({ field: 'messages', value: { messages: [text()] } }), 'no_phone_number_id'],
    ['names a phone number id that is a number', notification(change({ metadata: { phone_number_id: 4 } })), 'no_phone_number_id'],
    ['names a phone number id no sender could have', notification(change({ metadata: { phone_number_id: '4'.repeat(65) } })),
      'no_phone_number_id'],
    ['is an error of the account', notification(change({ errors: [{ code: 130429 }] })), 'platform_error'],
    ['has nothing in it', notification(change({})), 'no_items'],
    ['has messages that are no array', notification(change({ messages: { 0: text() } })), 'not_a_list'],
  ]
  for (const [what, body, reason, field] of senseless) {
    it(`reports nothing, with the reason, when it ${what}`, () => assert.deepEqual<unknown>(readNotification(body), only(reason, field)))
  }

  it('ignores inherited properties', () => {
    const hidden = `{"__proto__":${JSON.stringify(notification(change({ messages: [text()] })))}}`
    assert.deepEqual<unknown>(readNotification(JSON.parse(hidden)), only('other_object', 'other'))
  })
})

describe('the bytes of a notification', () => {
  const bytes = (body: unknown) => Buffer.from(JSON.stringify(body))

  it('are read as JSON, with the platform\'s escapes', () => {
    const escaped = bytes(notification(change({ messages: [text()] }))).toString().replace('Hi', '\\u00fc \\/ \\u0040')
    assert.deepEqual<unknown>(
      parseNotification(Buffer.from(escaped)), E.right({ reports: [saying({ content: { body: 'ü / @' } })], ignored: [] }),
    )
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
    assert.deepEqual(
      parseNotification(Buffer.from(deep)),
      E.right({ reports: [], ignored: [{ field: 'other' as const, reason: 'other_object' as const }] }),
    )
  })
})

describe('the reading of any notification', () => {
  const id = fc.constantFrom('4915112345678', '33612345678', 'DE.1', 'FR.2', 'de.3', `DE.${'x'.repeat(129)}`, '49.15', '', 7, null)
  const idsOf = (...names: ReadonlyArray<string>) => Object.fromEntries(names.map((name) => [name, fc.oneof(id, fc.jsonValue())]))
  const timestamp = fc.oneof(fc.constantFrom('1763700001', '4102444799', 1_763_700_002), fc.jsonValue())
  const card = fc.record({
    origin: fc.constantFrom('contact_request', 'other', 1),
    phones: fc.oneof(fc.array(fc.record({ phone: fc.jsonValue(), ...idsOf('wa_id') })), fc.jsonValue()),
  }, { requiredKeys: [] })
  const item = fc.oneof(
    fc.constant(text()), fc.constant(status()), fc.jsonValue(),
    fc.record(
      { ...idsOf('from', 'from_user_id'), type: fc.constantFrom('text', 'x', 3), timestamp, group_id: fc.jsonValue() },
      { requiredKeys: [] },
    ),
    fc.record(
      { ...idsOf('from', 'from_user_id'), type: fc.constant('contacts'), timestamp, contacts: fc.oneof(fc.array(card), fc.jsonValue()) },
      { requiredKeys: [] },
    ),
    fc.record({
      ...idsOf('from', 'from_user_id'), type: fc.constant('system'), timestamp,
      system: fc.oneof(fc.record({
        type: fc.constantFrom(
          'user_changed_number', 'user_changed_user_id', 'customer_changed_number', 'customer_identity_changed', 'x', null,
        ),
        ...idsOf('wa_id', 'new_wa_id', 'user_id', 'previous_user_id'),
      }, { requiredKeys: [] }), fc.jsonValue()),
    }, { requiredKeys: [] }),
    fc.record({
      id: fc.oneof(fc.constant('wamid.x'), fc.jsonValue()), status: fc.constantFrom('sent', 'failed', 'x', null),
      timestamp, errors: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()), ...idsOf('recipient_id', 'recipient_user_id'),
      pricing: fc.jsonValue(), biz_opaque_callback_data: fc.jsonValue(),
    }, { requiredKeys: [] }),
    fc.record({
      ...idsOf('wa_id', 'user_id'), category: fc.constantFrom('marketing_messages', 1), value: fc.constantFrom('stop', 'resume', 'x'),
      timestamp,
    }),
  )
  const items = fc.oneof(fc.array(item), fc.jsonValue())
  const orJson = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: fc.jsonValue() })
  const contacts = fc.oneof(
    fc.array(fc.record({ ...idsOf('wa_id', 'user_id'), profile: orJson(fc.record({ name: fc.jsonValue(), username: fc.string() })) })),
    fc.jsonValue(),
  )
  const lists = { messages: items, statuses: items, calls: items, user_preferences: items }
  const value = orJson(fc.record(
    { metadata: orJson(fc.constant(metadata)), contacts, ...lists, standby: orJson(fc.record(lists)) }, { requiredKeys: ['metadata'] },
  ))
  const name = fc.oneof(fc.constantFrom('order_update', 'имя', '\u0000', '\ud800', 'x'.repeat(513)), fc.jsonValue())
  const notice = orJson(fc.record({
    event: fc.oneof(fc.constantFrom('PAUSED', 'FLAGGED'), fc.jsonValue()), message_template_id: fc.jsonValue(),
    display_phone_number: fc.jsonValue(), message_template_name: name,
    message_template_language: fc.oneof(fc.constantFrom('en_US', 'en-US'), name), new_category: name, new_quality_score: name,
  }, { requiredKeys: [] }))
  const field = fc.constantFrom(...READ_FIELDS, 'x', null)
  const anyChange = orJson(fc.record({ field, value: fc.oneof(value, notice) }))
  const entries = orJson(
    fc.array(orJson(fc.record({ id: fc.oneof(fc.constant('1'), fc.jsonValue()), time: timestamp, changes: orJson(fc.array(anyChange)) }))),
  )
  const body = orJson(fc.record({ object: fc.constantFrom('whatsapp_business_account', 'page'), entry: entries }))

  const isNumber = (value = '4915112345678'): boolean => /^[1-9][0-9]{6,14}$/.test(value)
  const isUserId = (value = 'DE.1'): boolean => /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(value)
  const areIds = ({ phoneNumber, userId }: CustomerIds): boolean =>
    isNumber(phoneNumber) && isUserId(userId) && (phoneNumber ?? userId) !== undefined
  const isSound = (report: Report): boolean => {
    switch (report._tag) {
      case 'Inbound': case 'UncountedInbound': case 'MarketingPreference': return areIds(report.customer) && Number.isSafeInteger(report.at)
      case 'StatusReport':
        return /^[!-~]{1,255}$/.test(report.platformId) && Number.isSafeInteger(report.change.at)
          && (report.customer === undefined || areIds(report.customer))
      case 'NumberShared': return areIds(report) && Number.isSafeInteger(report.at)
      case 'IdsChanged': return areIds(report.before) && areIds(report.after) && Number.isSafeInteger(report.at)
      case 'AccountNotice':
        return /^[!-~]{1,64}$/.test(report.accountId) && /^[ -~]{0,255}$/.test(report.subject)
          && JSON.stringify(report.value).length <= 8_192
      case 'TemplateChanged':
        return /^[!-~]{1,64}$/.test(report.accountId) && (report.change === undefined || isCatalogued(report.change))
          && Number.isSafeInteger(report.at ?? 0)
    }
  }

  it('never throws, and reports only what a port can take', () => {
    fc.assert(fc.property(body, (any) => {
      for (const report of readNotification(any).reports) {
        if ('phoneNumberId' in report) assert.match(report.phoneNumberId, /^[!-~]{1,64}$/)
        assert.isTrue(isSound(report), JSON.stringify(report))
      }
    }), { numRuns: 500 })
  })

  it('ignores everything else for a field and a reason of fixed lists', () => {
    fc.assert(fc.property(body, (any) => {
      for (const { field: label, reason } of readNotification(any).ignored) {
        assert.include([...READ_FIELDS, ...UNUSED_FIELDS, 'other'], label)
        assert.match(reason, /^[a-z_]{4,32}$/)
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
      assert.equal(poisoned.ignored.length, own.ignored.length)
    }), { numRuns: 1_000 })
  })

  it('reports the other items, with any invalid change or entry among them', () => {
    const good = change({ messages: [text()], statuses: [status()], contacts: [contact()] })
    const alone = readNotification(notification(good)).reports
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (poison, entry) => {
      const body = { object: 'whatsapp_business_account', entry: [entry, ...notification(poison, good, poison).entry, entry] }
      assert.deepEqual(readNotification(body).reports, alone)
    }), { numRuns: 500 })
  })
})
