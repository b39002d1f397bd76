import { test } from 'node:test'
import Database from 'better-sqlite3'
import { workspaceIdOf, type Balance, type Currency } from 'postern'
import { walletLaws, type WalletFixture } from 'postern/laws'
import { uuidv7 } from 'uuidv7'
import { BILLING_SCHEMA, makeBillingWallet, openAccount } from './billing-wallet.js'

const currency = 'USD' as Currency

const openFixture = (): WalletFixture => {
  const database = new Database(':memory:').exec(BILLING_SCHEMA)
  return {
    wallet: makeBillingWallet(database),
    openWorkspace: async (micros) => {
      const workspace = workspaceIdOf(uuidv7())
      openAccount(database, workspace, currency, micros)
      return { workspace, currency }
    },
    balance: async (workspace) =>
      database.prepare('SELECT currency, available, held FROM account WHERE workspace = ?').get(workspace) as Balance,
  }
}

for (const { name, check } of walletLaws) void test(name, () => check(openFixture()))
