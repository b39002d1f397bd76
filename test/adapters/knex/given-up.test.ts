import { assert } from 'chai'
import { openDatabase, type Database } from '../../../adapters/knex/database.js'
import { makeGroupCommit, type Write } from '../../../adapters/knex/group-commit.js'
import { LaneLate } from '../../../adapters/knex/lane.js'
import { execute, select } from '../../../adapters/knex/sql.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'

await describeEachDatabase('A write that took too long', (server) => {
  let home: TestDatabase
  let database: Database

  before(async () => {
    home = await server.create()
    database = openDatabase(home.url)
    await database.knex.raw('CREATE TABLE notes (note VARCHAR(20))')
  })
  after(async () => {
    await database.knex.destroy()
    await home[Symbol.asyncDispose]()
  })

  it('is not written behind the back of who was told that it failed', async () => {
    let goOn = (): void => undefined
    let done = (): void => undefined
    const held = new Promise<void>((resolve) => { goOn = resolve })
    const over = new Promise<void>((resolve) => { done = resolve })
    let runs = 0
    const noting: Write<string, undefined> = {
      order: 1,
      run: async (trx, notes) => {
        runs += 1
        if (notes.includes('late')) await held
        for (const note of notes) await execute(trx, 'INSERT INTO notes (note) VALUES (?)', [note])
        if (notes.includes('late')) done()
        return notes.map(() => undefined)
      },
    }
    const { write, idle } = makeGroupCommit(database, { deadlineMs: 50 })
    assert.instanceOf(await write(noting, 'late').catch((error: unknown) => error), LaneLate)
    goOn()
    await over
    await write(noting, 'in time')
    await idle()
    // Whoever closes a pool waits for every connection that is still in use.
    await database.knex.destroy()
    database = openDatabase(home.url)
    assert.deepEqual((await select(database.knex, 'SELECT note FROM notes')).map(({ note }) => note), ['in time'])
    assert.equal(runs, 2)
  })
})
