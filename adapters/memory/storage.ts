import type { KeyStore } from '../../core/ports/key-store.js'
import type { Ledger } from '../../core/ports/ledger.js'
import type { MessageLog } from '../../core/ports/message-log.js'
import type { Senders } from '../../core/ports/senders.js'
import type { Wallet } from '../../core/ports/wallet.js'
import type { WindowClock } from '../../core/ports/window-clock.js'
import type { Workspaces } from '../../core/ports/workspaces.js'
import type { Instant } from '../../core/time.js'
import type { Workspace, WorkspaceId } from '../../core/workspace.js'
import type { Books } from './books.js'
import { makeMemoryKeyStore } from './key-store.js'
import { makeMemoryLedger } from './ledger.js'
import { makeMemoryMessageLog } from './message-log.js'
import { makeMemorySenders } from './senders.js'
import { makeMemoryWallet } from './wallet.js'
import { makeMemoryWindowClock } from './window-clock.js'
import { makeMemoryWorkspaces } from './workspaces.js'

/** Every storage port, over one state. */
export type MemoryStorage = {
  readonly wallet: Wallet
  readonly ledger: Ledger
  readonly keyStore: KeyStore
  readonly messageLog: MessageLog
  readonly senders: Senders
  readonly workspaces: Workspaces
  readonly windowClock: WindowClock
}

/** How the storage is opened; everything may be left out. */
export type MemoryStorageOptions = {
  /** The clock of the windows; the machine's where it is left out. */
  readonly now?: () => Instant
}

/** Every storage port in memory, for tests, trials and apps that may forget; what it holds ends with the process. */
export const makeMemoryStorage = ({ now = Date.now }: MemoryStorageOptions = {}): MemoryStorage => {
  const workspaces = new Map<WorkspaceId, Workspace>()
  const books: Books = new Map()
  return {
    wallet: makeMemoryWallet(books),
    ledger: makeMemoryLedger(books),
    keyStore: makeMemoryKeyStore(workspaces),
    messageLog: makeMemoryMessageLog(),
    senders: makeMemorySenders(workspaces),
    workspaces: makeMemoryWorkspaces(workspaces, books),
    windowClock: makeMemoryWindowClock(now),
  }
}
