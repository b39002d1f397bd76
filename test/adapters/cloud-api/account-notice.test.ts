import { assert } from 'chai'
import { readNotification } from '../../../adapters/cloud-api/notification.js'
import { only } from './notification-samples.js'

const entryOf = (field: string, value: unknown, more: object = {}) =>
  ({ object: 'whatsapp_business_account', entry: [{ id: '102290129340398', time: 1_763_700_000, changes: [{ field, value }], ...more }] })
const notice = (field: string, subject: string, value: object) =>
  ({ _tag: 'AccountNotice', accountId: '102290129340398', field, subject, value, at: 1_763_700_000_000 })

const TEMPLATE = { message_template_id: 1_689_556_908_129_832, message_template_name: 'order_update', message_template_language: 'en_US' }

describe('a notice on an account', () => {
  const notices: ReadonlyArray<readonly [string, string, object]> = [
    ['message_template_status_update', '1689556908129832', {
      ...TEMPLATE, event: 'PAUSED', reason: 'NONE', message_template_category: 'UTILITY', other_info: { title: 'FIRST_PAUSE', description: 'Low quality' },
    }],
    ['message_template_quality_update', '1689556908129832', { ...TEMPLATE, previous_quality_score: 'GREEN', new_quality_score: 'YELLOW' }],
    ['template_category_update', '1689556908129832', { ...TEMPLATE, previous_category: 'UTILITY', new_category: 'MARKETING', correct_category: 'MARKETING' }],
    ['account_update', 'ACCOUNT_RESTRICTION', {
      event: 'ACCOUNT_RESTRICTION', restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: 1_763_800_000 }],
    }],
    ['account_update', 'DISABLED_UPDATE', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date: '2026-12-01' } }],
    ['phone_number_quality_update', '15550783881', { display_phone_number: '15550783881', event: 'FLAGGED', current_limit: 'TIER_2K' }],
    ['phone_number_quality_update', '+1 555-078-3881', { display_phone_number: '+1 555-078-3881', event: 'THROUGHPUT_UPGRADE', current_limit: 'TIER_UNLIMITED' }],
    ['business_capability_update', '', { max_daily_conversations_per_business: 2_000, max_phone_numbers_per_business: 2, max_phone_numbers_per_waba: 2 }],
  ]
  for (const [field, subject, value] of notices) {
    it(`of ${field} is read whole, about ${subject === '' ? 'the account' : subject}`, () => {
      assert.deepEqual<unknown>(readNotification(entryOf(field, value)), { reports: [notice(field, subject, value)], ignored: [] })
    })
  }

  it('names a template without an id by its name and language', () => {
    const [report] = readNotification(entryOf('message_template_status_update', { ...TEMPLATE, message_template_id: null, event: 'APPROVED' })).reports
    assert.equal(report?._tag === 'AccountNotice' ? report.subject : undefined, 'order_update en_US')
  })

  it('has no moment where its entry states none that is possible', () => {
    for (const time of [undefined, null, 'now', 1_763_700_000_000, -1]) {
      const [report] = readNotification(entryOf('business_capability_update', {}, { time })).reports
      assert.isFalse(report !== undefined && 'at' in report, String(time))
    }
  })

  it('is ignored where it names no account, or says nothing', () => {
    for (const id of [undefined, null, 7, '', 'x y', 'x'.repeat(65)]) {
      assert.deepEqual<unknown>(readNotification(entryOf('account_update', {}, { id })), only('no_account_id', 'account_update'), String(id))
    }
    for (const value of [undefined, null, 'x', []]) {
      assert.deepEqual<unknown>(readNotification(entryOf('account_update', value)), only('no_items', 'account_update'))
    }
  })

  it('is shortened to what can be shown where it is too large or too deep to keep', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)
    for (const more of [{ reason: 'x'.repeat(9_000) }, { other_info: deep }]) {
      const { reports } = readNotification(entryOf('message_template_status_update', { ...TEMPLATE, event: 'DISABLED', ...more }))
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
