import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Balance, Currency } from '../../core/kernel/money.js'
import type { Instant } from '../../core/kernel/time.js'
import type { MessageId } from '../../core/messages/message.js'
import type { Entry, Ledger } from '../../core/money/ledger.js'
import type { EntryKind, NewHold, Wallet } from '../../core/money/wallet.js'
import { done, same } from './expect.js'
import { newMessageId, newName } from './ids.js'

/** A ledger, the wallet whose movements it lists, and the control over the environment that its laws need. */
export type LedgerFixture = {
  readonly ledger: Ledger
  readonly wallet: Wallet
  /** Opens a workspace with an empty wallet and an empty statement. */
  readonly openWorkspace: () => Promise<{ readonly workspace: WorkspaceId; readonly currency: Currency }>
}

/** A workspace of a ledger's fixture and the repeated actions of its laws. */
export type LedgerWorkspace = {
  readonly workspace: WorkspaceId
  readonly currency: Currency
  /** Adds money under a new or given reference, and returns the new balance. */
  readonly topUp: (micros: bigint, reference?: string, at?: Instant) => Promise<Balance>
  /** The price of a new message. */
  readonly price: (micros: bigint, at?: Instant) => NewHold
  /** The expected balance. */
  readonly balanceOf: (available: bigint, held?: bigint) => Balance
  /** Checks the balance of the wallet according to the ledger. */
  readonly has: (promise: string, available: bigint, held?: bigint) => Promise<void>
  /** The latest hundred entries, newest first. */
  readonly statement: () => Promise<ReadonlyArray<Entry>>
}

/** The time of entries whose order does not matter to a law; with milliseconds that a coarser column would lose. */
export const NOON = Date.UTC(2026, 2, 1, 12, 0, 0, 1)

/** Opens a workspace with an empty wallet. */
export const openLedgerWorkspace = async ({ ledger, openWorkspace }: LedgerFixture): Promise<LedgerWorkspace> => {
  const { workspace, currency } = await openWorkspace()
  const balanceOf: LedgerWorkspace['balanceOf'] = (available, held = 0n) => ({ available, held, currency })
  return {
    workspace,
    currency,
    balanceOf,
    topUp: (micros, reference = newName(), at = NOON) => done('money is added', ledger.topUp({ workspace, micros, reference, at })),
    price: (micros, at = NOON) => ({ workspace, message: newMessageId(at), amount: { micros, currency }, at }),
    has: async (promise, available, held) =>
      same(promise, await done('a balance is read', ledger.balance(workspace)), O.some(balanceOf(available, held))),
    statement: async () => (await done('a statement is read', ledger.statement(workspace, { limit: 100 }))).items,
  }
}

/** An entry without its id, for comparison: the only promise about the id is that it is unique. */
export type Line = {
  readonly kind: EntryKind
  readonly micros: bigint
  readonly message: MessageId | undefined
  readonly reference: string | undefined
  readonly at: Instant
}

/** Entries without their ids. */
export const linesOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Line> =>
  entries.map(({ kind, micros, message, reference, at }) => ({ kind, micros, message, reference, at }))
