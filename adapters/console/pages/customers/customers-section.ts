import type { ListOpenWindows } from '../../../../core/customers/use-cases.js'
import type { FreeForm } from '../../../../core/customers/window.js'
import type { Clock } from '../../../../core/kernel/time.js'
import type { PriceOf } from '../../../../core/money/rate-card.js'
import type { EraseCustomer } from '../../../../core/privacy.js'
import type { ShowConversation } from '../../../../core/timeline.js'
import type { MessagesSection } from '../messages/messages-section.js'

/** The dependencies of the pages of customers. */
export type CustomersSection = {
  readonly listOpenWindows: ListOpenWindows
  readonly showConversation: ShowConversation
  /** The content of messages; if absent, no content is shown. */
  readonly contents?: NonNullable<MessagesSection['contents']>
  /** The current prices. */
  readonly priceOf: PriceOf
  /** Erases a customer; absent if the storage has no secret for it. */
  readonly eraseCustomer?: EraseCustomer
  /** Creates a unique text for each form. */
  readonly newFormKey: () => string
  readonly now: Clock
  /** `always` if the network delivers free-form messages at any time, as in `WindowClock`. */
  readonly freeForm?: FreeForm | undefined
}
