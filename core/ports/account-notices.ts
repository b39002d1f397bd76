import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { AccountNotice } from '../account-notice.js'
import type { PortFailure } from '../errors.js'

export { NOTICES_KEPT, supersedes } from '../account-notice.js'
export type { AccountField, AccountNotice } from '../account-notice.js'
export type { PortFailure } from '../errors.js'

/** What the platform last said of each business account. */
export interface AccountNotices {
  /**
   * Keeps a notice instead of the one before it of the same account, field and subject; one that is older than that changes nothing.
   *
   * Of one account the latest `NOTICES_KEPT` are kept.
   */
  readonly record: (notice: AccountNotice) => TaskEither<PortFailure, void>
  /** The notices of an account, latest first; empty where there are none. */
  readonly latest: (accountId: string) => TaskEither<PortFailure, ReadonlyArray<AccountNotice>>
}
