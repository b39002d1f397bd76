import { makeMemoryKeyStore, type KeyRecord } from '../../../adapters/memory/key-store.js'
import { makeMemoryLedger } from '../../../adapters/memory/ledger.js'
import { makeMemoryMessageLog, type Shelf } from '../../../adapters/memory/message-log.js'
import { makeMemoryWallet } from '../../../adapters/memory/wallet.js'
import { auditLaws, type AuditWorld } from '../../laws/audit.js'
import { keyStoreAtRestLaws, messageLogAtRestLaws } from '../../laws/at-rest.js'
import { keyStoreLaws } from '../../laws/key-store.js'
import { ledgerLaws } from '../../laws/ledger.js'
import { messageLogLaws } from '../../laws/message-log.js'
import { sendersLaws } from '../../laws/senders.js'
import { walletLaws } from '../../laws/wallet.js'
import { windowClockLaws } from '../../laws/window-clock.js'
import { workspacesLaws } from '../../laws/workspaces.js'
import type { WorkspaceId } from '../../../core/workspace.js'
import { describeLaws } from '../../support/describe-laws.js'
import { openAccounts, openMemoryWorld } from './memory-world.js'

describe('memory', () => {
  describeLaws('the wallet', walletLaws, openMemoryWorld)
  describeLaws('the ledger', ledgerLaws, openMemoryWorld)
  describeLaws('the key store', keyStoreLaws, openMemoryWorld)
  describeLaws('the window clock', windowClockLaws, openMemoryWorld)
  describeLaws('the message log', messageLogLaws, openMemoryWorld)
  describeLaws('the senders', sendersLaws, openMemoryWorld)
  describeLaws('the workspaces', workspacesLaws, openMemoryWorld)

  describeLaws('the audit', auditLaws, async (): Promise<AuditWorld> => {
    const { books, openWorkspace } = openAccounts()
    return {
      ledger: makeMemoryLedger(books),
      wallet: makeMemoryWallet(books),
      openWorkspace,
      misplaceMicro: async (workspace) => {
        const account = books.get(workspace)
        if (account !== undefined) account.available += 1n
      },
    }
  })

  describeLaws('what the key store keeps', keyStoreAtRestLaws, async () => {
    const keys = new Map<string, KeyRecord>()
    const { books, openWorkspace } = openAccounts()
    const atRest = async (): Promise<string> =>
      JSON.stringify(Array.from(keys.values(), ({ digest, ...known }) => [known, digest.toString('latin1'), digest.toString('hex')]))
    return { keyStore: makeMemoryKeyStore(books, keys), openWorkspace, atRest }
  })

  describeLaws('what the message log keeps', messageLogAtRestLaws, async () => {
    const shelves = new Map<WorkspaceId, Shelf>()
    const { openWorkspace } = openAccounts()
    const plain = (_key: string, value: unknown): unknown =>
      value instanceof Map ? [...value] : typeof value === 'bigint' ? String(value) : value
    return { messageLog: makeMemoryMessageLog(shelves), openWorkspace, atRest: async () => JSON.stringify(shelves, plain) }
  })

  // One world for every law, as a database that is kept between runs would be.
  const used = openMemoryWorld()
  describeLaws('the wallet in a world that others have used', walletLaws, () => used)
  describeLaws('the ledger in a world that others have used', ledgerLaws, () => used)
  describeLaws('the message log in a world that others have used', messageLogLaws, () => used)
})
