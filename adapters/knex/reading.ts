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

/** No method that writes is given to anyone. */
const NO_WRITES: GroupCommit = { write: () => Promise.reject(new Error('this connection only reads')), idle: async () => undefined }

const only = <Port extends object, Method extends keyof Port>(port: Port, ...methods: ReadonlyArray<Method>): Pick<Port, Method> =>
  Object.fromEntries(methods.map((method) => [method, port[method]])) as Pick<Port, Method>

/**
 * The reads of pages, lists and reports, on connections of their own, so that no send waits for them. They see what was committed before they began, also by
 * the other connections of this process.
 */
export type ReadingPorts = ReturnType<typeof makeReadingPorts>

/** Makes the reads over a database whose connections only read. */
export const makeReadingPorts = (database: Database, { box, hasBroker }: { readonly box: SecretBox; readonly hasBroker: boolean }) => {
  const transactEvents = makeTransactEvents(database, makeEventSignal())
  const listeners = makeEventListeners(database)
  const batcher = makeReadBatcher(database)
  return {
    accountNotices: only(makeAccountNotices(database, NO_WRITES), 'latest'),
    auditLog: only(makeAuditLog(database), 'list'),
    customers: only(makeCustomers(database, batcher, NO_WRITES), 'find'),
    customerWindows: only(makeCustomerWindows(database), 'list'),
    eventDeliveries: only(makeEventDeliveries({ database, box, listeners }, NO_WRITES), 'attempts', 'pending'),
    eventEndpoints: only(makeEventEndpoints({ database, box, transactEvents, listeners }), 'find', 'list'),
    eventOutbox: only(makeEventOutbox({ database, groupCommit: NO_WRITES, listeners, hasBroker }), 'after', 'backlog', 'find'),
    keyStore: only(makeKeyStore(database, batcher, NO_WRITES, transactEvents), 'list'),
    ledger: only(makeLedger(database, transactEvents), 'balance', 'books', 'keySpending', 'openHolds', 'statement', 'totals'),
    lostMessages: only(makeLostMessages(database, transactEvents), 'counts', 'list'),
    members: only(makeMembers(database, transactEvents), 'list'),
    messageLog: only(makeMessageLog(database, NO_WRITES), 'find', 'list', 'stale'),
    messageStatistics: only(makeMessageStatistics(database), 'counts', 'openWindows', 'progress'),
    messageTrail: only(makeMessageTrail(database), 'entries', 'events'),
    sessions: only(makeSessions(database, transactEvents), 'standing'),
    templateCatalogue: only(makeTemplateCatalogue(database, batcher, transactEvents), 'list', 'names', 'stateOf'),
    walletAlerts: only(makeWalletAlerts(database, transactEvents), 'alertsOf'),
    workspaces: only(makeWorkspaces(database, transactEvents), 'find', 'list', 'named'),
  }
}
