import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Currency } from '../../core/kernel/money.js'
import type { Instant } from '../../core/kernel/time.js'
import type { MessageId } from '../../core/messages/message.js'
import type { Entry } from '../../core/money/ledger.js'
import { type AlertState, type EntryKind, type HoldState, NO_ALERTS, spendingDay } from '../../core/money/wallet.js'
import { newId } from './ids.js'

/** The books of all workspaces: what `Wallet` and `Ledger` both write in. */
export type Accounts = Map<WorkspaceId, Account>

/** A workspace's wallet, its holds by message, and every movement in the order it was written. */
export type Account = {
  readonly currency: Currency
  available: bigint
  held: bigint
  alerts: AlertState
  readonly holds: Map<MessageId, HoldRecord>
  /** What was spent, by the name of a key and a day (`spendingName`). */
  readonly spending: Map<string, bigint>
  readonly entries: Entry[]
  /** What was credited under each reference of a top-up. */
  readonly topUps: Map<string, bigint>
  /** The amount of each reference of an adjustment. */
  readonly adjustments: Map<string, bigint>
}

/** The money of one message. */
export type HoldRecord = { state: HoldState; readonly micros: bigint; readonly at: Instant; readonly key?: string }

/** The name of a key and the day of a moment. */
export const spendingName = (key: string, at: Instant): string => `${key} ${spendingDay(at)}`

/** An empty wallet in a currency. */
export const openAccount = (currency: Currency): Account => ({
  currency, available: 0n, held: 0n, alerts: NO_ALERTS, holds: new Map(), spending: new Map(), entries: [], topUps: new Map(), adjustments: new Map(),
})

/** Writes a movement of a message's money. The entry of a hold is named after its message, every other one by itself. */
export const addEntry = (
  account: Account,
  kind: Exclude<EntryKind, 'top_up' | 'adjustment'>,
  micros: bigint,
  message: MessageId,
  at: Instant,
  note?: string,
): void => {
  const id = kind === 'hold' ? message.slice('msg_'.length) : newId()
  account.entries.push({ id, kind, micros, message, reference: undefined, ...(note !== undefined && { note }), at })
}
