import { auditActorOf } from '../audit-entry.js'
import type { Along, AlongEntry } from '../event.js'
import { alertData, walletAlerted } from '../event-data.js'
import { SYSTEM } from '../principal.js'
import type { WalletAlert } from '../wallet-alert.js'
import type { ActDeps } from './acting.js'

/**
 * What a hold takes along for the alert that it may raise: an event and an audit entry.
 *
 * An alert is rare, and a send must not wait to find out whether anything listens. So the event is made in any case.
 */
export const alongAlert = ({ audit, events }: ActDeps): Along<WalletAlert> => (alert): ReadonlyArray<AlongEntry> => {
  const event = walletAlerted(alert)
  const { workspace, at } = alert
  return [
    ...(audit === undefined ? [] : [{
      id: audit.newAuditId(), at, by: auditActorOf(SYSTEM), act: event.type as 'wallet.low' | 'wallet.exhausted', outcome: 'done' as const, workspace,
      subject: workspace, details: alertData(alert),
    }]),
    ...(events === undefined ? [] : [{ id: events.newEventId(), at, ...event }]),
  ]
}
