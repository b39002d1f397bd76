import { setImmediate } from 'node:timers/promises'
import { assert } from 'chai'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { WriteConflict } from '../../../../adapters/knex/engine/dialect.js'
import { execute, insert, type Queryable, select, together } from '../../../../adapters/knex/engine/sql.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'

await describeEachDatabase('Statements started together in a transaction', (server) => {
  let testDatabase: TestDatabase
  let database: Database

  before(async () => {
    testDatabase = await server.create()
    database = openDatabase(testDatabase.url)
    database.allowCreate()
    await database.knex.schema.createTable('notes', (table) => { table.integer('id').primary() })
  })

  after(async () => {
    await database.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  beforeEach(() => execute(database.db, 'DELETE FROM notes'))

  const note = (db: Queryable, id: number): Promise<number> => execute(db, 'INSERT INTO notes (id) VALUES (?)', [id])
  const noted = async (db: Queryable): Promise<ReadonlyArray<number>> =>
    (await select(db, 'SELECT id FROM notes ORDER BY id')).map(({ id }) => Number(id))

  it('get one answer each, in their order', async () => {
    const answers = await transact(database, (trx) => Promise.all([
      note(trx, 1), noted(trx), execute(trx, 'UPDATE notes SET id = id + ? WHERE id < ?', [10, 5]), note(trx, 2), noted(trx),
      execute(trx, 'DELETE FROM notes WHERE id = ?', [99]),
    ]))
    assert.deepEqual(answers, [1, [1], 1, 1, [2, 11], 0])
    assert.deepEqual(await noted(database.db), [2, 11])
  })

  it('change nothing if one of them fails', async () => {
    const failed = await transact(database, (trx) => Promise.all([note(trx, 1), note(trx, 1), note(trx, 2)]))
      .then(() => undefined, (error: unknown) => error)
    assert.instanceOf(failed, Error)
    assert.deepEqual(await noted(database.db), [])
  })

  it('may run once for each row, and fail with a conflict if a row is missing or there already', async () => {
    await transact(database, async (trx) => {
      assert.equal(await trx.executeEach('INSERT INTO notes (id) VALUES (?)', [[1], [2], [3]]), 3)
      await trx.writeEach('UPDATE notes SET id = id + 10 WHERE id = ?', [[1], [2]], 'a note is gone')
    })
    assert.deepEqual(await noted(database.db), [3, 11, 12])
    for (const [sql, id] of [['UPDATE notes SET id = id + 10 WHERE id = ?', 99], ['INSERT INTO notes (id) VALUES (?)', 3]] as const) {
      const failed = await transact(database, (trx) => trx.writeEach(sql, [[id]], 'a conflict'), { retryMs: 0 })
        .then(() => undefined, (error: unknown) => error)
      assert.instanceOf(failed, WriteConflict)
    }
    assert.deepEqual(await noted(database.db), [3, 11, 12])
  })

  it('fail with a conflict that may pass, also if others fail with the same error before it', async () => {
    await note(database.db, 3)
    const failed = await transact(
      database, (trx) => together([note(trx, 4), insert(trx, database.dialect, 'notes', ['id'], [[3]], '', 'a conflict'), note(trx, 5)]),
      { retryMs: 0 },
    )
      .then(() => undefined, (error: unknown) => error)
    assert.instanceOf(failed, WriteConflict)
    assert.deepEqual(await noted(database.db), [3])
  })

  // A deadlock in MySQL and a full disk in SQLite end the transaction. PostgreSQL never ends a transaction by itself.
  if (server.name !== 'PostgreSQL') {
    it('change nothing if a failure has ended the transaction, whether they were started before or after it', async () => {
      let seen: ReadonlyArray<string> = []
      const outcomes = await transact(database, async (trx) => {
        const atOnce = Promise.allSettled([execute(trx, 'ROLLBACK'), execute(trx, 'INSERT INTO nowhere (id) VALUES (1)'), note(trx, 1)])
        await setImmediate()
        const [later] = await Promise.allSettled([note(trx, 2)])
        seen = [...await atOnce, later].map(({ status }) => status)
        throw new Error('the end')
      }).catch(() => seen)
      assert.deepEqual(outcomes.slice(1), ['rejected', 'rejected', 'rejected'])
      assert.deepEqual(await noted(database.db), [])
    })
  }
})
