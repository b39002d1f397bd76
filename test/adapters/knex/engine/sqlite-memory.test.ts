import { setImmediate } from 'node:timers/promises'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { execute, type Queryable, select } from '../../../../adapters/knex/engine/sql.js'
import { SqliteConnection } from '../../../../adapters/knex/engine/sqlite.js'
import { openStorage } from '../../../../adapters/knex/index.js'

const URL = 'sqlite::memory:'

describe('A database in memory', () => {
  let database: Database

  beforeEach(async () => {
    database = openDatabase(URL)
    await database.knex.schema.createTable('notes', (table) => { table.integer('id').primary() })
  })
  afterEach(() => database.close())

  const note = (db: Queryable, id: number): Promise<number> => execute(db, 'INSERT INTO notes (id) VALUES (?)', [id])
  const noted = async (db: Queryable): Promise<ReadonlyArray<number>> =>
    (await select(db, 'SELECT id FROM notes ORDER BY id')).map(({ id }) => Number(id))

  it('has the connection of a file, over which knex changes the schema', async () => {
    assert.instanceOf(database.db, SqliteConnection)
    await note(database.db, 1)
    assert.isTrue(await database.knex.schema.hasTable('notes'))
    assert.deepEqual(await database.knex<{ id: bigint }>('notes').pluck('id'), [1n])
    assert.equal(await database.knex('notes').where({ id: 1 }).update({ id: 2 }), 1)
    assert.deepEqual(await noted(database.db), [2])
  })

  it('shows a transaction to other statements only when it has ended, and those of knex wait for it too', async () => {
    const seen = await transact(database, async (trx) => {
      await note(trx, 1)
      const others = [noted(database.db), database.knex<{ id: bigint }>('notes').pluck('id').then((ids) => ids.map(Number))]
      await setImmediate()
      await note(trx, 2)
      return { others }
    })
    assert.deepEqual(await Promise.all(seen.others), [[1, 2], [1, 2]])
  })

  it('lets no statement between those of a transaction of knex, and rolls it back if it fails', async () => {
    const changed = database.knex.transaction(async (trx) => {
      await trx('notes').insert({ id: 1 })
      await setImmediate()
      throw new Error('no')
    }).then(() => 'done', (error: unknown) => (error as Error).message)
    const [outcome, seen] = await Promise.all([changed, noted(database.db)])
    assert.equal(outcome, 'no')
    assert.deepEqual(seen, [])
  })

  it('is a storage of its own once it is migrated', async () => {
    const [storage, other] = [openStorage({ url: URL, secret: undefined }), openStorage({ url: URL, secret: undefined })]
    try {
      const { to } = await storage.migrate()
      assert.deepEqual(await storage.migrate(), { from: to, to })
      assert.deepEqual((await storage.readiness()).ready, true)
      assert.equal((await other.readiness()).ready, false)
      assert.isTrue(E.isRight(await storage.workspaces.list()))
    } finally {
      await Promise.all([storage.close(), other.close()])
    }
  })
})
