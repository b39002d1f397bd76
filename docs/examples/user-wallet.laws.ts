import { test } from 'node:test'
import Database from 'better-sqlite3'
import { currencyOf, workspaceIdOf, type Balance, type WorkspaceId } from 'postern'
import { walletLaws, type WalletFixture } from 'postern/laws'
import { uuidv7 } from 'uuidv7'
import { makeSettlingWallet, makeUserWallet, openUser, USER_SCHEMA } from './user-wallet.js'

const currency = currencyOf('USD')

/** The laws know only workspaces, so here each workspace has one user, with the workspace's id. */
const openFixture = (): WalletFixture => {
  const database = new Database(':memory:').exec(USER_SCHEMA)
  return {
    wallet: { ...makeSettlingWallet(database), hold: (price) => makeUserWallet(database, price.workspace).hold(price) },
    openWorkspace: async (micros) => {
      const workspace = workspaceIdOf(uuidv7())
      openUser(database, workspace, currency, micros)
      return { workspace, currency }
    },
    balance: async (workspace) => {
      const balance = database.prepare<[WorkspaceId], Balance>('SELECT currency, available, held FROM app_user WHERE id = ?').get(workspace)
      if (balance === undefined) throw new Error('the workspace has no account')
      return balance
    },
  }
}

for (const { name, check } of walletLaws) void test(name, () => check(openFixture()))
