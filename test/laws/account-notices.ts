import { type AccountNotice, type AccountNotices, NOTICES_KEPT } from '../../core/reports/account.js'
import { done, same } from './expect.js'
import { newDigits, times } from './ids.js'
import type { Law } from './law.js'

/** The notices of accounts. */
export type AccountNoticesFixture = { readonly accountNotices: AccountNotices }

const NOON = Date.UTC(2026, 2, 1, 12)

const noticeOf = (accountId: string, more: Partial<AccountNotice> = {}): AccountNotice => ({
  accountId, field: 'message_template_status_update', subject: '1689556908129832', value: { event: 'APPROVED' }, at: NOON, ...more,
})

const record = async ({ accountNotices }: AccountNoticesFixture, ...notices: ReadonlyArray<AccountNotice>): Promise<void> => {
  for (const notice of notices) await done('a notice is recorded', accountNotices.record(notice))
}

const latest = ({ accountNotices }: AccountNoticesFixture, accountId: string): Promise<ReadonlyArray<AccountNotice>> =>
  done('the notices of an account are read', accountNotices.latest(accountId))

/** The promises of every `AccountNotices`. */
export const accountNoticesLaws: ReadonlyArray<Law<AccountNoticesFixture>> = [
  {
    name: 'an account of which nothing was recorded has no notices',
    check: async (fixture) => {
      await record(fixture, noticeOf(newDigits(15)))
      for (const accountId of [newDigits(15), '', '__proto__', '\u0000', '%']) {
        same('an unknown account', await latest(fixture, accountId), [])
      }
    },
  },
  {
    name: 'a notice comes back as it was given',
    check: async (fixture) => {
      const accountId = newDigits(15)
      const value = {
        event: 'PAUSED', text: 'é🔑\u2028"\'\\\u0000', nested: { list: [1, null, true, { a: '' }] }, large: 'x'.repeat(8_000),
      }
      const notices = [
        noticeOf(accountId, { value, at: NOON + 1 }),
        noticeOf(accountId, { field: 'business_capability_update', subject: '', at: NOON }),
        noticeOf(accountId, { field: 'phone_number_quality_update', subject: 'x'.repeat(255), at: NOON - 1 }),
      ]
      await record(fixture, ...notices)
      same('what was recorded', await latest(fixture, accountId), notices)
    },
  },
  {
    name: 'the notices of an account are listed latest first, and those of others are not',
    check: async (fixture) => {
      const [ours, theirs] = [newDigits(15), newDigits(15)]
      await record(fixture, ...[2, 5, 1, 4, 3].map((at) => noticeOf(ours, { subject: String(at), at: NOON + at })), noticeOf(theirs))
      same('the moments of ours', (await latest(fixture, ours)).map(({ at }) => at - NOON), [5, 4, 3, 2, 1])
      same('theirs', await latest(fixture, theirs), [noticeOf(theirs)])
    },
  },
  {
    name: 'a later notice takes the place of the one before of the same field and subject',
    check: async (fixture) => {
      const accountId = newDigits(15)
      const [before, after] = [noticeOf(accountId), noticeOf(accountId, { value: { event: 'PAUSED' }, at: NOON + 1 })]
      const others = [
        noticeOf(accountId, { subject: 'other', at: NOON - 1 }), noticeOf(accountId, { field: 'account_update', at: NOON - 2 }),
      ]
      await record(fixture, before, ...others, after)
      same('the later one and the others', await latest(fixture, accountId), [after, ...others])
    },
  },
  {
    name: 'a notice of the same moment takes the place of the one before',
    check: async (fixture) => {
      const accountId = newDigits(15)
      await record(fixture, noticeOf(accountId), noticeOf(accountId, { value: { event: 'PAUSED' } }))
      same('the one that was recorded last', await latest(fixture, accountId), [noticeOf(accountId, { value: { event: 'PAUSED' } })])
    },
  },
  {
    name: 'an older notice, or the same again, changes nothing',
    check: async (fixture) => {
      const accountId = newDigits(15)
      await record(fixture, noticeOf(accountId), noticeOf(accountId, { value: { event: 'PENDING' }, at: NOON - 1 }))
      same('after an older one', await latest(fixture, accountId), [noticeOf(accountId)])
      await record(fixture, noticeOf(accountId))
      same('after the same again', await latest(fixture, accountId), [noticeOf(accountId)])
    },
  },
  {
    name: 'of concurrent notices the latest is kept',
    check: async (fixture) => {
      const accountId = newDigits(15)
      const notices = times(20, (index) => noticeOf(accountId, { value: { event: `${(index * 7) % 20}` }, at: NOON + ((index * 7) % 20) }))
      await Promise.all(notices.map((notice) => record(fixture, notice)))
      same('the latest of twenty', await latest(fixture, accountId), [noticeOf(accountId, { value: { event: '19' }, at: NOON + 19 })])
    },
  },
  {
    name: 'of more notices than an account keeps the oldest are dropped',
    check: async (fixture) => {
      const [accountId, other] = [newDigits(15), newDigits(15)]
      await record(fixture, noticeOf(other, { at: NOON - 1 }))
      const notices = times(NOTICES_KEPT + 5, (index) => noticeOf(accountId, { subject: String(index), at: NOON + index }))
      await Promise.all(notices.map((notice) => record(fixture, notice)))
      same(
        'the latest are kept', (await latest(fixture, accountId)).map(({ subject }) => subject),
        notices.map(({ subject }) => subject).slice(5).reverse(),
      )
      await record(fixture, noticeOf(accountId, { subject: 'too old', at: NOON }))
      same('one older than all of them is dropped', (await latest(fixture, accountId)).some(({ subject }) => subject === 'too old'), false)
      same('another account keeps its own', (await latest(fixture, other)).length, 1)
    },
  },
]
