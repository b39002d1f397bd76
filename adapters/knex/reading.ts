import type { AccountNotices } from '../../core/ports/account-notices.js'
import type { AuditLog } from '../../core/ports/audit-log.js'
import type { CustomerWindows } from '../../core/ports/customer-windows.js'
import type { Customers } from '../../core/ports/customers.js'
import type { EventDeliveries } from '../../core/ports/event-deliveries.js'
import type { EventEndpoints } from '../../core/ports/event-endpoints.js'
import type { EventOutbox } from '../../core/ports/event-outbox.js'
import type { KeyStore } from '../../core/ports/key-store.js'
import type { Ledger } from '../../core/ports/ledger.js'
import type { LostMessages } from '../../core/ports/lost-messages.js'
import type { Members } from '../../core/ports/members.js'
import type { MessageLog } from '../../core/ports/message-log.js'
import type { MessageStatistics } from '../../core/ports/message-statistics.js'
import type { MessageTrail } from '../../core/ports/message-trail.js'
import type { Sessions } from '../../core/ports/sessions.js'
import type { TemplateCatalogue } from '../../core/ports/template-catalogue.js'
import type { WalletAlerts } from '../../core/ports/wallet-alerts.js'
import type { Workspaces } from '../../core/ports/workspaces.js'
import { makeAccountNotices } from './account-notices.js'
import { makeAuditLog } from './audit-log.js'
import { makeCustomerWindows } from './customer-windows.js'
import { makeCustomers } from './customers.js'
import type { Database } from './database.js'
import { makeEventDeliveries } from './event-deliveries.js'
import { makeEventEndpoints } from './event-endpoints.js'
import { makeEventListeners } from './event-listeners.js'
import { makeEventOutbox } from './event-outbox.js'
import { makeEventSignal } from './event-signal.js'
import type { GroupCommit } from './group-commit.js'
import { makeKeyStore } from './key-store.js'
import { makeLedger } from './ledger.js'
import { makeLostMessages } from './lost-messages.js'
import { makeMembers } from './members.js'
import { makeMessageLog } from './message-log.js'
import { makeMessageStatistics } from './message-statistics.js'
import { makeMessageTrail } from './message-trail.js'
import { makeReadBatcher } from './read-batcher.js'
import type { SecretBox } from './secret-box.js'
import { makeSessions } from './sessions.js'
import { makeTemplateCatalogue } from './template-catalogue.js'
import { makeTransactEvents } from './transact-events.js'
import { makeWalletAlerts } from './wallet-alerts.js'
import { makeWorkspaces } from './workspaces.js'

/**
 * The reads of pages, lists and reports, on connections of their own, so that no send waits for them. They see what was committed before they began, also by
 * the other connections of this process.
 */
export type ReadingPorts = {
  readonly accountNotices: Pick<AccountNotices, 'latest'>
  readonly auditLog: Pick<AuditLog, 'list'>
  readonly customers: Pick<Customers, 'find'>
  readonly customerWindows: Pick<CustomerWindows, 'list'>
  readonly eventDeliveries: Pick<EventDeliveries, 'attempts' | 'pending'>
  readonly eventEndpoints: Pick<EventEndpoints, 'find' | 'list'>
  readonly eventOutbox: Pick<EventOutbox, 'after' | 'backlog' | 'find'>
  readonly keyStore: Pick<KeyStore, 'list'>
  readonly ledger: Pick<Ledger, 'balance' | 'books' | 'keySpending' | 'openHolds' | 'statement' | 'totals'>
  readonly lostMessages: Pick<LostMessages, 'counts' | 'list'>
  readonly members: Pick<Members, 'list'>
  readonly messageLog: Pick<MessageLog, 'find' | 'list' | 'stale'>
  readonly messageStatistics: Pick<MessageStatistics, 'counts' | 'openWindows' | 'progress'>
  readonly messageTrail: Pick<MessageTrail, 'entries' | 'events'>
  readonly sessions: Pick<Sessions, 'standing'>
  readonly templateCatalogue: Pick<TemplateCatalogue, 'list' | 'names' | 'stateOf'>
  readonly walletAlerts: Pick<WalletAlerts, 'alertsOf'>
  readonly workspaces: Pick<Workspaces, 'find' | 'list' | 'named'>
}

/** No method that writes is given to anyone. */
const NO_WRITES: GroupCommit = { write: () => Promise.reject(new Error('this connection only reads')), idle: async () => undefined }

/** Makes the reads over a database whose connections only read. */
export const makeReadingPorts = (database: Database, { box, hasBroker }: { readonly box: SecretBox; readonly hasBroker: boolean }): ReadingPorts => {
  const transactEvents = makeTransactEvents(database, makeEventSignal())
  const listeners = makeEventListeners(database)
  const batcher = makeReadBatcher(database)
  const { latest } = makeAccountNotices(database, NO_WRITES)
  const { find: findCustomer } = makeCustomers(database, batcher, NO_WRITES)
  const { attempts, pending } = makeEventDeliveries({ database, box, listeners }, NO_WRITES)
  const { find: findEndpoint, list: listEndpoints } = makeEventEndpoints({ database, box, transactEvents, listeners })
  const { after, backlog, find: findEvent } = makeEventOutbox({ database, groupCommit: NO_WRITES, listeners, hasBroker })
  const { balance, books, keySpending, openHolds, statement, totals } = makeLedger(database, transactEvents)
  const { counts: lostCounts, list: listLost } = makeLostMessages(database, transactEvents)
  const { find: findMessage, list: listMessages, stale } = makeMessageLog(database, NO_WRITES)
  const { counts, openWindows, progress } = makeMessageStatistics(database)
  const { entries, events } = makeMessageTrail(database)
  const { list: listTemplates, names, stateOf } = makeTemplateCatalogue(database, batcher, transactEvents)
  const { find: findWorkspace, list: listWorkspaces, named } = makeWorkspaces(database, transactEvents)
  return {
    accountNotices: { latest },
    auditLog: { list: makeAuditLog(database).list },
    customers: { find: findCustomer },
    customerWindows: { list: makeCustomerWindows(database).list },
    eventDeliveries: { attempts, pending },
    eventEndpoints: { find: findEndpoint, list: listEndpoints },
    eventOutbox: { after, backlog, find: findEvent },
    keyStore: { list: makeKeyStore(database, batcher, NO_WRITES, transactEvents).list },
    ledger: { balance, books, keySpending, openHolds, statement, totals },
    lostMessages: { counts: lostCounts, list: listLost },
    members: { list: makeMembers(database, transactEvents).list },
    messageLog: { find: findMessage, list: listMessages, stale },
    messageStatistics: { counts, openWindows, progress },
    messageTrail: { entries, events },
    sessions: { standing: makeSessions(database, transactEvents).standing },
    templateCatalogue: { list: listTemplates, names, stateOf },
    walletAlerts: { alertsOf: makeWalletAlerts(database, transactEvents).alertsOf },
    workspaces: { find: findWorkspace, list: listWorkspaces, named },
  }
}
