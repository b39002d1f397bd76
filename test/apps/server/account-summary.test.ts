import { assert } from 'chai'
import { checkApiVersion } from '../../../apps/server/checks.js'
import { summaryOf } from '../../../apps/server/summary.js'
import type { AccountNotice } from '../../../core/reports/account.js'

const NOW = Date.UTC(2026, 10, 22)
const seconds = (at: number): number => at / 1_000

const notice = (field: AccountNotice['field'], subject: string, value: AccountNotice['value']): AccountNotice =>
  ({ accountId: '1', field, subject, value, at: Date.UTC(2026, 10, 1) })
const template = (id: number, more: AccountNotice['value']): AccountNotice =>
  notice('message_template_status_update', String(id), { message_template_id: id, message_template_name: `offer_${id}`, ...more })

describe('The summary of a business account', () => {
  it('says so if nothing was reported that an operator has to know', () => {
    const fine = [
      notice('account_update', 'VOLUME_BASED_PRICING_TIER_UPDATE', {}), template(1, { event: 'APPROVED' }),
      notice('business_capability_update', '', {}), notice('message_template_quality_update', '1', { new_quality_score: 'GREEN' }),
      notice('template_category_update', '1', { new_category: 'MARKETING' }),
    ]
    for (const notices of [[], fine]) assert.match(summaryOf(notices, NOW), /^the platform has reported neither restrictions/)
  })

  it('names restrictions until they end, bans and violations', () => {
    const restricted = (...ends: ReadonlyArray<number>): AccountNotice => notice('account_update', 'ACCOUNT_RESTRICTION', {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: ends.map((end, index) => ({ restriction_type: `RESTRICTED_${index}`, expiration: seconds(end) })),
    })
    assert.equal(summaryOf([restricted(NOW + 1_000, NOW - 1_000)], NOW), 'ACCOUNT_RESTRICTION (RESTRICTED_0) on 2026-11-01')
    assert.match(summaryOf([restricted(NOW - 1_000)], NOW), /^the platform has reported neither/)
    assert.equal(summaryOf([notice('account_update', 'DISABLED_UPDATE', { ban_info: { waba_ban_state: 'DISABLE' } })], NOW), 'DISABLED_UPDATE (DISABLE) on 2026-11-01')
    assert.equal(summaryOf([notice('account_update', 'ACCOUNT_VIOLATION', { violation_info: { violation_type: 'SPAM' } })], NOW), 'ACCOUNT_VIOLATION (SPAM) on 2026-11-01')
  })

  it('names limits', () => {
    assert.equal(
      summaryOf([notice('business_capability_update', '', { max_daily_conversations_per_business: -1 })], NOW),
      'no limit of customers a day',
    )
    assert.equal(
      summaryOf([notice('business_capability_update', '', { max_daily_conversation_per_phone: 250 })], NOW), 'limit of 250 customers a day',
    )
  })

  it('names templates that are not sent or of low quality, and at most ten of them', () => {
    const paused = Array.from({ length: 12 }, (_, id) => template(id, { event: 'PAUSED' }))
    assert.match(summaryOf(paused, NOW), /^templates that are not sent: offer_0 PAUSED, .*offer_9 PAUSED and 2 more$/)
    const red = notice('message_template_quality_update', '7', { new_quality_score: 'RED' })
    assert.equal(summaryOf([red, template(7, { event: 'REINSTATED' })], NOW), 'templates of low quality: 7 RED')
  })

  it('is one printable line, whatever the platform reports', () => {
    const odd = [
      template(1, { event: '\u001b[31mPAUSED\n', message_template_name: { a: 1 } }),
      notice('account_update', 'ACCOUNT_RESTRICTION', { restriction_info: 'x' }),
      notice('account_update', 'DISABLED_UPDATE', { ban_info: [1], restriction_info: [null, { restriction_type: 'x'.repeat(10_000) }] }),
      notice('phone_number_quality_update', '', {}),
    ]
    assert.match(summaryOf(odd, NOW), /^[ -~]{1,400}$/)
  })
})

describe('The check of the version of the platform\'s API', () => {
  it('warns of one that ends within six months, or has ended', () => {
    const [ending] = checkApiVersion('v21.0', NOW)
    assert.deepEqual([ending?.fault, ending?.note], [null, "version v21.0 of the platform's API ends on 2027-01-21; choose a later one"])
    assert.match(checkApiVersion('v20.0', NOW)[0]?.note ?? '', /ended on 2026-09-24/)
  })

  it('says nothing of others, and of those whose end is not published', () => {
    for (const version of ['v25.0', 'v26.0', 'v99.0', 'v1.0']) assert.deepEqual(checkApiVersion(version, NOW), [])
  })
})
