import { assert } from 'chai'
import { type Database, openDatabase } from '../../../../adapters/knex/engine/database.js'
import { migrate, schemaVersion } from '../../../../adapters/knex/schema/migrate.js'
import { type Step, STEPS } from '../../../../adapters/knex/schema/steps.js'
import { describeEachDatabase } from '../../../support/databases.js'

const laterStep = (name: string): Step => ({ name, up: (db) => db.schema.createTable('later', (table) => { table.integer('id') }) })

const REFUSED: ReadonlyArray<readonly [string, ReadonlyArray<Step>]> = [
  ['from which a later release has removed what the program uses', [...STEPS, laterStep('9998-contract-later')]],
  ['whose steps are not those of the program',
    [...STEPS.slice(0, -1), laterStep('9998-later'), { name: '9999-later', up: () => Promise.resolve() }]],
]

await describeEachDatabase('Migrating a database of a later release', (server) => {
  const withDatabase = async (check: (database: Database) => Promise<void>): Promise<void> => {
    await using made = await server.create()
    const database = openDatabase(made.url)
    await check(database).finally(database.close)
  }

  it('leaves it unchanged if that release has only added to it', async () => {
    await withDatabase(async (database) => {
      const later = [...STEPS, laterStep('9998-later')]
      await migrate(database, { steps: later })
      assert.deepEqual(await migrate(database), { from: later.length, to: later.length })
      assert.equal(await schemaVersion(database.knex), later.length)
    })
  })

  for (const [title, steps] of REFUSED) {
    it(`refuses a database ${title}, says so and changes nothing`, async () => {
      await withDatabase(async (database) => {
        await migrate(database, { steps })
        const refusal = await migrate(database).catch((error: unknown) => (error as Error).message)
        assert.equal(refusal, `the database is at version ${steps.length}, newer than this program, which knows ${STEPS.length}; run the newer one`)
        assert.equal(await schemaVersion(database.knex), steps.length)
      })
    })
  }
})
