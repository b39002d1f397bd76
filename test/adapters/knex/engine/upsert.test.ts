import { assert } from 'chai'
import { type Database, openDatabase } from '../../../../adapters/knex/engine/database.js'
import { insert, select } from '../../../../adapters/knex/engine/sql.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'

await describeEachDatabase('An insert of rows that may exist', (server) => {
  let testDatabase: TestDatabase
  let database: Database

  before(async () => {
    testDatabase = await server.create()
    database = openDatabase(testDatabase.url)
    database.allowCreate()
    await database.knex.schema.createTable('marks', (table) => {
      table.string('owner', 8).notNullable()
      table.integer('number').notNullable()
      table.bigInteger('at').notNullable()
      table.string('note', 8)
      table.primary(['owner', 'number'])
    })
  })
  after(async () => {
    await database.close()
    await testDatabase[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    await database.knex('marks').delete()
    await database.knex('marks').insert([
      { owner: 'a', number: 1, at: 10, note: 'first' },
      { owner: 'a', number: 2, at: 20, note: 'first' },
    ])
  })

  const KEY = ['owner', 'number']
  const inserted = async (ending: string, rows: ReadonlyArray<ReadonlyArray<string | number>>): Promise<ReadonlyArray<string>> => {
    await insert(database.db, database.dialect, 'marks', [...KEY, 'at', 'note'], rows, ending)
    return (await select(database.db, 'SELECT * FROM marks ORDER BY owner, number')).map(({ owner, number, at, note }) =>
      [owner, number, at, note].join(' '))
  }

  it('gives them the new values, or values that are made of both', async () => {
    const { inserted: given, latest, upsert } = database.dialect
    assert.deepEqual(
      await inserted(upsert(KEY, ['note', 'at']), [['a', 1, 5, 'new'], ['a', 3, 30, 'new']]), ['a 1 5 new', 'a 2 20 first', 'a 3 30 new'],
    )
    assert.deepEqual(
      await inserted(
        upsert(KEY, [['at', latest('marks', 'at')], ['note', `CASE WHEN ${given('note')} = 'old' THEN marks.note ELSE 'both' END`]]),
        [['a', 1, 4, 'new'], ['a', 2, 21, 'old']],
      ),
      ['a 1 5 both', 'a 2 21 first', 'a 3 30 new'],
    )
  })

  it('leaves them as they are, and still refuses a text that is too long', async () => {
    const { insertIgnore } = database.dialect
    for (const ending of [insertIgnore('marks', KEY), insertIgnore('marks', KEY, 'at')]) {
      assert.deepEqual(await inserted(ending, [['a', 1, 5, 'new'], ['b', 1, 30, 'new']]), ['a 1 10 first', 'a 2 20 first', 'b 1 30 new'])
    }
    if (server.name === 'SQLite') return
    const refused = await inserted(insertIgnore('marks', KEY), [['c', 1, 5, 'much too long']]).then(() => 'stored', () => 'refused')
    assert.equal(refused, 'refused')
  })
})
