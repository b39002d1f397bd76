import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { workspaceIdOf, type Balance, type Currency, type WorkspaceId } from 'postern'
import { keyStoreAtRestLaws, keyStoreLaws, messageLogAtRestLaws, messageLogLaws, walletLaws, windowClockLaws, type Law } from 'postern/laws'
import { uuidv7 } from 'uuidv7'
import { makeLevelKeyStore } from './key-store.js'
import { openLevelStore } from './level-store.js'
import { makeLevelMessageLog } from './message-log.js'
import { balanceOf, makeLevelWallet, openLevelWallet } from './wallet.js'
import { makeLevelWindowClock } from './window-clock.js'

const currency = 'USD' as Currency
const folder = await mkdtemp(join(tmpdir(), 'postern-level-'))
const store = openLevelStore(folder)
after(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

const balance = async (workspace: WorkspaceId): Promise<Balance> => {
  const found = await balanceOf(store, workspace)
  if (found === undefined) throw new Error('the workspace has no wallet')
  return found
}

/** Every law runs in the same database: laws make their own workspaces. */
const fixture = {
  keyStore: makeLevelKeyStore(store, async (id) => (await balanceOf(store, id)) !== undefined),
  wallet: makeLevelWallet(store),
  windowClock: makeLevelWindowClock(store),
  messageLog: makeLevelMessageLog(store),
  openWorkspace: async (micros = 0n) => {
    const workspace = workspaceIdOf(uuidv7())
    await openLevelWallet(store, workspace, currency, micros)
    return { workspace, currency }
  },
  balance,
  atRest: async () => {
    const lines: string[] = []
    for await (const [key, value] of store.entries({ from: '', to: '~' })) lines.push(key, JSON.stringify(value))
    return lines.join('\n')
  },
}

const prove = (port: string, laws: ReadonlyArray<Law<typeof fixture>>): void => {
  void describe(port, () => {
    for (const { name, check } of laws) void test(name, () => check(fixture))
  })
}

prove('the key store over LevelDB', [...keyStoreLaws, ...keyStoreAtRestLaws])
prove('the wallet over LevelDB', walletLaws)
prove('the window clock over LevelDB', windowClockLaws)
prove('the message log over LevelDB', [...messageLogLaws, ...messageLogAtRestLaws])
