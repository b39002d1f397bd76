import type { Log } from '../../adapters/koa/index.js'
import { alertData, type WalletAlert } from '../../core/money/wallet.js'

/** Logs alerts of wallets, with their amounts as decimal strings. */
export const logWalletAlerts = (log: Log) => (alert: WalletAlert): void =>
  log('warn', alert._tag === 'WalletLow' ? 'wallet_low' : 'wallet_exhausted', { workspace: alert.workspace, ...alertData(alert) })
