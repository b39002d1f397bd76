import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { openDatabase } from '../../../../adapters/knex/engine/database.js'
import { type KnexStorage, openStorage } from '../../../../adapters/knex/index.js'
import type { CustomerFact, PhoneNumber, UserId } from '../../../../core/customers/customer.js'
import { workspaceIdOf } from '../../../../core/kernel/ids.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'

const AT = Date.UTC(2026, 9, 1)
const NUMBER = '4915550001' as PhoneNumber
const USER_ID = 'DE.Ana1' as UserId

await describeEachDatabase('Customers over SQL', (server) => {
  let database: TestDatabase
  let storage: KnexStorage
  let elsewhere: KnexStorage

  before(async () => {
    database = await server.createMigrated()
    storage = openStorage({ url: database.url, secret: undefined })
    elsewhere = openStorage({ url: database.url, secret: undefined })
  })
  after(async () => {
    await storage.close()
    await elsewhere.close()
    await database[Symbol.asyncDispose]()
  })

  it('wait for no other transaction if a fact changes nothing', async () => {
    const workspace = workspaceIdOf(randomUUID())
    const fact: CustomerFact = { _tag: 'Paired', other: USER_ID, at: AT }
    rightOf(await storage.customers.learn(workspace, NUMBER, fact))
    const { knex, close } = openDatabase(database.url)
    try {
      await knex.transaction(async (trx) => {
        await trx('customers').where({ workspace_id: workspace }).update({ name: 'locked' })
        rightOf(await storage.customers.learn(workspace, NUMBER, { ...fact, at: AT + 1 }))
      })
    } finally {
      await close()
    }
  })

  it('keep what each of two gateways learns of the same new ids at the same time', async () => {
    const workspace = workspaceIdOf(randomUUID())
    const numbers = Array.from({ length: 200 }, (_, index) => `49155500${1_000 + index}` as PhoneNumber)
    const learn = async ({ customers }: KnexStorage, fact: CustomerFact, id: PhoneNumber): Promise<void> => {
      rightOf(await customers.learn(workspace, id, fact))
    }
    await Promise.all([
      ...numbers.map((id) => learn(storage, { _tag: 'Paired', other: USER_ID, at: AT }, id)),
      ...[...numbers].reverse().map((id) => learn(elsewhere, { _tag: 'Named', name: 'Ana', at: AT }, id)),
      ...numbers.map((id) => learn(storage, { _tag: 'MarketingStopped', at: AT }, id)),
      ...numbers.map((id) => learn(elsewhere, { _tag: 'Paired', other: 'DE.Ben1' as UserId, at: AT + 1 }, id)),
    ])
    for (const { own } of await Promise.all(numbers.map(async (id) => rightOf(await elsewhere.customers.find(workspace, id))))) {
      assert.deepInclude(own, { other: 'DE.Ben1' as UserId, pairedAt: AT + 1, name: 'Ana', optedOut: true })
      assert.include([undefined, AT + 1], own.since)
    }
  })
})
