import * as E from 'fp-ts/lib/Either.js'
import { Container } from 'inversify'
import { phoneNumberOf, type Wallet } from 'postern'
import { PORTS, SEND_TEMPLATE, SENDING_SETTINGS, sends } from 'postern/inversify'
import { openSandbox } from 'postern/memory'

/** The app's own billing: users pay at the end of the month, so there are no balances. */
const billedLater: Wallet = {
  hold: async () => E.right(undefined),
  capture: async () => E.right('captured'),
  capturePart: async () => E.right('captured'),
  release: async () => E.right('released'),
  refund: async () => E.right('refunded'),
  holdOf: async () => E.right('held'),
  stale: async () => E.right({ items: [], next: undefined }),
}

const { workspace, ...sandbox } = await openSandbox({ micros: 0n })

const container = new Container({ defaultScope: 'Singleton' })
container.load(sends)
container.bind(PORTS.wallet).toConstantValue(billedLater)
container.bind(PORTS.messageLog).toConstantValue(sandbox.messageLog)
container.bind(PORTS.senders).toConstantValue(sandbox.senders)
container.bind(PORTS.windowClock).toConstantValue(sandbox.windowClock)
container.bind(PORTS.platform).toConstantValue(sandbox.platform)
container.bind(SENDING_SETTINGS).toConstantValue(sandbox)

const reply = await container.get(SEND_TEMPLATE)({ workspace, to: phoneNumberOf('33639980001'), name: 'order_update' })
console.log(reply._tag === 'Right' ? `sent as ${reply.right.platformId}` : reply.left._tag)
