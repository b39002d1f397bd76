import type { PriceOf } from '../../../core/rate-card.js'
import type { ListMessages } from '../../../core/use-cases/list-messages.js'
import type { ResolveMessage } from '../../../core/use-cases/resolve-message.js'
import type { ShowMessage } from '../../../core/use-cases/show-message.js'

/** What the pages of messages need. */
export type MessagesSection = {
  readonly listMessages: ListMessages
  readonly showMessage: ShowMessage
  readonly resolveMessage: ResolveMessage
  /** The prices of today, which tell the market of a customer. */
  readonly priceOf: PriceOf
}
