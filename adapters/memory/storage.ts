import { randomBytes } from 'node:crypto'
import type { IdRecord } from '../../core/customers/customer.js'
import type { InboundMark } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Leases } from '../../core/kernel/leases.js'
import type { Instant } from '../../core/kernel/time.js'
import type { Workspace } from '../../core/kernel/workspace.js'
import type { AllStoragePorts } from '../../core/postern.js'
import { makeMemoryAuditLog, makeMemoryKeyStore, makeMemoryMembers, makeMemorySessions, openAccessState } from './access.js'
import { type Accounts, makeMemoryFreeMessages, makeMemoryLedger, makeMemoryWallet, makeMemoryWalletAlerts } from './accounts.js'
import { makeMemoryCustomers, makeMemoryCustomerWindows, makeMemoryPersonalData, makeMemoryWindowClock } from './customers.js'
import { addListener, makeMemoryEventDeliveries, makeMemoryEventEndpoints, makeMemoryEventOutbox, openEventState } from './events.js'
import { makeMemoryUploadedFiles, type Uploads } from './files.js'
import { makeMemoryLeases } from './kernel.js'
import {
  type LostRecord, makeMemoryLostMessages, makeMemoryMessageContents, makeMemoryMessageLog, makeMemoryMessageMoney, makeMemoryMessageStatistics, makeMemoryMessageTrail,
  type WorkspaceMessages,
} from './messages.js'
import { makeMemoryAccountNotices, makeMemorySenders, makeMemoryTemplateCatalogue, makeMemoryWorkspaces } from './workspaces.js'

/** Every storage port, over one state. */
export type MemoryStorage = AllStoragePorts & {
  /** Leases of the one holder that this process is. */
  readonly leases: Leases
  /** Adds a listener that is called after a write that stored events; the answer removes it. */
  readonly onEvents: (listener: () => void) => () => void
}

/** Options of the storage; all are optional. */
export type MemoryStorageOptions = {
  /** The clock of the customer service windows and of leases; the machine's own by default. */
  readonly now?: () => Instant
  /** Whether a broker gets the events of every workspace; false by default. */
  readonly broker?: boolean
  /** How many lost messages of a workspace are noted; `LOST_MESSAGES_KEPT` by default. */
  readonly lostMessagesKept?: number
  /** Whether what messages say is kept; false by default. */
  readonly keepContent?: boolean
}

/** Every storage port in memory, for tests, trials and apps that may lose their data; nothing outlives the process. */
export const makeMemoryStorage = ({ now = Date.now, broker = false, lostMessagesKept: kept, keepContent = false }: MemoryStorageOptions = {}): MemoryStorage => {
  const workspaces = new Map<WorkspaceId, Workspace>()
  const books: Accounts = new Map()
  const events = openEventState(broker)
  const tables = new Map<WorkspaceId, WorkspaceMessages>()
  const [records, marks] = [new Map<string, IdRecord>(), new Map<string, InboundMark>()]
  const lost = new Map<string, LostRecord>()
  const uploads: Uploads = new Map()
  const access = openAccessState()
  const [wallet, messageLog] = [makeMemoryWallet(books, events), makeMemoryMessageLog(tables, events, keepContent)]
  return {
    wallet, messageLog,
    walletAlerts: makeMemoryWalletAlerts(books, events),
    ledger: makeMemoryLedger(books, events),
    keyStore: makeMemoryKeyStore(workspaces, new Map(), events),
    messageMoney: makeMemoryMessageMoney({ books, tables, events }, { messageLog, wallet }),
    messageStatistics: makeMemoryMessageStatistics({ tables, marks }),
    messageTrail: makeMemoryMessageTrail(books, events),
    messageContents: makeMemoryMessageContents(tables),
    senders: makeMemorySenders(workspaces, events),
    workspaces: makeMemoryWorkspaces(workspaces, books, events),
    windowClock: makeMemoryWindowClock(now, events, marks),
    customers: makeMemoryCustomers(events, records),
    customerWindows: makeMemoryCustomerWindows(marks),
    accountNotices: makeMemoryAccountNotices(),
    templateCatalogue: makeMemoryTemplateCatalogue(events),
    freeMessages: makeMemoryFreeMessages(),
    lostMessages: makeMemoryLostMessages({ accounts: books, events, tables, records: lost, ...(kept !== undefined && { kept }) }),
    personalData: makeMemoryPersonalData({ tables, records, marks, events, lost, uploads }, randomBytes(32)),
    uploadedFiles: makeMemoryUploadedFiles(uploads),
    eventOutbox: makeMemoryEventOutbox(events),
    auditLog: makeMemoryAuditLog(events),
    members: makeMemoryMembers(workspaces, access, events),
    sessions: makeMemorySessions(access, events, workspaces),
    leases: makeMemoryLeases(new Map(), now),
    onEvents: (listener) => addListener(events, listener),
    eventEndpoints: makeMemoryEventEndpoints(workspaces, events),
    eventDeliveries: makeMemoryEventDeliveries(events),
  }
}
