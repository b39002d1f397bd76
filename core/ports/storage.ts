import type { AccountNotices } from './account-notices.js'
import type { Customers } from './customers.js'
import type { FreeMessages } from './free-messages.js'
import type { KeyStore } from './key-store.js'
import type { Ledger } from './ledger.js'
import type { MessageLog } from './message-log.js'
import type { MessageMoney } from './message-money.js'
import type { Senders } from './senders.js'
import type { TemplateCatalogue } from './template-catalogue.js'
import type { Wallet } from './wallet.js'
import type { WindowClock } from './window-clock.js'
import type { Workspaces } from './workspaces.js'

/** Every port that stores data; one adapter implements them together, because some of them write the same records. */
export type StoragePorts = {
  readonly wallet: Wallet
  readonly ledger: Ledger
  readonly keyStore: KeyStore
  readonly messageLog: MessageLog
  readonly messageMoney: MessageMoney
  readonly senders: Senders
  readonly workspaces: Workspaces
  readonly windowClock: WindowClock
  readonly customers: Customers
  readonly accountNotices: AccountNotices
  readonly templateCatalogue: TemplateCatalogue
  readonly freeMessages: FreeMessages
}
