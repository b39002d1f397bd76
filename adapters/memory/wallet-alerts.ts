import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Along } from '../../core/kernel/outbox.js'
import type { UnknownWorkspace } from '../../core/kernel/workspace.js'
import { type AlertState, type WalletAlerts, withThreshold } from '../../core/money/wallet.js'
import type { Account, Accounts } from './accounts.js'
import { type EventState, storeEvents } from './event-state.js'
import { atomic, infallible } from './task.js'

/** The alerts of the wallets in memory. */
export const makeMemoryWalletAlerts = (accounts: Accounts, events: EventState): WalletAlerts => ({
  alertsOf: (workspace) => infallible(() => O.map(({ alerts }: Account) => alerts)(O.fromNullable(accounts.get(workspace)))),
  setThreshold: (workspace, threshold, along = () => []) => atomic(() => setThreshold({ account: accounts.get(workspace), events }, threshold, along)),
})

const setThreshold = (
  { account, events }: { readonly account: Account | undefined; readonly events: EventState }, threshold: bigint | undefined, along: Along<AlertState>,
): E.Either<UnknownWorkspace, AlertState> => {
  if (account === undefined) return E.left({ _tag: 'UnknownWorkspace' })
  const alerts = withThreshold(account.alerts, threshold, account.available)
  storeEvents(events, along(alerts))
  account.alerts = alerts
  return E.right(alerts)
}
