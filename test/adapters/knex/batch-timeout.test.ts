import { assert } from 'chai'
import { BatchTimeout } from '../../../adapters/knex/engine/batches.js'
import { type Database, openDatabase } from '../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../adapters/knex/engine/sql.js'
import { makeGroupCommit, type Write } from '../../../adapters/knex/writes.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'

await describeEachDatabase('A write that passes its deadline', (server) => {
  let testDatabase: TestDatabase
  let database: Database

  before(async () => {
    testDatabase = await server.create()
    database = openDatabase(testDatabase.url)
    database.allowCreate()
    await database.knex.raw('CREATE TABLE notes (note VARCHAR(20))')
  })
  after(async () => {
    await database.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  it('is rolled back, because its caller has got an error', async () => {
    let resume = (): void => undefined
    let finish = (): void => undefined
    const resumed = new Promise<void>((resolve) => { resume = resolve })
    const finished = new Promise<void>((resolve) => { finish = resolve })
    let runs = 0
    const insertNotes: Write<string, undefined> = {
      kind: 'apply-changes',
      run: async (trx, notes) => {
        runs += 1
        if (notes.includes('late')) await resumed
        for (const note of notes) await execute(trx, 'INSERT INTO notes (note) VALUES (?)', [note])
        if (notes.includes('late')) finish()
        return notes.map(() => undefined)
      },
    }
    const impatient = makeGroupCommit(database, { deadlineMs: 50 })
    assert.instanceOf(await impatient.write(insertNotes, 'late').catch((error: unknown) => error), BatchTimeout)
    resume()
    await finished
    await impatient.idle()
    // Of another process, which has as long as it needs.
    await makeGroupCommit(database).write(insertNotes, 'in time')
    // Closing the pool waits for every connection that is still in use.
    await database.close()
    database = openDatabase(testDatabase.url)
    assert.deepEqual((await select(database.db, 'SELECT note FROM notes')).map(({ note }) => note), ['in time'])
    assert.equal(runs, 2)
  })
})
