import * as E from 'fp-ts/lib/Either.js'
import { type AccountNotice, NOTICES_KEPT } from '../../core/reports/account.js'
import { accountNoticesLaws } from '../laws/account-notices.js'
import { brokenMemory, noting, withResult } from './broken-memory.js'
import { describeMutations } from './mutation.js'

const onlyIf = (isKept: (notice: AccountNotice) => boolean) =>
  brokenMemory('accountNotices', ({ record }) => ({ record: async (notice) => (isKept(notice) ? record(notice) : E.right(undefined)) }))

/** A memory of one notice for each key, replaced as `replaces` says, and cut as `cut` says. */
const keeping = (
  replaces: (after: AccountNotice, before: AccountNotice) => boolean, cut = (notices: ReadonlyArray<AccountNotice>) => notices,
) =>
  brokenMemory('accountNotices', () => {
    let kept: ReadonlyArray<AccountNotice> = []
    return {
      record: async (notice) => {
        const isSame = (one: AccountNotice): boolean =>
          one.accountId === notice.accountId && one.field === notice.field && one.subject === notice.subject
        const before = kept.find(isSame)
        if (before === undefined || replaces(notice, before)) {
          kept = cut([...kept.filter((one) => !isSame(one)), notice].sort((a, b) => b.at - a.at))
        }
        return E.right(undefined)
      },
      latest: async (accountId) => E.right(kept.filter((one) => one.accountId === accountId)),
    }
  })

describeMutations('account notices', accountNoticesLaws, [
  {
    defect: 'shows the notices of every account',
    open: brokenMemory('accountNotices', ({ record, latest }) => {
      const accounts: string[] = []
      return {
        record: (notice) => noting(record(notice), () => void accounts.push(notice.accountId)),
        latest: (accountId) => latest(accounts.includes(accountId) ? accountId : accounts[0] ?? accountId),
      }
    }),
    breaks: ['an account of which nothing was recorded has no notices'],
  },
  {
    defect: 'keeps the event of a notice alone',
    open: brokenMemory('accountNotices', ({ record }) => ({
      record: (notice) => record({ ...notice, value: { event: notice.value['event'] ?? null } }),
    })),
    breaks: ['a notice comes back as it was given'],
  },
  {
    defect: 'keeps no notice on the whole account', open: onlyIf(({ subject }) => subject !== ''),
    breaks: ['a notice comes back as it was given'],
  },
  {
    defect: 'lists the oldest first',
    open: brokenMemory('accountNotices', ({ latest }) => ({
      latest: (accountId) => withResult(latest(accountId), (notices) => notices.toReversed()),
    })),
    breaks: ['the notices of an account are listed latest first, and those of others are not'],
  },
  {
    defect: 'keeps the first notice of each subject',
    open: keeping(() => false),
    breaks: ['a later notice takes the place of the one before of the same field and subject', 'of concurrent notices the latest is kept'],
  },
  {
    defect: 'keeps the first of two notices of one moment',
    open: keeping((after, before) => after.at > before.at),
    breaks: ['a notice of the same moment takes the place of the one before'],
  },
  {
    defect: 'keeps the notice that came last, however old',
    open: keeping(() => true),
    breaks: ['an older notice, or the same again, changes nothing'],
  },
  {
    defect: 'keeps every notice',
    open: keeping((after, before) => after.at >= before.at),
    breaks: ['of more notices than an account keeps the oldest are dropped'],
  },
  {
    defect: 'drops the oldest of all accounts together',
    open: keeping((after, before) => after.at >= before.at, (notices) => notices.slice(0, NOTICES_KEPT)),
    breaks: ['of more notices than an account keeps the oldest are dropped'],
  },
])
