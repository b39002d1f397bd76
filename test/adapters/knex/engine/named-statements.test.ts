import { assert } from 'chai'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../../adapters/knex/engine/sql.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'

await describeEachDatabase('Statements that run again and again', (server) => {
  let testDatabase: TestDatabase
  let database: Database

  beforeEach(async () => {
    testDatabase = await server.create()
    database = openDatabase(testDatabase.url)
    database.allowCreate()
    await database.knex.schema.createTable('notes', (table) => {
      table.integer('id').primary()
      table.integer('amount')
    })
    await execute(database.db, 'INSERT INTO notes (id, amount) VALUES (?, ?)', [1, 7])
  })

  afterEach(async () => {
    await database.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  const SELECT = 'SELECT amount FROM notes WHERE id = ?'
  /** Reads with each way that a statement can take to the database. */
  const readEachWay = async (): Promise<ReadonlyArray<number>> => {
    const rows = [
      ...await select(database.db, SELECT, [1]),
      ...await select(database.db.lookUps(), SELECT, [1]),
      ...await transact(database, async (trx) => select(trx, SELECT, [1])),
    ]
    return rows.map(({ amount }) => Number(amount))
  }

  it('see a column that was widened since they ran', async () => {
    assert.deepEqual(await readEachWay(), [7, 7, 7])
    await database.knex.schema.alterTable('notes', (table) => { table.bigInteger('amount').alter() })
    assert.deepEqual(await readEachWay(), [7, 7, 7])
    await transact(database, (trx) => execute(trx, 'UPDATE notes SET amount = ? WHERE id = ?', [8, 1]))
    assert.deepEqual(await readEachWay(), [8, 8, 8])
  })

  if (server.name === 'PostgreSQL') {
    it('run on a connection that has lost them', async () => {
      await readEachWay()
      await database.knex.raw('DEALLOCATE ALL')
      assert.deepEqual(await readEachWay(), [7, 7, 7])
      await database.knex.raw('DEALLOCATE ALL')
      const changed = await transact(database, (trx) => execute(trx, 'UPDATE notes SET amount = ? WHERE id = ?', [8, 1]))
      assert.equal(changed, 1)
    })
  }
})
