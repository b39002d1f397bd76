import type { StoragePorts } from '../../core/ports/storage.js'
import type { Instant } from '../../core/time.js'
import type { Workspace, WorkspaceId } from '../../core/workspace.js'
import { makeMemoryAccountNotices } from './account-notices.js'
import type { Accounts } from './accounts.js'
import { makeMemoryCustomers } from './customers.js'
import { makeMemoryFreeMessages } from './free-messages.js'
import { makeMemoryKeyStore } from './key-store.js'
import { makeMemoryLedger } from './ledger.js'
import { makeMemoryMessageLog } from './message-log.js'
import { makeMemorySenders } from './senders.js'
import { makeMemoryTemplateCatalogue } from './template-catalogue.js'
import { makeMemoryWallet } from './wallet.js'
import { makeMemoryWindowClock } from './window-clock.js'
import { makeMemoryWorkspaces } from './workspaces.js'

/** Every storage port, over one state. */
export type MemoryStorage = StoragePorts

/** Options of the storage; all are optional. */
export type MemoryStorageOptions = {
  /** The clock of the customer service windows; the machine's own by default. */
  readonly now?: () => Instant
}

/** Every storage port in memory, for tests, trials and apps that may lose their data; nothing outlives the process. */
export const makeMemoryStorage = ({ now = Date.now }: MemoryStorageOptions = {}): MemoryStorage => {
  const workspaces = new Map<WorkspaceId, Workspace>()
  const books: Accounts = new Map()
  return {
    wallet: makeMemoryWallet(books),
    ledger: makeMemoryLedger(books),
    keyStore: makeMemoryKeyStore(workspaces),
    messageLog: makeMemoryMessageLog(),
    senders: makeMemorySenders(workspaces),
    workspaces: makeMemoryWorkspaces(workspaces, books),
    windowClock: makeMemoryWindowClock(now),
    customers: makeMemoryCustomers(),
    accountNotices: makeMemoryAccountNotices(),
    templateCatalogue: makeMemoryTemplateCatalogue(),
    freeMessages: makeMemoryFreeMessages(),
  }
}
