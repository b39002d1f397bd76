import { ContainerModule } from 'inversify'
import type { AccountNotices } from '../../core/ports/account-notices.js'
import type { Admission } from '../../core/ports/admission.js'
import type { Customers } from '../../core/ports/customers.js'
import type { FreeMessages } from '../../core/ports/free-messages.js'
import { makeMarkRead } from '../../core/use-cases/mark-read.js'
import type { TemplateCatalogue } from '../../core/ports/template-catalogue.js'
import { makeReceive } from '../../core/use-cases/receive.js'
import { makeReconcile } from '../../core/use-cases/reconcile.js'
import { makeSendTemplate } from '../../core/use-cases/send-template.js'
import { makeSendText } from '../../core/use-cases/send-text.js'
import {
  ACCOUNT_NOTICES, ADMISSION, CONVERSATION, CUSTOMERS, FREE_MESSAGES, LIMITS, MARK_READ, MESSAGE_LOG, NEW_MESSAGE_ID, PLATFORM, PRICE_OF, RECEIVE,
  RECONCILE, RETRY_LATER,
  SEND_TEMPLATE, SEND_TEXT, SENDERS, TEMPLATE_CATALOGUE, WALLET, WINDOW_CLOCK,
} from './tokens.js'

const OPTIONAL_ADMISSION = { serviceIdentifier: ADMISSION, optional: true } as const
const OPTIONAL_CUSTOMERS = { serviceIdentifier: CUSTOMERS, optional: true } as const
const OPTIONAL_FREE_MESSAGES = { serviceIdentifier: FREE_MESSAGES, optional: true } as const
const OPTIONAL_ACCOUNT_NOTICES = { serviceIdentifier: ACCOUNT_NOTICES, optional: true } as const
const OPTIONAL_TEMPLATE_CATALOGUE = { serviceIdentifier: TEMPLATE_CATALOGUE, optional: true } as const

/**
 * The use cases, bound to the tokens of the ports they need, which are for the app to bind.
 *
 * A use case holds no state, so the container's default scope does; `Singleton` saves making it again.
 */
export const useCases = new ContainerModule(({ bind }) => {
  bind(SEND_TEXT).toResolvedValue(
    (
      messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, { unconfirmedAfterMs }, admission: Admission | undefined,
      customers: Customers | undefined, freeMessages: FreeMessages | undefined,
    ) =>
      makeSendText({
        messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, unconfirmedAfterMs, ...(admission && { admission }),
        ...(customers && { customers }), ...(freeMessages && { freeMessages }),
      }),
    [
      MESSAGE_LOG, WALLET, PLATFORM, SENDERS, WINDOW_CLOCK, PRICE_OF, NEW_MESSAGE_ID, RETRY_LATER, LIMITS, OPTIONAL_ADMISSION, OPTIONAL_CUSTOMERS,
      OPTIONAL_FREE_MESSAGES,
    ],
  )
  bind(SEND_TEMPLATE).toResolvedValue(
    (
      messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, { unconfirmedAfterMs }, admission: Admission | undefined,
      customers: Customers | undefined,
    ) =>
      makeSendTemplate({
        messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, unconfirmedAfterMs, ...(admission && { admission }),
        ...(customers && { customers }),
      }),
    [MESSAGE_LOG, WALLET, PLATFORM, SENDERS, WINDOW_CLOCK, PRICE_OF, NEW_MESSAGE_ID, RETRY_LATER, LIMITS, OPTIONAL_ADMISSION, OPTIONAL_CUSTOMERS],
  )
  bind(MARK_READ).toResolvedValue(
    (conversation, senders, admission: Admission | undefined) => makeMarkRead({ conversation, senders, ...(admission && { admission }) }),
    [CONVERSATION, SENDERS, OPTIONAL_ADMISSION],
  )
  bind(RECEIVE).toResolvedValue(
    (
      windowClock, senders, messageLog, wallet, customers: Customers | undefined, accountNotices: AccountNotices | undefined,
      templateCatalogue: TemplateCatalogue | undefined, freeMessages: FreeMessages | undefined,
    ) =>
      makeReceive({
        windowClock, senders, messageLog, wallet, ...(customers && { customers }), ...(accountNotices && { accountNotices }),
        ...(templateCatalogue && { templateCatalogue }), ...(freeMessages && { freeMessages }),
      }),
    [
      WINDOW_CLOCK, SENDERS, MESSAGE_LOG, WALLET, OPTIONAL_CUSTOMERS, OPTIONAL_ACCOUNT_NOTICES, OPTIONAL_TEMPLATE_CATALOGUE, OPTIONAL_FREE_MESSAGES,
    ],
  )
  bind(RECONCILE).toResolvedValue(
    (windowClock, messageLog, wallet, limits, freeMessages: FreeMessages | undefined) =>
      makeReconcile({ windowClock, messageLog, wallet, ...limits, ...(freeMessages && { freeMessages }) }),
    [WINDOW_CLOCK, MESSAGE_LOG, WALLET, LIMITS, OPTIONAL_FREE_MESSAGES],
  )
})
