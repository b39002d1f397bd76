import { ContainerModule } from 'inversify'
import { makeReceive } from '../../core/receive.js'
import { makeReconcile } from '../../core/reconcile.js'
import { makeSendTemplate } from '../../core/send-template.js'
import { makeSendText } from '../../core/send-text.js'
import {
  LIMITS, MESSAGE_LOG, NEW_MESSAGE_ID, PLATFORM, PRICE_OF, RECEIVE, RECONCILE, RETRY_LATER, SEND_TEMPLATE, SEND_TEXT, SENDERS,
  WALLET, WINDOW_CLOCK,
} from './tokens.js'

/**
 * The use cases, bound to the tokens of the ports they need, which are for the app to bind.
 *
 * A use case holds no state, so the container's default scope does; `Singleton` saves making it again.
 */
export const useCases = new ContainerModule(({ bind }) => {
  bind(SEND_TEXT).toResolvedValue(
    (messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, { unconfirmedAfterMs }) =>
      makeSendText({ messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, unconfirmedAfterMs }),
    [MESSAGE_LOG, WALLET, PLATFORM, SENDERS, WINDOW_CLOCK, PRICE_OF, NEW_MESSAGE_ID, RETRY_LATER, LIMITS],
  )
  bind(SEND_TEMPLATE).toResolvedValue(
    (messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, { unconfirmedAfterMs }) =>
      makeSendTemplate({ messageLog, wallet, platform, senders, windowClock, priceOf, newMessageId, retryLater, unconfirmedAfterMs }),
    [MESSAGE_LOG, WALLET, PLATFORM, SENDERS, WINDOW_CLOCK, PRICE_OF, NEW_MESSAGE_ID, RETRY_LATER, LIMITS],
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
