import type { Clock } from '../../../core/time.js'
import type { EraseCustomer } from '../../../core/use-cases/erase-customer.js'
import type { ListMessages } from '../../../core/use-cases/list-messages.js'
import type { ListOpenWindows } from '../../../core/use-cases/list-open-windows.js'
import type { ShowCustomer } from '../../../core/use-cases/show-customer.js'

/** What the pages of customers need. */
export type CustomersSection = {
  readonly listOpenWindows: ListOpenWindows
  readonly showCustomer: ShowCustomer
  readonly listMessages: ListMessages
  /** Erases a customer; absent where the storage has no secret to do it with. */
  readonly eraseCustomer?: EraseCustomer
  readonly now: Clock
}
