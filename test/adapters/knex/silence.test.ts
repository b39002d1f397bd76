import { assert } from 'chai'
import { openDatabase, type Database } from '../../../adapters/knex/database.js'
import { sqlErrorKind } from '../../../adapters/knex/sql-error.js'
import { select } from '../../../adapters/knex/sql.js'
import { transact } from '../../../adapters/knex/transact.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { openWay, type Way } from '../../support/way.js'

const SILENT_MS = 300

await describeEachDatabase('A database that is gone without a farewell', (server) => {
  // SQLite is a file.
  if (server.name === 'SQLite') return

  let home: TestDatabase
  let way: Way
  let database: Database

  beforeEach(async () => {
    home = await server.create()
    way = await openWay(home.url)
    database = openDatabase(way.url, SILENT_MS)
  })
  afterEach(async () => {
    await database.knex.destroy()
    await way.close()
    await home[Symbol.asyncDispose]()
  })

  const one = (): Promise<unknown> => select(database.knex, 'SELECT 1 AS one')
  const kindOfFailure = (work: Promise<unknown>): Promise<string> => work.then(() => 'none', sqlErrorKind)

  it('fails whoever asked it, and every place in the pool is free again', async () => {
    const places = 10
    await Promise.all(Array.from({ length: places }, one))
    way.cutOff()
    const failures = await Promise.all(Array.from({ length: places }, () => kindOfFailure(one())))
    assert.deepEqual(failures, new Array<string>(places).fill('unavailable'))
    await Promise.all(Array.from({ length: places }, one))
  })

  it('fails a transaction at its beginning, in its middle and at its end', async () => {
    for (const cutAfter of [0, 1, 2]) {
      await one()
      let statements = 0
      const step = (): void => { if (statements++ === cutAfter) way.cutOff() }
      step()
      const failure = await kindOfFailure(transact(database, async (trx) => {
        step()
        await select(trx, 'SELECT 1 AS one')
        step()
      }))
      assert.equal(failure, 'unavailable')
    }
    await one()
  })
})
