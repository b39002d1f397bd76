import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Forbidden, InvalidAmount, PortFailure, UnknownWorkspace } from '../errors.js'
import { formatMicros } from '../money.js'
import type { Along, WalletAlerts } from '../ports/wallet-alerts.js'
import type { Actor } from '../principal.js'
import { checkThreshold, type AlertState } from '../wallet-alert.js'
import type { WorkspaceId } from '../workspace.js'
import { perform, type ActDeps } from './acting.js'

/** Sets below which amount a wallet is low, or that it never is. Right: its alerts afterwards. */
export type SetWalletAlert = (command: SetWalletAlertCommand) => TE.TaskEither<SetWalletAlertError, AlertState>

/** Whose wallet, and the threshold in micros; `undefined` for none. */
export type SetWalletAlertCommand = { readonly by: Actor; readonly workspace: WorkspaceId; readonly threshold: bigint | undefined }

/** How setting a threshold can fail. */
export type SetWalletAlertError = InvalidAmount | UnknownWorkspace | Forbidden | PortFailure

/** What setting a threshold needs. */
export type SetWalletAlertDeps = ActDeps & { readonly walletAlerts: Pick<WalletAlerts, 'setThreshold'> }

/** Makes the use case of what it needs. */
export const makeSetWalletAlert =
  ({ walletAlerts, ...deps }: SetWalletAlertDeps): SetWalletAlert =>
  ({ by, workspace, ...command }) =>
  async () => {
    const threshold = command.threshold === undefined ? E.right(undefined) : checkThreshold(command.threshold)
    const details = E.isRight(threshold) && { details: { threshold: threshold.right === undefined ? null : formatMicros(threshold.right) } }
    const acting = { by, act: 'wallet.set_alert', workspace, subject: workspace, ...details } as const
    return perform(deps, acting, {}, async (along: Along<AlertState>): Promise<E.Either<Exclude<SetWalletAlertError, Forbidden>, AlertState>> =>
      (E.isLeft(threshold) ? threshold : walletAlerts.setThreshold(workspace, threshold.right, along)()))
  }
