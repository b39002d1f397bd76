import type { CustomerIds } from '../../core/customer.js'
import type { ReportedCustomer } from '../../core/use-cases/learn-customer.js'

/** What the items of one change have in common. */
export type Batch = {
  readonly phoneNumberId: string
  /** The customer whom an item is about, by the ids that the item names and by `contacts`. */
  readonly customerOf: (ids: CustomerIds | undefined) => ReportedCustomer | undefined
}
