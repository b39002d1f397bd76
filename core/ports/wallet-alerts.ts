import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure, UnknownWorkspace } from '../errors.js'
import type { Along } from '../event.js'
import type { AlertState } from '../wallet-alert.js'
import type { WorkspaceId } from '../workspace.js'

export type { Along, AlongEntry } from '../event.js'
export type { PortFailure, UnknownWorkspace } from '../errors.js'
export type { Instant } from '../time.js'
export { afterMoneyAdded, becomesLow, withThreshold, NO_ALERTS } from '../wallet-alert.js'
export type { AlertState, WalletAlert } from '../wallet-alert.js'
export type { WorkspaceId } from '../workspace.js'

/**
 * The alerts of the wallets: below which amount one is low, and which alerts are raised. Only where `Wallet` and `Ledger` keep them, too.
 *
 * `Wallet.hold` raises an alert, once: `WalletLow` by the first hold that leaves less than the threshold (`becomesLow` is the rule), `WalletExhausted` by the
 * first hold that the balance cannot cover. Concurrent holds, of however many gateways, raise it once. Only added money clears it, by a top-up or an
 * adjustment (`afterMoneyAdded` is the rule), and then it can be raised again; what is released or refunded clears nothing, so that a wallet around
 * its threshold raises one alert and not many.
 */
export interface WalletAlerts {
  /** The threshold of a workspace's wallet, and which alerts are raised; none if the workspace does not exist. */
  readonly alertsOf: (workspace: WorkspaceId) => TaskEither<PortFailure, Option<AlertState>>
  /**
   * Sets the threshold, or removes it where it is `undefined`; `withThreshold` is the rule. It raises nothing by itself: if less than the new threshold is
   * available, the next hold raises `WalletLow`.
   *
   * Right: the alerts afterwards, with which `along` is called in the same step. `UnknownWorkspace`: nothing was changed.
   */
  readonly setThreshold: (
    workspace: WorkspaceId, threshold: bigint | undefined, along?: Along<AlertState>,
  ) => TaskEither<UnknownWorkspace | PortFailure, AlertState>
}
