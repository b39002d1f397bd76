import { assert } from 'chai'
import { readNotification } from '../../../adapters/cloud-api/notification.js'
import type { Report } from '../../../core/reports/receive.js'
import { only } from './notification-samples.js'

const entryOf = (field: string, value: unknown, more: object = {}) =>
  ({ object: 'whatsapp_business_account', entry: [{ id: '102290129340398', time: 1_763_700_000, changes: [{ field, value }], ...more }] })
const notice = (field: string, subject: string, value: object) =>
  ({ _tag: 'AccountNotice', accountId: '102290129340398', field, subject, value, at: 1_763_700_000_000 })

const TEMPLATE = { message_template_id: 1_689_556_908_129_832, message_template_name: 'order_update', message_template_language: 'en_US' }

const noticesOf = (body: unknown): ReadonlyArray<Report> => readNotification(body).reports.filter(({ _tag }) => _tag === 'AccountNotice')

describe('a notice on an account', () => {
  const notices: ReadonlyArray<readonly [string, string, object]> = [
    ['message_template_status_update', '1689556908129832', {
      ...TEMPLATE, event: 'PAUSED', reason: 'NONE', message_template_category: 'UTILITY',
      other_info: { title: 'FIRST_PAUSE', description: 'Low quality' },
    }],
    ['message_template_quality_update', '1689556908129832', { ...TEMPLATE, previous_quality_score: 'GREEN', new_quality_score: 'YELLOW' }],
    ['template_category_update', '1689556908129832',
      { ...TEMPLATE, previous_category: 'UTILITY', new_category: 'MARKETING', correct_category: 'MARKETING' }],
    ['account_update', 'ACCOUNT_RESTRICTION', {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: 1_763_800_000 }],
    }],
    ['account_update', 'DISABLED_UPDATE',
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date: '2026-12-01' } }],
    ['phone_number_quality_update', '15550783881', { display_phone_number: '15550783881', event: 'FLAGGED', current_limit: 'TIER_2K' }],
    ['phone_number_quality_update', '+1 555-078-3881',
      { display_phone_number: '+1 555-078-3881', event: 'THROUGHPUT_UPGRADE', current_limit: 'TIER_UNLIMITED' }],
    ['business_capability_update', '',
      { max_daily_conversations_per_business: 2_000, max_phone_numbers_per_business: 2, max_phone_numbers_per_waba: 2 }],
  ]
  for (const [field, subject, value] of notices) {
    it(`of ${field} is read whole, about ${subject === '' ? 'the account' : subject}`, () => {
      assert.deepEqual<unknown>(noticesOf(entryOf(field, value)), [notice(field, subject, value)])
      assert.deepEqual(readNotification(entryOf(field, value)).ignored, [])
    })
  }

  it('names a template without an id by its name and language', () => {
    const [report] = readNotification(
      entryOf('message_template_status_update', { ...TEMPLATE, message_template_id: null, event: 'APPROVED' }),
    ).reports
    assert.equal(report?._tag === 'AccountNotice' ? report.subject : undefined, 'order_update en_US')
  })

  it('has no time if its entry states none that is possible', () => {
    for (const time of [undefined, null, 'now', 1_763_700_000_000, -1]) {
      const [report] = readNotification(entryOf('business_capability_update', {}, { time })).reports
      assert.isFalse(report !== undefined && 'at' in report, String(time))
    }
  })

  it('is ignored if it names no account, or says nothing', () => {
    for (const id of [undefined, null, 7, '', 'x y', 'x'.repeat(65)]) {
      assert.deepEqual<unknown>(
        readNotification(entryOf('account_update', {}, { id })), only('no_account_id', 'account_update'), String(id),
      )
    }
    for (const value of [undefined, null, 'x', []]) {
      assert.deepEqual<unknown>(readNotification(entryOf('account_update', value)), only('no_items', 'account_update'))
    }
  })

  it('is shortened to what can be shown if it is too large or too deep to keep', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)
    for (const more of [{ reason: 'x'.repeat(9_000) }, { other_info: deep }]) {
      const reports = noticesOf(entryOf('message_template_status_update', { ...TEMPLATE, event: 'DISABLED', ...more }))
      assert.deepEqual<unknown>(reports, [notice('message_template_status_update', '1689556908129832', {
        event: 'DISABLED', message_template_name: 'order_update', message_template_language: 'en_US', truncated: true,
      })])
    }
  })

  it('has a subject of limited length, in printable characters', () => {
    const { reports } = readNotification(entryOf('account_update', { event: `\u0000Ä${'E'.repeat(1_000)}` }))
    assert.equal(reports[0]?._tag === 'AccountNotice' ? reports[0].subject : undefined, 'E'.repeat(100))
  })
})

