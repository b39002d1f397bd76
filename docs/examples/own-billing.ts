import Database from 'better-sqlite3'
import { currencyOf, makeSending, phoneNumberOf } from 'postern'
import { openSandbox } from 'postern/memory'
import { BILLING_SCHEMA, makeBillingWallet, openAccount } from './billing-wallet.js'

const database = new Database(':memory:').exec(BILLING_SCHEMA)
const { workspace, ...sandbox } = await openSandbox()
openAccount(database, workspace, currencyOf('USD'), 50_000n)

const { sendTemplate } = makeSending({ ...sandbox, wallet: makeBillingWallet(database) }, sandbox)
for (const name of ['order_update', 'order_shipped']) {
  const reply = await sendTemplate({ workspace, to: phoneNumberOf('33639980001'), name })
  console.log(name, reply._tag === 'Right' ? 'sent' : reply.left._tag)
}
console.log(database.prepare('SELECT state, micros FROM charge').all(), database.prepare('SELECT available, held FROM account').get())
