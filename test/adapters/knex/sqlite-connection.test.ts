import { setImmediate } from 'node:timers/promises'
import { assert } from 'chai'
import { openDatabase, type Database } from '../../../adapters/knex/database.js'
import { execute, executeEach, select, type Queryable } from '../../../adapters/knex/sql.js'
import { transact } from '../../../adapters/knex/transact.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'

await describeEachDatabase('The connection of a database', (server) => {
  if (server.name !== 'SQLite') return
  let testDatabase: TestDatabase
  let database: Database

  beforeEach(async () => {
    testDatabase = await server.create()
    database = openDatabase(testDatabase.url)
    database.allowCreate()
    await execute(database.db, 'CREATE TABLE notes (id INTEGER PRIMARY KEY)')
  })

  afterEach(async () => {
    await database.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  const note = (db: Queryable, id: number): Promise<number> => execute(db, 'INSERT INTO notes (id) VALUES (?)', [id])
  const noted = async (db: Queryable): Promise<ReadonlyArray<number>> => (await select(db, 'SELECT id FROM notes ORDER BY id')).map(({ id }) => Number(id))
  const kindOf = (work: Promise<unknown>): Promise<string> => work.then(() => 'success', (error: unknown) => (error as Error).message)

  it('shows a transaction to other statements only when it has ended', async () => {
    const transaction = transact(database, async (trx) => {
      await note(trx, 1)
      await setImmediate()
      await note(trx, 2)
    })
    const seenMeanwhile = noted(database.db)
    await transaction
    assert.deepEqual(await seenMeanwhile, [1, 2])
  })

  it('runs transactions one after the other', async () => {
    const step = (id: number) => transact(database, async (trx) => {
      const before = (await noted(trx)).length
      await setImmediate()
      await note(trx, id)
      return before
    })
    assert.deepEqual(await Promise.all([step(1), step(2), step(3)]), [0, 1, 2])
  })

  it('rolls a failed transaction back and runs the next one', async () => {
    const failed = transact(database, async (trx) => {
      await note(trx, 1)
      throw new Error('no')
    })
    const next = transact(database, (trx) => note(trx, 2))
    assert.equal(await kindOf(failed), 'no')
    await next
    assert.deepEqual(await noted(database.db), [2])
  })

  it('writes all rows of a list or none', async () => {
    assert.equal(await executeEach(database.db, 'INSERT INTO notes (id) VALUES (?)', [[1], [2], [3]]), 3)
    assert.include(await kindOf(executeEach(database.db, 'INSERT INTO notes (id) VALUES (?)', [[4], [1]])), 'UNIQUE')
    assert.deepEqual(await noted(database.db), [1, 2, 3])
  })

  it('reads integers of 64 bits without losing a digit', async () => {
    await execute(database.db, 'INSERT INTO notes (id) VALUES (?)', [9_007_199_254_740_993n])
    assert.deepEqual((await select(database.db, 'SELECT id FROM notes')).map(({ id }) => String(id)), ['9007199254740993'])
  })

  it('runs nothing after it was closed', async () => {
    await database.close()
    assert.include(await kindOf(note(database.db, 1)), 'connection is closed')
  })

  it('opens a file that is there only later', async () => {
    await using missing = await server.create()
    const late = openDatabase(`${missing.url}.late`)
    try {
      assert.include(await kindOf(noted(late.db)), 'there is no database file')
      late.allowCreate()
      await execute(late.db, 'CREATE TABLE notes (id INTEGER PRIMARY KEY)')
      assert.deepEqual(await noted(late.db), [])
    } finally {
      await late.close()
    }
  })
})
