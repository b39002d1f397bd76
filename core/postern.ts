import type { AuditLog } from './access/acting.js'
import type { KeyStore } from './access/keys.js'
import type { Members, Sessions } from './access/members.js'
import type { Customers } from './customers/learn.js'
import type { WindowClock } from './customers/window.js'
import type { EventDeliveries } from './events/delivery.js'
import type { EventEndpoints } from './events/endpoint.js'
import type { EventOutbox } from './kernel/outbox.js'
import type { Senders } from './kernel/sender.js'
import type { Workspaces } from './kernel/workspace.js'
import type { MessageLog } from './messages/message-log.js'
import type { Ledger, MessageMoney } from './money/ledger.js'
import type { FreeMessages, Wallet } from './money/wallet.js'
import type { AccountNotices } from './reports/account.js'
import type { TemplateCatalogue } from './templates/catalogue.js'

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

/** The ports that store events and how far they were delivered; an adapter of `StoragePorts` may leave them out. */
export type EventPorts = {
  readonly eventOutbox: EventOutbox
  readonly eventEndpoints: EventEndpoints
  readonly eventDeliveries: EventDeliveries
}

/** The ports that store who may sign in and who did what; an adapter of `StoragePorts` may leave them out. */
export type AccessPorts = {
  readonly auditLog: AuditLog
  readonly members: Members
  readonly sessions: Sessions
}
