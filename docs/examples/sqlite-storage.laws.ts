import { readFile, rm } from 'node:fs/promises'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { currencyOf, workspaceIdOf, type WorkspaceId } from 'postern'
import { keyStoreLaws, keyStoreAtRestLaws, messageLogLaws, messageLogAtRestLaws, spendingLimitLaws, walletLaws, windowClockLaws } from 'postern/laws'
import { uuidv7 } from 'uuidv7'
import { openSqliteStorage } from './sqlite-storage.js'

const currency = currencyOf('USD')
const folder = mkdtempSync(join(tmpdir(), 'postern-sqlite-'))
const file = join(folder, 'messages.db')
const storage = openSqliteStorage(file, 'a secret of the laws')
after(async () => {
  storage.close()
  await rm(folder, { recursive: true })
})

/** Every law runs in the same database: laws make their own workspaces. */
const fixture = {
  ...storage,
  openWorkspace: async (micros = 0n) => {
    const workspace = workspaceIdOf(uuidv7())
    storage.openWorkspace(workspace, currency, micros)
    return { workspace, currency }
  },
  balance: async (workspace: WorkspaceId) => {
    const balance = storage.balance(workspace, currency)
    if (balance === undefined) throw new Error('the workspace has no wallet')
    return balance
  },
  atRest: async () => (await Promise.all(['', '-wal'].map((suffix) => readFile(`${file}${suffix}`, 'latin1')))).join('\n'),
}

for (const { name, check } of [...keyStoreLaws, ...keyStoreAtRestLaws, ...messageLogLaws, ...messageLogAtRestLaws, ...spendingLimitLaws, ...walletLaws, ...windowClockLaws]) {
  void test(name, () => check(fixture))
}
