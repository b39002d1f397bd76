import { assert } from 'chai'
import { type KnexStorage, openStorage } from '../../adapters/knex/index.js'
import { describeEachDatabase, type TestDatabase } from '../support/databases.js'
import { simulate } from './simulate.js'

const SEEDS = 100

await describeEachDatabase('A hundred histories of several gateways on a real database', (server) => {
  let database: TestDatabase

  before(async () => { database = await server.createMigrated() })
  after(async () => { await database[Symbol.asyncDispose]() })

  it('break no promise', async () => {
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const opened: KnexStorage[] = []
      const { violations } = await simulate({
        seed, size: { bursts: 2, acts: 5 },
        storage: (now) => {
          const storage = openStorage({ url: database.url, secret: 'a-secret-of-tests-that-is-long-enough', broker: true, now })
          opened.push(storage)
          return storage
        },
      })
      for (const storage of opened) await storage.close()
      assert.isEmpty(violations, `seed ${seed}`)
    }
  }).timeout(1_800_000)
})
