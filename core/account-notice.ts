import type { JsonObject } from './json.js'
import type { Instant } from './time.js'

/** What the platform's notices on an account are about. */
export const ACCOUNT_FIELDS = [
  'message_template_status_update', 'message_template_quality_update', 'template_category_update', 'account_update', 'phone_number_quality_update',
  'business_capability_update',
] as const

/** What a notice is about: a template's state, quality or category, the account, a number's quality, or the account's limits. */
export type AccountField = (typeof ACCOUNT_FIELDS)[number]

/** What the platform said of a business account. */
export type AccountNotice = {
  /** The platform's id of the business account, up to 64 characters. */
  readonly accountId: string
  readonly field: AccountField
  /** What of the account it is about, up to 255 printable ASCII characters: a template's id, a phone number, an event; empty for the whole account. */
  readonly subject: string
  /** What the platform said, as it said it. */
  readonly value: JsonObject
  readonly at: Instant
}

/** How many notices of one account are kept; of more, the oldest are dropped. */
export const NOTICES_KEPT = 1_000

/** Whether a notice takes the place of the one that was kept of the same account, field and subject: it does unless it is older. */
export const supersedes = (notice: AccountNotice, kept: AccountNotice | undefined): boolean => kept === undefined || notice.at >= kept.at
