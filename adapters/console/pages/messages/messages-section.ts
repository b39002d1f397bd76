import type { MessageContents } from '../../../../core/messages/kept-content.js'
import type { ListMessages } from '../../../../core/messages/message-log.js'
import type { PriceOf } from '../../../../core/money/rate-card.js'
import type { ResolveMessage } from '../../../../core/sending/reconcile.js'
import type { ListTemplates } from '../../../../core/templates/use-cases.js'
import type { ShowMessage } from '../../../../core/trail.js'

/** What the pages of messages need. */
export type MessagesSection = {
  readonly listMessages: ListMessages
  readonly showMessage: ShowMessage
  readonly resolveMessage: ResolveMessage
  /** The prices of today, which tell the market of a customer. */
  readonly priceOf: PriceOf
  /** What messages said, and the templates that some were made of; where absent, nothing is shown of it. */
  readonly contents?: Pick<MessageContents, 'find'> & { readonly listTemplates: ListTemplates }
}
