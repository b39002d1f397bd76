import { setTimeout as delay } from 'node:timers/promises'
import { assert } from 'chai'
import type { Knex } from 'knex'
import type { Database } from '../../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../../adapters/knex/engine/sql.js'
import { takeLease } from '../../../../adapters/knex/gateways.js'
import { createLeases, migrate, schemaVersion } from '../../../../adapters/knex/schema/migrate.js'
import { type Step, STEPS } from '../../../../adapters/knex/schema/steps.js'
import { HOUR_MS } from '../../../../core/kernel/time.js'
import { describeEachDatabase } from '../../../support/databases.js'
import { gatewaysOn } from '../gateways-on.js'

await describeEachDatabase('Migrating', (server) => {
  const withGateways = gatewaysOn(server)

  it('brings an empty database up to date, and then finds nothing to do', async () => {
    await withGateways(1, async (gateways) => {
      const [gateway] = gateways as [Database]
      assert.deepEqual(await migrate(gateway), { from: 0, to: STEPS.length })
      assert.deepEqual(await migrate(gateway), { from: STEPS.length, to: STEPS.length })
    })
  })

  it('runs each step exactly once if twenty gateways start at once', async () => {
    await withGateways(20, async (gateways) => {
      const outcomes = await Promise.all(gateways.map((gateway) => migrate(gateway)))
      assert.lengthOf(outcomes.filter(({ from }) => from === 0), 1)
      assert.isTrue(outcomes.every(({ to }) => to === STEPS.length))
    })
  })

  it('runs a step again that failed in the middle', async () => {
    await withGateways(1, async (gateways) => {
      const [gateway] = gateways as [Database]
      const [first] = STEPS as readonly [Step]
      const broken: Step = {
        name: first.name,
        up: async (db: Knex) => {
          await first.up(db)
          throw new Error('power failure')
        },
      }
      const fault = await migrate(gateway, { steps: [broken] }).then(() => undefined, (error: unknown) => error as Error)
      assert.include(fault?.message ?? '', 'power failure')
      assert.deepEqual(await migrate(gateway), { from: 0, to: STEPS.length })
    })
  })

  it('upgrades an older database once if twenty gateways start at once', async () => {
    await withGateways(20, async (gateways) => {
      const [first] = gateways as [Database, ...Database[]]
      await migrate(first, { steps: STEPS.slice(0, 1) })
      const outcomes = await Promise.all(gateways.map((gateway) => migrate(gateway)))
      assert.lengthOf(outcomes.filter(({ from }) => from === 1), 1)
      assert.isTrue(outcomes.every(({ to }) => to === STEPS.length))
      assert.equal(await schemaVersion(first.knex), STEPS.length)
    })
  })

  it('waits for another migrating gateway no longer than its limit', async () => {
    await withGateways(1, async (gateways) => {
      const [gateway] = gateways as [Database]
      gateway.allowCreate()
      await createLeases(gateway)
      await takeLease(gateway, { name: 'migrate', holder: 'another gateway', ttlMs: 60_000 })
      const waits = new Array<number>()
      const refusal = await migrate(gateway, { waitMs: 100, onWaiting: (seconds) => waits.push(seconds) })
        .catch((error: unknown) => (error as Error).message)
      assert.equal(refusal, 'another gateway has been migrating this database for more than 0.1 s; wait until it is done, then start this one again')
      assert.lengthOf(waits, 1)
      assert.include([59, 60], waits[0])
      assert.equal(await schemaVersion(gateway.knex), 0)
    })
  })

  it('does not wait for a lease that a clock which was an hour ahead has stored', async () => {
    await withGateways(1, async (gateways) => {
      const [gateway] = gateways as [Database]
      gateway.allowCreate()
      await createLeases(gateway)
      await execute(gateway.db, 'INSERT INTO leases (name, holder, until) VALUES (?, ?, ?)', [
        'migrate', 'another gateway', Date.now() + HOUR_MS,
      ])
      assert.equal((await migrate(gateway, { waitMs: 100 })).to, STEPS.length)
    })
  })

  it('records a step once if the gateway that ran it has lost its lease to another one', async () => {
    await withGateways(2, async (gateways) => {
      const [slow, quick] = gateways as [Database, Database]
      const [first, ...others] = STEPS as readonly [Step, ...Step[]]
      let overtaken = false
      const overtaking: Step = {
        name: first.name,
        up: async (db) => {
          await first.up(db)
          // If the step is a transaction, no other gateway can take the lease before it ends.
          if (overtaken || slow.dialect.transactionalSchema) return
          overtaken = true
          await execute(quick.db, "UPDATE leases SET holder = 'another gateway', until = 0 WHERE name = 'migrate'")
          await migrate(quick)
        },
      }
      assert.equal((await migrate(slow, { steps: [overtaking, ...others] })).to, STEPS.length)
      assert.equal(overtaken, !slow.dialect.transactionalSchema)
      const recorded = await select(slow.db, 'SELECT name FROM knex_migrations ORDER BY id')
      assert.deepEqual(recorded.map(({ name }) => name), STEPS.map(({ name }) => name))
    })
  })

  // SQLite has no locks of tables, only one of the file.
  if (server.name === 'SQLite') return

  it('lets others use a table that a long transaction keeps a step from changing, and changes it after that', async () => {
    await withTableInUse(async ({ gateway, steps, attempts, readBriefly, endLong }) => {
      const migrating = migrate(gateway, { steps })
      try {
        while (attempts() < 2) await readBriefly()
      } finally {
        await endLong()
      }
      assert.deepEqual(await migrating, { from: STEPS.length, to: STEPS.length + 1 })
      assert.isTrue(await gateway.knex.schema.hasColumn('things', 'added'))
    })
  })

  it('says that another transaction uses a table, and migrates once that has ended', async () => {
    await withTableInUse(async ({ gateway, steps, endLong }) => {
      const refusal = await migrate(gateway, { steps, waitMs: 0 }).catch((error: unknown) => (error as Error).message)
      assert.equal(
        refusal, 'another transaction, such as a backup, has been using a table that the migration changes for more than 0 s; '
        + 'wait until it has ended, or end it, then migrate again',
      )
      await endLong()
      assert.deepEqual(await migrate(gateway, { steps, waitMs: 0 }), { from: STEPS.length, to: STEPS.length + 1 })
    })
  })

  type TableInUse = {
    readonly gateway: Database
    /** The last one changes the table. */
    readonly steps: ReadonlyArray<Step>
    /** How often the last step began. */
    readonly attempts: () => number
    /** Reads the table; rejects if it waits for longer than a few seconds. */
    readonly readBriefly: () => Promise<void>
    readonly endLong: () => Promise<void>
  }

  /** Runs a check while a transaction, such as one of a backup, has read a table and stays open. */
  const withTableInUse = (check: (inUse: TableInUse) => Promise<void>): Promise<void> => withGateways(3, async (gateways) => {
    const [gateway, backup, reader] = gateways as [Database, Database, Database]
    await migrate(gateway)
    await gateway.knex.schema.createTable('things', (table) => { table.integer('id') })
    let begun = 0
    const changing: Step = {
      name: '9999-changes-things',
      up: async (db) => {
        begun += 1
        await db.schema.alterTable('things', (table) => { table.integer('added') })
      },
    }
    const long = await backup.knex.transaction()
    await long('things').select('id')
    const impatient = await reader.knex.transaction()
    await impatient.raw(server.name === 'MySQL' ? 'SET SESSION lock_wait_timeout = 3' : 'SET lock_timeout = 3000')
    await impatient.commit()
    try {
      await check({
        gateway,
        steps: [...STEPS, changing],
        attempts: () => begun,
        // Its pool has one connection in use at a time, so this is the same connection.
        readBriefly: async () => {
          await reader.knex('things').select('id')
          await delay(10)
        },
        endLong: async () => { if (!long.isCompleted()) await long.commit() },
      })
    } finally {
      if (!long.isCompleted()) await long.rollback()
    }
  })
})
