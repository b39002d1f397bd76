import type { ListOpenWindows, ShowCustomer } from '../../../core/customers/use-cases.js'
import type { Clock } from '../../../core/kernel/time.js'
import type { ListMessages } from '../../../core/messages/message-log.js'
import type { EraseCustomer } from '../../../core/privacy.js'

/** What the pages of customers need. */
export type CustomersSection = {
  readonly listOpenWindows: ListOpenWindows
  readonly showCustomer: ShowCustomer
  readonly listMessages: ListMessages
  /** Erases a customer; absent where the storage has no secret to do it with. */
  readonly eraseCustomer?: EraseCustomer
  readonly now: Clock
}
