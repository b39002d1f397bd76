import * as O from 'fp-ts/lib/Option.js'
import type { MakeOutboxEntries, EventOutbox } from '../../core/kernel/outbox.js'
import { type AlertState, NO_ALERTS, type WalletAlert, type WalletAlerts } from '../../core/money/wallet.js'
import { newEvent } from './entries-fixture.js'
import { done, holds } from './expect.js'
import { newName } from './ids.js'
import { type LedgerFixture, type LedgerWorkspace, NOON, openLedgerWorkspace } from './ledger-fixture.js'

/** The ports of alerts, over one storage. */
export type WalletAlertsPorts = Pick<LedgerFixture, 'wallet' | 'ledger'> & {
  readonly walletAlerts: WalletAlerts
  readonly eventOutbox: Pick<EventOutbox, 'after'>
}

/** The alerts of a ledger's wallets, and the outbox that stores the events of alerts. */
export type WalletAlertsFixture = LedgerFixture & WalletAlertsPorts & {
  /** The same storage as another node opens it, if there are several nodes. */
  readonly elsewhere?: WalletAlertsPorts
}

/** The data of an event about an alert. */
export type AlertData = Readonly<Record<string, string | number>>

/** A workspace of such a fixture, and the repeated actions of the laws of alerts. */
export type AlertingWorkspace = LedgerWorkspace & {
  /** Reserves the price of a new message, on the nodes alternately; returns whether that succeeded. */
  readonly send: (micros: bigint, node?: number) => Promise<boolean>
  readonly setThreshold: (threshold: bigint | undefined) => Promise<AlertState>
  readonly alerts: () => Promise<AlertState>
  /** The data of the alerts that were raised since the last call. */
  readonly raised: () => Promise<ReadonlyArray<AlertData>>
  readonly adjust: (micros: bigint) => Promise<void>
}

/** The data of an event about an alert. */
export const alertData = (alert: WalletAlert): AlertData => ({
  alert: alert._tag, at: alert.at, available: String(alert.balance.available), held: String(alert.balance.held),
  currency: alert.balance.currency, amount: String(alert._tag === 'WalletLow' ? alert.threshold : alert.required),
})

/** Opens a workspace with an amount of micros, and a threshold if one is given. */
export const openAlerting = async (fixture: WalletAlertsFixture, money: bigint, threshold?: bigint): Promise<AlertingWorkspace> => {
  const opened = await openLedgerWorkspace(fixture)
  const { workspace, topUp, price } = opened
  const outboxEntries: MakeOutboxEntries<WalletAlert> = (alert) => [newEvent(alert.workspace, alertData(alert))]
  const node = (index: number): WalletAlertsPorts => (index % 2 === 0 ? fixture : fixture.elsewhere ?? fixture)
  const setThreshold: AlertingWorkspace['setThreshold'] = (wanted) =>
    done('a threshold is set', fixture.walletAlerts.setThreshold(workspace, wanted))
  let position = 0
  if (money > 0n) await topUp(money)
  if (threshold !== undefined) await setThreshold(threshold)
  return {
    ...opened, setThreshold,
    send: async (micros, index = 0) => {
      const outcome = await node(index).wallet.hold(price(micros), outboxEntries)
      holds(
        'a hold succeeds or is refused for lack of money', outcome._tag === 'Right' || outcome.left._tag === 'InsufficientBalance', outcome,
      )
      return outcome._tag === 'Right'
    },
    alerts: async () => {
      const found = await done('the alerts are read', fixture.walletAlerts.alertsOf(workspace))
      return O.isSome(found) ? found.value : NO_ALERTS
    },
    raised: async () => {
      const events = await done('the events are read', fixture.eventOutbox.after(workspace, position, 10_000))
      position = events.at(-1)?.position ?? position
      return events.map(({ data }) => data as AlertData)
    },
    adjust: async (micros) => {
      await done('a wallet is adjusted', fixture.ledger.adjust({ workspace, micros, reference: newName(), note: 'a correction', at: NOON }))
    },
  }
}

/** The names of the raised alerts, in order. */
export const names = (raised: ReadonlyArray<AlertData>): ReadonlyArray<unknown> => raised.map(({ alert }) => alert)
