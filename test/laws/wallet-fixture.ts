import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Balance, Currency } from '../../core/kernel/money.js'
import type { Instant } from '../../core/kernel/time.js'
import type { MessageId } from '../../core/messages/message.js'
import type { NewHold, Wallet } from '../../core/money/wallet.js'
import { done, same } from './expect.js'
import { newMessageId } from './ids.js'

/** A wallet, and the control over the environment that its laws need. */
export type WalletFixture = {
  readonly wallet: Wallet
  /** Opens a workspace whose wallet has the given available micros and nothing held. */
  readonly openWorkspace: (micros: bigint) => Promise<{ readonly workspace: WorkspaceId; readonly currency: Currency }>
  /** The current balance of a workspace's wallet. */
  readonly balance: (workspace: WorkspaceId) => Promise<Balance>
}

/** A workspace of a wallet's fixture and the repeated actions of its laws. */
export type WalletWorkspace = {
  readonly workspace: WorkspaceId
  readonly currency: Currency
  /** The price of a new message, or of the given one. */
  readonly price: (micros: bigint, message?: MessageId, at?: Instant) => NewHold
  /** Reserves the price of a new message and returns the key of the hold. */
  readonly held: (micros: bigint) => Promise<NewHold>
  /** Checks the balance of the wallet. */
  readonly has: (promise: string, available: bigint, held: bigint) => Promise<void>
}

/** Opens a workspace with an amount of micros. */
export const openWalletWorkspace = async ({ wallet, openWorkspace, balance }: WalletFixture, micros: bigint): Promise<WalletWorkspace> => {
  const { workspace, currency } = await openWorkspace(micros)
  const price: WalletWorkspace['price'] = (amount, message, at = Date.now()) => ({
    workspace, message: message ?? newMessageId(at), amount: { micros: amount, currency }, at,
  })
  return {
    workspace,
    currency,
    price,
    held: async (amount) => {
      const hold = price(amount)
      await done('a price that the balance covers is set aside', wallet.hold(hold))
      return hold
    },
    has: async (promise, available, held) => same(promise, await balance(workspace), { available, held, currency }),
  }
}
