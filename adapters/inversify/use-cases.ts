import { ContainerModule } from 'inversify'
import type { Admission } from '../../core/ports/admission.js'
import { makeReceive } from '../../core/use-cases/receive.js'
import { makeReconcile } from '../../core/use-cases/reconcile.js'
import { makeSendTemplate } from '../../core/use-cases/send-template.js'
import { makeSendText } from '../../core/use-cases/send-text.js'
import {
  ADMISSION, LIMITS, MESSAGE_LOG, NEW_MESSAGE_ID, PLATFORM, PRICE_OF, RECEIVE, RECONCILE, RETRY_LATER, SEND_TEMPLATE, SEND_TEXT,
  SENDERS, WALLET, WINDOW_CLOCK,
} from './tokens.js'

const OPTIONAL_ADMISSION = { serviceIdentifier: ADMISSION, optional: true } as const

/**
 * The use cases, bound to the tokens of the ports they need, which are for the app to bind.
 *
 * A use case holds no state, so the container's default scope does; `Singleton` saves making it again.
 */
export const useCases = new ContainerModule(({ bind }) => {
  bind(SEND_TEXT).toResolvedValue(
    (messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, { unconfirmedAfterMs }, admission: Admission | undefined) =>
      makeSendText({
        messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, unconfirmedAfterMs, ...(admission && { admission }),
      }),
    [MESSAGE_LOG, WALLET, PLATFORM, SENDERS, WINDOW_CLOCK, PRICE_OF, NEW_MESSAGE_ID, RETRY_LATER, LIMITS, OPTIONAL_ADMISSION],
  )
  bind(SEND_TEMPLATE).toResolvedValue(
    (messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, { unconfirmedAfterMs }, admission: Admission | undefined) =>
      makeSendTemplate({
        messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, unconfirmedAfterMs, ...(admission && { admission }),
      }),
    [MESSAGE_LOG, WALLET, PLATFORM, SENDERS, WINDOW_CLOCK, PRICE_OF, NEW_MESSAGE_ID, RETRY_LATER, LIMITS, OPTIONAL_ADMISSION],
  )
  bind(RECEIVE).toResolvedValue(
    (windowClock, senders, messageLog, wallet) => makeReceive({ windowClock, senders, messageLog, wallet }),
    [WINDOW_CLOCK, SENDERS, MESSAGE_LOG, WALLET],
  )
  bind(RECONCILE).toResolvedValue(
    (windowClock, messageLog, wallet, limits) => makeReconcile({ windowClock, messageLog, wallet, ...limits }),
    [WINDOW_CLOCK, MESSAGE_LOG, WALLET, LIMITS],
  )
})
