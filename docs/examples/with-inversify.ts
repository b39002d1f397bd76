import * as TE from 'fp-ts/lib/TaskEither.js'
import { Container } from 'inversify'
import { v7 as uuid } from 'uuid'
import {
  LIMITS, MESSAGE_LOG, NEW_MESSAGE_ID, PLATFORM, PRICE_OF, RETRY_LATER, SEND_TEMPLATE, SENDERS, useCases, WALLET, WINDOW_CLOCK,
} from '../../adapters/inversify/index.js'
import { makeMemoryStorage, makeRetryLater } from '../../adapters/memory/index.js'
import { messageIdOf, workspaceIdOf, type Currency, type PhoneNumber, type PlatformId, type Wallet } from '../../core/index.js'

const storage = makeMemoryStorage()
const currency = 'USD' as Currency

/** The app's own billing: whoever may send pays at the end of the month, so nothing is ever short and nothing is kept. */
const billedLater: Wallet = {
  hold: () => TE.right(undefined),
  capture: () => TE.right('captured'),
  release: () => TE.right('released'),
  refund: () => TE.right('refunded'),
  stale: () => TE.right({ items: [], next: undefined }),
}

const container = new Container({ defaultScope: 'Singleton' })
container.load(useCases)
container.bind(WALLET).toConstantValue(billedLater)
container.bind(MESSAGE_LOG).toConstantValue(storage.messageLog)
container.bind(SENDERS).toConstantValue(storage.senders)
container.bind(WINDOW_CLOCK).toConstantValue(storage.windowClock)
container.bind(PLATFORM).toConstantValue({ send: () => TE.right('wamid.example' as PlatformId) })
container.bind(PRICE_OF).toConstantValue(() => ({ micros: 0n, currency, category: 'marketing' }))
container.bind(RETRY_LATER).toConstantValue(makeRetryLater().retryLater)
container.bind(NEW_MESSAGE_ID).toConstantValue(() => messageIdOf(uuid()))
container.bind(LIMITS).toConstantValue({ unconfirmedAfterMs: 120_000, releaseAfterMs: 7 * 24 * 3_600_000 })

const workspace = workspaceIdOf(uuid())
await storage.workspaces.create({ id: workspace, name: 'shop', currency, createdAt: Date.now() })()
await storage.senders.assign(workspace, { phoneNumberId: '1001', accessToken: 'token', businessAccountId: undefined })()
const sent = await container.get(SEND_TEMPLATE)({ workspace, to: '33639980001' as PhoneNumber, name: 'order_update' })()
console.log(sent)
