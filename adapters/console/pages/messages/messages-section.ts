import type { NameCustomers } from '../../../../core/customers/use-cases.js'
import type { MessageContents } from '../../../../core/messages/kept-content.js'
import type { ListMessages } from '../../../../core/messages/message-log.js'
import type { PriceOf } from '../../../../core/money/rate-card.js'
import type { ResolveMessage } from '../../../../core/sending/reconcile.js'
import type { ListTemplates } from '../../../../core/templates/use-cases.js'
import type { ShowMessage } from '../../../../core/timeline.js'

/** The dependencies of the pages of messages. */
export type MessagesSection = {
  readonly listMessages: ListMessages
  readonly showMessage: ShowMessage
  readonly nameCustomers: NameCustomers
  readonly resolveMessage: ResolveMessage
  /** The current prices, which include the market of a customer. */
  readonly priceOf: PriceOf
  /** The contents of messages, and the templates of some of them; if absent, no content is shown. */
  readonly contents?: Pick<MessageContents, 'find'> & { readonly listTemplates: ListTemplates }
}
