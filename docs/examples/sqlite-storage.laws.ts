import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import * as E from 'fp-ts/lib/Either.js'
import { currencyOf, type Sender, type Senders, workspaceIdOf, type WorkspaceId } from 'postern'
import { keyStoreAtRestLaws, keyStoreLaws, lawsFor, messageLogAtRestLaws, senderHealthLaws, sendersAtRestLaws, spendingLimitLaws } from 'postern/laws'
import { uuidv7 } from 'uuidv7'
import { openSqliteStorage } from './sqlite-storage.js'

const currency = currencyOf('USD')
const folder = await mkdtemp(join(tmpdir(), 'postern-sqlite-'))
const file = join(folder, 'messages.db')
const storage = openSqliteStorage(file, 'a secret of the laws')
after(async () => {
  storage.close()
  await rm(folder, { recursive: true })
})

/** Every law runs in the same database, because laws create their own workspaces. */
const fixture = {
  ...storage,
  openWorkspace: async (micros = 0n) => {
    const workspace = workspaceIdOf(uuidv7())
    storage.openWorkspace(workspace, currency, micros)
    return { workspace, currency }
  },
  assign: async (workspace: WorkspaceId, sender: Sender) => storage.assign(workspace, sender),
  balance: async (workspace: WorkspaceId) => {
    const balance = storage.balance(workspace, currency)
    if (balance === undefined) throw new Error('the workspace has no wallet')
    return balance
  },
  atRest: async () => (await Promise.all(['', '-wal'].map((suffix) => readFile(`${file}${suffix}`, 'latin1')))).join('\n'),
}

const { messageLog, senders, wallet, windowClock } = lawsFor('sending')
for (const { name, check } of [
  ...messageLog, ...messageLogAtRestLaws, ...senders, ...senderHealthLaws, ...wallet, ...spendingLimitLaws, ...windowClock, ...keyStoreLaws, ...keyStoreAtRestLaws,
]) void test(name, () => check(fixture))

const assign: Senders['assign'] = async (workspace, sender) => E.right(storage.assign(workspace, sender))
for (const { name, check } of sendersAtRestLaws) void test(name, () => check({ ...fixture, senders: { assign } }))
