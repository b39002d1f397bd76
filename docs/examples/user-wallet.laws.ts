import { test } from 'node:test'
import Database from 'better-sqlite3'
import { workspaceIdOf, type Balance, type Currency } from 'postern'
import { walletLaws, type WalletFixture } from 'postern/laws'
import { uuidv7 } from 'uuidv7'
import { makeSettlingWallet, makeUserWallet, openUser, USER_SCHEMA } from './user-wallet.js'

const currency = 'USD' as Currency

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
    balance: async (workspace) =>
      database.prepare('SELECT currency, available, held FROM app_user WHERE id = ?').get(workspace) as Balance,
  }
}

for (const { name, check } of walletLaws) void test(name, () => check(openFixture()))
