import { assert } from 'chai'
import { openDatabase } from '../../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../../adapters/knex/engine/sql.js'
import { openStorage } from '../../../../adapters/knex/index.js'
import { storageOver } from '../../../../adapters/knex/storage.js'
import { describeEachDatabase, migratedSqliteFile, newSqliteFile } from '../../../support/databases.js'

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

describe('The readiness of a SQLite file on a full disk', () => {
  it('is not given after a write found no room, although a row still fits, until as much as many sends write fits again', async () => {
    await using file = await newSqliteFile()
    await migratedSqliteFile(file.url.slice('sqlite:'.length))
    const database = openDatabase(file.url)
    const storage = storageOver(database, { url: file.url, secret: undefined })
    // The file can grow by this many pages, as on a disk with little room.
    const growBy = async (pages: number): Promise<void> => {
      const [row] = await select(database.db, 'PRAGMA page_count')
      await execute(database.db, `PRAGMA max_page_count = ${Number(row?.['page_count']) + pages}`)
    }
    const write = (characters: number): Promise<unknown> =>
      database.db.transaction((trx) =>
        execute(trx, 'INSERT INTO leases (name, holder, until) VALUES (?, ?, 1)', [`of ${characters}`, ' '.repeat(characters)]))
    try {
      assert.isTrue((await storage.readiness()).ready)
      await growBy(10)
      const error: unknown = await write(100_000).catch((thrown: unknown) => thrown)
      assert.propertyVal(error, 'code', 'SQLITE_FULL')
      await write(1)
      assert.deepEqual(await storage.readiness(), { ready: false, reasons: ['the disk of the database is full'] })
      assert.deepEqual(await storage.readiness(), { ready: false, reasons: ['the disk of the database is full'] })
      await growBy(1_000)
      assert.deepEqual(await storage.readiness(), { ready: true, reasons: [] })
      assert.deepEqual(await select(database.db, "SELECT holder FROM leases WHERE name = 'readiness'"), [{ holder: '' }])
    } finally {
      await storage.close()
    }
  })
})
