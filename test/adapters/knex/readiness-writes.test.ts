import { assert } from 'chai'
import { openDatabase } from '../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../adapters/knex/engine/sql.js'
import { openStorage } from '../../../adapters/knex/index.js'
import { describeEachDatabase } from '../../support/databases.js'

await describeEachDatabase('The readiness of a database', (server) => {
  it('changes a row each time, so that a database which can write nothing is not ready', async () => {
    await using file = await server.create()
    const storage = openStorage({ url: file.url, secret: undefined })
    const database = openDatabase(file.url)
    const probe = async (): Promise<ReadonlyArray<unknown>> =>
      (await select(database.db, "SELECT until FROM leases WHERE name = 'readiness'")).map(({ until }) => Number(until))
    try {
      await storage.migrate()
      const seen = new Array<unknown>()
      for (let asked = 0; asked < 3; asked += 1) {
        assert.deepEqual(await storage.readiness(), { ready: true, reasons: [] })
        seen.push(...await probe())
      }
      assert.deepEqual(seen, [1, 2, 3])
      if (server.name !== 'SQLite') return
      // What a full disk does to a write, without a full disk.
      await execute(database.db, "CREATE TRIGGER full_disk BEFORE UPDATE ON leases BEGIN SELECT RAISE(FAIL, 'no room'); END")
      assert.isFalse((await storage.readiness()).ready)
    } finally {
      await storage.close()
      await database.close()
    }
  })
})
