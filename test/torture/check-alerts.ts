import type { AuditEntry } from '../../core/kernel/actor.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { AlertState } from '../../core/money/wallet.js'
import type { ReceivedEvent } from './check-events.js'
import type { Finding } from './run-record.js'

/** The data about the alerts of a run in which no money was added after the start. */
export type AlertsRecord = {
  readonly received: ReadonlyArray<ReceivedEvent>
  /** The alerts of each workspace at the end. */
  readonly alerts: ReadonlyMap<WorkspaceId, AlertState>
  readonly audited: ReadonlyArray<Pick<AuditEntry, 'act' | 'workspace'>>
}

/** Checks that each alert that a wallet has raised has one event and one audit entry, and that there are no others. */
export const checkAlerts = ({ received, alerts, audited }: AlertsRecord): ReadonlyArray<Finding> => {
  const events = new Map(received.map((event) => [event.id, event]))
  return [...alerts].flatMap(([workspace, { lowSince, exhaustedSince }]) => ([
    ['wallet.low', lowSince], ['wallet.exhausted', exhaustedSince],
  ] as const)
    .flatMap(([name, since]) => {
      const expected = since === undefined ? 0 : 1
      const emitted = [...events.values()].filter((event) => event.workspace === workspace && event.type === name).length
      const noted = audited.filter((entry) => entry.workspace === workspace && entry.act === name).length
      return emitted === expected && noted === expected
        ? [] : [{ about: workspace, fault: `has raised ${name} ${expected} times, with ${emitted} events and ${noted} audit entries` }]
    }))
}
