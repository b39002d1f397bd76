import * as E from 'fp-ts/lib/Either.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { MessageId } from '../../core/messages/message.js'
import type { HoldState, MoveHold, Wallet } from '../../core/money/wallet.js'
import { newWorkspaceId } from '../laws/ids.js'
import type { WalletFixture } from '../laws/wallet.js'

type Account = { available: bigint; held: bigint; readonly holds: Map<MessageId, { state: HoldState; readonly micros: bigint }> }

const USD = 'USD' as Currency

/**
 * A wallet as it is written in a hurry: it reads, waits as for a database, and writes what it read, changed; it does not ask
 * whether a hold was moved before, nor what currency a price is in.
 */
export const openNaiveFixture = async (): Promise<WalletFixture> => {
  const accounts = new Map<WorkspaceId, Account>()
  const accountOf = (workspace: WorkspaceId): Account => accounts.get(workspace) ?? { available: 0n, held: 0n, holds: new Map() }

  const moving =
    (state: HoldState, back: bigint): MoveHold =>
    async ({ workspace, message }) => {
      const account = accountOf(workspace)
      const hold = account.holds.get(message)
      if (hold === undefined) return E.right(undefined)
      const { available, held } = account
      await pause()
      account.available = available + back * hold.micros
      account.held = held - hold.micros
      hold.state = state
      return E.right(state)
    }

  const wallet: Wallet = {
    hold: async ({ workspace, message, amount }) => {
      const account = accountOf(workspace)
      const { available, held } = account
      await pause()
      if (available < amount.micros) {
        return { _tag: 'Left', left: { _tag: 'InsufficientBalance', required: amount.micros, available, held, currency: USD } }
      }
      account.available = available - amount.micros
      account.held = held + amount.micros
      account.holds.set(message, { state: 'held', micros: amount.micros })
      return { _tag: 'Right', right: undefined }
    },
    capture: moving('captured', 0n),
    capturePart: ({ micros: _whole, ...of }) => moving('captured', 0n)(of),
    release: moving('released', 1n),
    refund: moving('refunded', 1n),
    holdOf: async ({ workspace, message }) => E.right(accountOf(workspace).holds.get(message)?.state),
    stale: async () => E.right({ items: [], next: undefined }),
  }

  return {
    wallet,
    openWorkspace: async (micros) => {
      const workspace = newWorkspaceId()
      accounts.set(workspace, { available: micros, held: 0n, holds: new Map() })
      return { workspace, currency: USD }
    },
    balance: async (workspace) => {
      const { available, held } = accountOf(workspace)
      return { available, held, currency: USD }
    },
  }
}

const pause = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve) })
