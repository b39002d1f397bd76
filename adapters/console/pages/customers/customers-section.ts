import type { ListOpenWindows } from '../../../../core/customers/use-cases.js'
import type { FreeForm } from '../../../../core/customers/window.js'
import type { Clock } from '../../../../core/kernel/time.js'
import type { PriceOf } from '../../../../core/money/rate-card.js'
import type { EraseCustomer } from '../../../../core/privacy.js'
import type { ShowConversation } from '../../../../core/trail.js'
import type { MessagesSection } from '../messages/messages-section.js'

/** What the pages of customers need. */
export type CustomersSection = {
  readonly listOpenWindows: ListOpenWindows
  readonly showConversation: ShowConversation
  /** What messages said; where absent, nothing is shown of it. */
  readonly contents?: NonNullable<MessagesSection['contents']>
  /** The prices of today. */
  readonly priceOf: PriceOf
  /** Erases a customer; absent where the storage has no secret to do it with. */
  readonly eraseCustomer?: EraseCustomer
  /** A text that no other form has. */
  readonly newFormKey: () => string
  readonly now: Clock
  /** `always` if the network delivers free-form messages at any time, as `WindowClock` has it. */
  readonly freeForm?: FreeForm | undefined
}
