import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { PortFailure } from '../../../core/kernel/failure.js'
import { balanceView, type BalanceView } from '../../../core/kernel/money.js'
import { scheduledView, type ScheduledView } from '../../../core/money/scheduled.js'
import { Amount, Currency } from '../codecs.js'
import { type Outcome, type UseCases, workspaceOperation, type WorkspaceRequest } from '../operation.js'
import { missingThing, type NotFound } from '../reply.js'
import { type Codec, described, named, record } from '../schema.js'

type WalletView = BalanceView & { readonly scheduled: ScheduledView }

const Scheduled: Codec<ScheduledView> = described(
  record({ next_24_h: Amount, all: Amount }),
  'The prices of messages that wait for their time and hold nothing yet: of those that are due in the next 24 hours, and of all of them.',
)

const Wallet: Codec<WalletView> = named('Wallet', described(
  record({ currency: Currency, available: Amount, held: Amount, scheduled: Scheduled }),
  'A prepaid balance: the amount available, the amount held for messages that are being sent, and the amount that scheduled messages will cost.',
))

/** An app without a queue schedules nothing. */
const NONE = { soon: 0n, all: 0n }

/** `GET /wallet` */
export const getWallet = workspaceOperation({
  id: 'getWallet',
  method: 'get',
  path: '/wallet',
  tag: 'Reading',
  act: 'wallet.view',
  summary: 'Look up the balance',
  description: "The balance of the workspace's wallet. The price of a scheduled message is held when the message is due; until then it is counted in `scheduled`.",
  reply: {
    description: 'The balance.',
    codec: Wallet,
    example: {
      currency: 'USD', available: '12.340000', held: '0.000000', scheduled: { next_24_h: '1.200000', all: '3.100000' },
    },
  },
  failures: { NotFound: true },
  run: async ({ postern: { money } }: UseCases, { workspace }: WorkspaceRequest): Outcome<NotFound | PortFailure, WalletView> => {
    const [balance, scheduled] = await Promise.all([money.showBalance(workspace), money.showScheduled?.(workspace) ?? E.right(NONE)])
    if (E.isLeft(balance)) return balance
    if (E.isLeft(scheduled)) return scheduled
    return O.isNone(balance.right)
      ? E.left(missingThing('This workspace has no wallet'))
      : E.right({ value: { ...balanceView(balance.right.value), scheduled: scheduledView(scheduled.right) } })
  },
})
