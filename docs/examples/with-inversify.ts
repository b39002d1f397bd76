import * as E from 'fp-ts/lib/Either.js'
import { Container } from 'inversify'
import type { PhoneNumber, Wallet } from 'postern'
import {
  LIMITS, MESSAGE_LOG, NEW_MESSAGE_ID, PLATFORM, PRICE_OF, RETRY_LATER, SEND_TEMPLATE, SENDERS, useCases, WALLET, WINDOW_CLOCK,
} from 'postern/inversify'
import { openSandbox } from 'postern/memory'

/** The app's own billing: users pay at the end of the month, so there are no balances. */
const billedLater: Wallet = {
  hold: async () => E.right(undefined),
  capture: async () => E.right('captured'),
  release: async () => E.right('released'),
  refund: async () => E.right('refunded'),
  holdOf: async () => E.right('held'),
  stale: async () => E.right({ items: [], next: undefined }),
}

const { workspace, ...sandbox } = await openSandbox({ micros: 0n })

const container = new Container({ defaultScope: 'Singleton' })
container.load(useCases)
container.bind(WALLET).toConstantValue(billedLater)
container.bind(MESSAGE_LOG).toConstantValue(sandbox.messageLog)
container.bind(SENDERS).toConstantValue(sandbox.senders)
container.bind(WINDOW_CLOCK).toConstantValue(sandbox.windowClock)
container.bind(PLATFORM).toConstantValue(sandbox.platform)
container.bind(PRICE_OF).toConstantValue(sandbox.priceOf)
container.bind(RETRY_LATER).toConstantValue(sandbox.retryLater)
container.bind(NEW_MESSAGE_ID).toConstantValue(sandbox.newMessageId)
container.bind(LIMITS).toConstantValue({ unconfirmedAfterMs: sandbox.unconfirmedAfterMs, releaseAfterMs: sandbox.releaseAfterMs })

const reply = await container.get(SEND_TEMPLATE)({ workspace, to: '33639980001' as PhoneNumber, name: 'order_update' })
console.log(reply._tag === 'Right' ? `sent as ${reply.right.platformId}` : reply.left._tag)
