import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  NOTICES_KEPT, supersedes, type AccountField, type AccountNotice, type AccountNotices, type PortFailure,
} from '../../../core/ports/account-notices.js'

export const accountNotices = (kept: Map<AccountField, AccountNotice>): AccountNotices => ({
  record: (notice: AccountNotice): TE.TaskEither<PortFailure, void> =>
    TE.fromIO(() => { if (supersedes(notice, kept.get(notice.field)) && kept.size < NOTICES_KEPT) kept.set(notice.field, notice) }),
  latest: (accountId: string): TE.TaskEither<PortFailure, ReadonlyArray<AccountNotice>> =>
    TE.right([...kept.values()].filter((notice) => notice.accountId === accountId)),
})
