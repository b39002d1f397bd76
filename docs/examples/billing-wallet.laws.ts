import { test } from 'node:test'
import Database from 'better-sqlite3'
import { currencyOf, workspaceIdOf, type Balance, type WorkspaceId } from 'postern'
import { walletLaws, type WalletFixture } from 'postern/laws'
import { uuidv7 } from 'uuidv7'
import { BILLING_SCHEMA, makeBillingWallet, openAccount } from './billing-wallet.js'

const currency = currencyOf('USD')

const openFixture = (): WalletFixture => {
  const database = new Database(':memory:').exec(BILLING_SCHEMA)
  return {
    wallet: makeBillingWallet(database),
    openWorkspace: async (micros) => {
      const workspace = workspaceIdOf(uuidv7())
      openAccount(database, workspace, currency, micros)
      return { workspace, currency }
    },
    balance: async (workspace) => {
      const balance = database.prepare<[WorkspaceId], Balance>('SELECT currency, available, held FROM account WHERE workspace = ?').get(workspace)
      if (balance === undefined) throw new Error('the workspace has no account')
      return balance
    },
  }
}

for (const { name, check } of walletLaws) void test(name, () => check(openFixture()))
