/**
 * What each port promises, as data that any test runner can check.
 *
 * @packageDocumentation
 */
export { keyStoreAtRestLaws, messageLogAtRestLaws, sendersAtRestLaws, type AtRest } from './at-rest.js'
export { auditLaws, type AuditWorld } from './audit.js'
export { keyStoreLaws, type KeyStoreWorld } from './key-store.js'
export type { Law } from './law.js'
export { ledgerLaws, type LedgerWorld } from './ledger.js'
export { messageLogLaws, type MessageLogWorld } from './message-log.js'
export { platformLaws, type PlatformWorld } from './platform.js'
export { sendersLaws, type SendersWorld } from './senders.js'
export { walletLaws, type WalletWorld } from './wallet.js'
export { windowClockLaws, type WindowClockWorld } from './window-clock.js'
export { workspacesLaws, type WorkspacesWorld } from './workspaces.js'
