import { type AccountNotice, type AccountNotices, NOTICES_KEPT, supersedes } from '../../core/reports/account.js'
import { infallible } from './task.js'

/** The notices of accounts, in memory. */
export const makeMemoryAccountNotices = (): AccountNotices => {
  const accounts = new Map<string, ReadonlyArray<AccountNotice>>()
  return {
    record: (notice) =>
      infallible(() => {
        const kept = accounts.get(notice.accountId) ?? []
        const isSame = ({ field, subject }: AccountNotice): boolean => field === notice.field && subject === notice.subject
        if (!supersedes(notice, kept.find(isSame))) return
        const others = kept.filter((one) => !isSame(one))
        accounts.set(notice.accountId, [notice, ...others].sort((a, b) => b.at - a.at).slice(0, NOTICES_KEPT))
      }),
    latest: (accountId) => infallible(() => accounts.get(accountId) ?? []),
  }
}
