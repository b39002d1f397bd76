import type { Along } from '../../core/kernel/outbox.js'
import { becomesLow, type NewHold, type WalletAlert } from '../../core/money/wallet.js'
import type { Queryable } from './sql.js'
import type { Emit } from './transact-events.js'
import { writeAlert } from './wallet-alerts.js'
import { balanceIn, type ReadWallet, type WalletRow } from './wallet-rows.js'

/** A new hold, and what it takes along for the alert that it may raise. */
export type HoldWrite = { readonly _tag: 'Hold'; readonly along?: Along<WalletAlert> } & NewHold

/** Raises an alert if the wallet could cover every price since money was added. */
export const raiseExhausted = ({ workspace, at, along, amount: { micros: required } }: HoldWrite, read: ReadWallet, wallet: WalletRow): WalletAlert | undefined =>
  (read.alerts.exhaustedSince !== undefined || hasRaised(wallet, 'WalletExhausted')
    ? undefined
    : raise(wallet, { _tag: 'WalletExhausted', workspace, balance: balanceIn(read, wallet), required, at }, along))

/** Raises an alert if the new hold leaves less than the threshold. */
export const raiseLow = ({ workspace, at, along }: HoldWrite, read: ReadWallet, wallet: WalletRow): WalletAlert | undefined => {
  const balance = balanceIn(read, wallet)
  const { threshold } = read.alerts
  return threshold === undefined || !becomesLow(read.alerts, balance.available) || hasRaised(wallet, 'WalletLow')
    ? undefined
    : raise(wallet, { _tag: 'WalletLow', workspace, balance, threshold, at }, along)
}

const hasRaised = ({ raised }: WalletRow, tag: WalletAlert['_tag']): boolean => raised.some(({ alert }) => alert._tag === tag)

const raise = ({ raised }: WalletRow, alert: WalletAlert, along: Along<WalletAlert> | undefined): WalletAlert => {
  raised.push({ alert, along })
  return alert
}

/** Writes the alerts that new holds raise, which are rare; an alert whose write conflicts is raised again with the transaction, if it still is one. */
export const writeAlerts = async (trx: Queryable, wallets: ReadonlyMap<string, WalletRow>, emit: Emit): Promise<void> => {
  const raised = [...wallets.values()].flatMap((wallet) => wallet.raised)
  if (raised.length === 0) return
  raised.sort((a, b) => (a.alert.workspace < b.alert.workspace ? -1 : 1))
  for (const { alert, along } of raised) {
    await writeAlert(trx, alert)
    if (along !== undefined) emit(along(alert))
  }
}