const changesOf = (field: string, value: object, more: object = {}): ReadonlyArray<unknown> =>
  readNotification(entryOf(field, value, more)).reports.filter(({ _tag }) => _tag === 'TemplateChanged')
/** A change counts from the end of the second that the platform names. */
const changed = (change?: object) =>
  [{ _tag: 'TemplateChanged', accountId: '102290129340398', at: 1_763_700_000_999, ...(change && { change }) }]
const KEY = { name: 'order_update', language: 'en_US' }

describe('a notification of a template', () => {
  const statuses: ReadonlyArray<readonly [string, string]> = [
    ['APPROVED', 'approved'], ['REINSTATED', 'approved'], ['PENDING', 'pending'], ['IN_APPEAL', 'in_appeal'], ['REJECTED', 'rejected'],
    ['PAUSED', 'paused'], ['DISABLED', 'disabled'], ['ARCHIVED', 'archived'], ['PENDING_DELETION', 'pending_deletion'],
    ['DELETED', 'deleted'],
  ]
  for (const [event, status] of statuses) {
    it(`says by ${event} that it is ${status}`, () => {
      assert.deepEqual(changesOf('message_template_status_update', { ...TEMPLATE, event }), changed({ ...KEY, status }))
    })
  }

  it('does not say its status by other events', () => {
    for (const event of ['FLAGGED', 'LOCKED', 'UNARCHIVED', 'LIMIT_EXCEEDED', 'approved', 'NOVELTY', '__proto__', '', null, 7, undefined]) {
      assert.deepEqual(changesOf('message_template_status_update', { ...TEMPLATE, event }), changed(), String(event))
    }
  })

  it('says its quality', () => {
    const value = { ...TEMPLATE, previous_quality_score: 'GREEN', new_quality_score: 'YELLOW' }
    assert.deepEqual(changesOf('message_template_quality_update', value), changed({ ...KEY, quality: 'yellow' }))
  })

  it('says the category that it has, not the one that is announced', () => {
    const done = { ...TEMPLATE, previous_category: 'UTILITY', new_category: 'MARKETING' }
    assert.deepEqual(changesOf('template_category_update', done), changed({ ...KEY, category: 'marketing' }))
    const announced = { ...TEMPLATE, correct_category: 'MARKETING', new_category: 'UTILITY', category_update_timestamp: 1_763_786_400 }
    assert.deepEqual(changesOf('template_category_update', announced), changed({ ...KEY, category: 'utility' }))
  })

  it('does not contain its components, and is not a notice on the account', () => {
    const value = { ...TEMPLATE, message_template_element: 'Hi {{1}}' }
    assert.deepEqual<unknown>(readNotification(entryOf('message_template_components_update', value)), { reports: changed(), ignored: [] })
  })

  it('names the language as the platform lists it', () => {
    for (const [written, language] of [['en-US', 'en_US'], ['pt_BR', 'pt_BR'], ['de', 'de']]) {
      const value = { ...TEMPLATE, message_template_language: written, event: 'PAUSED' }
      assert.deepEqual(changesOf('message_template_status_update', value), changed({ ...KEY, language, status: 'paused' }))
    }
  })

  it('says nothing of a template that it does not name', () => {
    for (const value of ['', null, 7, {}, 'a\u0000', '\ud800', 'x'.repeat(513), undefined]) {
      for (const part of ['message_template_name', 'message_template_language']) {
        assert.deepEqual(
          changesOf('message_template_status_update', { ...TEMPLATE, event: 'PAUSED', [part]: value }), changed(),
          `${part} ${JSON.stringify(value)}`,
        )
      }
    }
  })

  it('has no time if its entry states none', () => {
    const [report] = changesOf('message_template_status_update', { ...TEMPLATE, event: 'PAUSED' }, { time: undefined })
    assert.deepEqual(report, { _tag: 'TemplateChanged', accountId: '102290129340398', change: { ...KEY, status: 'paused' } })
  })
})
