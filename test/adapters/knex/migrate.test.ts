import { assert } from 'chai'
import type { Knex } from 'knex'
import { openDatabase, type Database } from '../../../adapters/knex/database.js'
import { migrate, schemaVersion } from '../../../adapters/knex/migrate.js'
import { STEPS, type Step } from '../../../adapters/knex/schema.js'
import { describeEachDatabase } from '../../support/databases.js'

await describeEachDatabase('Migrating', (server) => {
  /** A database of its own, opened by as many gateways, all closed in the end. */
  const withGateways = async (count: number, check: (gateways: ReadonlyArray<Database>) => Promise<void>): Promise<void> => {
    await using database = await server.create()
    const gateways = Array.from({ length: count }, () => openDatabase(database.url))
    try {
      await check(gateways)
    } finally {
      await Promise.all(gateways.map(({ knex }) => knex.destroy()))
    }
  }

  it('brings an empty database up to date, and then finds nothing to do', async () => {
    await withGateways(1, async (gateways) => {
      const [gateway] = gateways as [Database]
      assert.deepEqual(await migrate(gateway), { from: 0, to: STEPS.length })
      assert.deepEqual(await migrate(gateway), { from: STEPS.length, to: STEPS.length })
    })
  })

  it('is safe when twenty gateways start at once: each step is taken by exactly one', async () => {
    await withGateways(20, async (gateways) => {
      const outcomes = await Promise.all(gateways.map((gateway) => migrate(gateway)))
      assert.lengthOf(outcomes.filter(({ from }) => from === 0), 1)
      assert.isTrue(outcomes.every(({ to }) => to === STEPS.length))
    })
  })

  it('refuses a database that is newer than the program, with a sentence, and leaves it alone', async () => {
    await withGateways(1, async (gateways) => {
      const [gateway] = gateways as [Database]
      const newer: ReadonlyArray<Step> = [...STEPS, { name: '9999-newer', up: (db) => db.schema.createTable('newer', (table) => { table.integer('id') }) }]
      await migrate(gateway, newer)
      const refusal = await migrate(gateway).catch((error: unknown) => (error as Error).message)
      assert.equal(refusal, `the database is at version ${newer.length}, newer than this program, which knows ${STEPS.length}; run the newer one`)
      assert.equal(await schemaVersion(gateway.knex), newer.length)
    })
  })

  it('goes on where a gateway broke off in the middle of a step', async () => {
    await withGateways(1, async (gateways) => {
      const [gateway] = gateways as [Database]
      const [first] = STEPS as readonly [Step]
      const broken: Step = {
        name: first.name,
        up: async (db: Knex) => {
          await first.up(db)
          throw new Error('the power went')
        },
      }
      const fault = await migrate(gateway, [broken]).then(() => undefined, (error: unknown) => error as Error)
      assert.include(fault?.message ?? '', 'the power went')
      assert.deepEqual(await migrate(gateway), { from: 0, to: STEPS.length })
    })
  })
})
