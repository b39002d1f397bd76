import { setTimeout as delay } from 'node:timers/promises'
import { assert } from 'chai'
import { openDatabase } from '../../adapters/knex/engine/database.js'
import { execute } from '../../adapters/knex/engine/sql.js'
import { describeEachDatabase, type ServerName, type TestDatabase } from '../support/databases.js'
import { watchTransactions } from './storages.js'

await describeEachDatabase('What a simulated history knows of a real database', (server) => {
  let database: TestDatabase

  before(async () => { database = await server.createMigrated() })
  after(() => database[Symbol.asyncDispose]())

  it('waits for a transaction whose caller has given up, until it has committed', async () => {
    const [transactions, gateway] = [watchTransactions(server.name as ServerName, database.url), openDatabase(database.url)]
    const order: Array<string> = []
    try {
      let commit = (): void => undefined
      let begun = (): void => undefined
      const isBegun = new Promise<void>((resolve) => { begun = resolve })
      const mayCommit = new Promise<void>((resolve) => { commit = resolve })
      const committed = gateway.db.transaction(async (trx) => {
        await execute(trx, "INSERT INTO leases (name, holder, until) VALUES ('one', '', 1)", [])
        begun()
        await mayCommit
        order.push('commits')
      })
      await isBegun
      const settled = transactions.settled().then(() => order.push('settled'))
      // Without an open transaction it would settle within this time.
      await delay(300)
      commit()
      await Promise.all([committed, settled])
      assert.deepEqual(order, ['commits', 'settled'])
    } finally {
      await gateway.close()
      await transactions.close()
    }
  })
})
