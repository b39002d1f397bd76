import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { balanceView, type BalanceView } from '../../../core/kernel/money.js'
import { Amount, Currency } from '../codecs.js'
import { type Outcome, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { missingThing, type NotFound } from '../reply.js'
import { type Codec, described, named, record } from '../schema.js'

const Wallet: Codec<BalanceView> = named('Wallet', described(
  record({ currency: Currency, available: Amount, held: Amount }),
  'A prepaid balance: the amount available, and the amount held for messages that are being sent.',
))

/** `GET /wallet` */
export const getWallet = workspaceOperation({
  id: 'getWallet',
  method: 'get',
  path: '/wallet',
  tag: 'Reading',
  act: 'wallet.view',
  summary: 'Look up the balance',
  description: "The balance of the workspace's wallet.",
  reply: { description: 'The balance.', codec: Wallet, example: { currency: 'USD', available: '12.340000', held: '0.000000' } },
  failures: { NotFound: true },
  run: async ({ postern: { money } }: UseCases, { workspace }: WorkspaceRequest): Outcome<NotFound | PortFailure, BalanceView> => {
    const balance = await money.showBalance(workspace)
    if (E.isLeft(balance)) return balance
    return O.isNone(balance.right)
      ? E.left(missingThing('This workspace has no wallet'))
      : E.right({ value: balanceView(balance.right.value) })
  },
})
