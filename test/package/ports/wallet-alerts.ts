import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  afterMoneyAdded, becomesLow, NO_ALERTS, withThreshold, type AlertState, type Along, type AlongEntry, type Instant, type PortFailure, type UnknownWorkspace,
  type WalletAlert, type WalletAlerts, type WorkspaceId,
} from '../../../core/ports/wallet-alerts.js'

export const walletAlerts = (states: Map<WorkspaceId, AlertState>, log: AlongEntry[]): WalletAlerts => ({
  alertsOf: (workspace: WorkspaceId): TE.TaskEither<PortFailure, O.Option<AlertState>> => TE.fromIO(() => O.fromNullable(states.get(workspace))),
  setThreshold: (workspace: WorkspaceId, threshold: bigint | undefined, along?: Along<AlertState>): TE.TaskEither<UnknownWorkspace | PortFailure, AlertState> => {
    const before = states.get(workspace)
    if (before === undefined) return TE.left<UnknownWorkspace>({ _tag: 'UnknownWorkspace' })
    const after = withThreshold(before, threshold, 0n)
    log.push(...(along?.(after) ?? []))
    return TE.right(after)
  },
})

export const added = (states: Map<WorkspaceId, AlertState>, workspace: WorkspaceId, available: bigint): AlertState =>
  afterMoneyAdded(states.get(workspace) ?? NO_ALERTS, available)

export const raised = (state: AlertState, { workspace, balance, at }: Pick<WalletAlert, 'workspace' | 'balance' | 'at'>): WalletAlert | undefined => {
  const moment: Instant = at
  return state.threshold !== undefined && becomesLow(state, balance.available)
    ? { _tag: 'WalletLow', workspace, balance, threshold: state.threshold, at: moment } : undefined
}
