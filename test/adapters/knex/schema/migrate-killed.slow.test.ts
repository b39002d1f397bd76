// Slow: kills processes that migrate, and waits for their leases to end.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { assert } from 'chai'
import { openDatabase } from '../../../../adapters/knex/engine/database.js'
import { select } from '../../../../adapters/knex/engine/sql.js'
import { migrate } from '../../../../adapters/knex/schema/migrate.js'
import { STEPS } from '../../../../adapters/knex/schema/steps.js'
import { describeEachDatabase } from '../../../support/databases.js'

const STUCK = fileURLToPath(new URL('stuck-migration.ts', import.meta.url))

await describeEachDatabase('Migrating', (server) => {
  /** Kills a gateway in the middle of the last step, lets three others migrate, and gives from where each of them did. */
  const afterKill = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<number>> => {
    await using made = await server.create()
    const killed = spawn(process.execPath, ['--import=tsx', STUCK, made.url, '500', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(killed, 'exit')
    await once(killed.stdout, 'data')
    killed.kill('SIGKILL')
    await ended
    const gateways = [1, 2, 3].map(() => openDatabase(made.url))
    try {
      const outcomes = await Promise.all(gateways.map((gateway) => migrate(gateway)))
      assert.isTrue(outcomes.every(({ to }) => to === STEPS.length))
      for (const { db } of gateways.slice(0, 1)) {
        assert.deepEqual(
          (await select(db, 'SELECT name FROM knex_migrations ORDER BY id')).map(({ name }) => name), STEPS.map(({ name }) => name),
        )
      }
      return outcomes.map(({ from }) => from).sort((a, b) => a - b)
    } finally {
      await Promise.all(gateways.map((gateway) => gateway.close()))
    }
  }

  it('runs the step again of a gateway that was killed in the middle of it, once its lease has expired', async () => {
    assert.deepEqual(await afterKill(), [STEPS.length - 1, STEPS.length, STEPS.length])
  })

  // MySQL keeps each step that has run.
  if (server.name !== 'MySQL') {
    it('begins again if a gateway was killed that migrated an empty database', async () => {
      assert.deepEqual(await afterKill('empty'), [0, STEPS.length, STEPS.length])
    })
  }
})
