import * as TE from 'fp-ts/lib/TaskEither.js'
import { Container } from 'inversify'
import type { PhoneNumber, Wallet } from 'postern'
import {
  LIMITS, MESSAGE_LOG, NEW_MESSAGE_ID, PLATFORM, PRICE_OF, RETRY_LATER, SEND_TEMPLATE, SENDERS, useCases, WALLET, WINDOW_CLOCK,
} from 'postern/inversify'
import { openTrial } from 'postern/memory'

/** The app's own billing: whoever may send pays at the end of the month, so nothing is ever short and nothing is kept. */
const billedLater: Wallet = {
  hold: () => TE.right(undefined),
  capture: () => TE.right('captured'),
  release: () => TE.right('released'),
  refund: () => TE.right('refunded'),
  stale: () => TE.right({ items: [], next: undefined }),
}

const { workspace, ...trial } = await openTrial({ micros: 0n })

const container = new Container({ defaultScope: 'Singleton' })
container.load(useCases)
container.bind(WALLET).toConstantValue(billedLater)
container.bind(MESSAGE_LOG).toConstantValue(trial.messageLog)
container.bind(SENDERS).toConstantValue(trial.senders)
container.bind(WINDOW_CLOCK).toConstantValue(trial.windowClock)
container.bind(PLATFORM).toConstantValue(trial.platform)
container.bind(PRICE_OF).toConstantValue(trial.priceOf)
container.bind(RETRY_LATER).toConstantValue(trial.retryLater)
container.bind(NEW_MESSAGE_ID).toConstantValue(trial.newMessageId)
container.bind(LIMITS).toConstantValue({ unconfirmedAfterMs: trial.unconfirmedAfterMs, releaseAfterMs: trial.releaseAfterMs })

const reply = await container.get(SEND_TEMPLATE)({ workspace, to: '33639980001' as PhoneNumber, name: 'order_update' })()
console.log(reply._tag === 'Right' ? `sent as ${reply.right.platformId}` : reply.left._tag)
