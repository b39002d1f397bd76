// Long: starts a database server of its own and holds every port to its laws on it.
import { chmod } from 'node:fs/promises'
import { assert } from 'chai'
import createKnex from 'knex'
import { serverAt } from '../../support/databases.js'
import { startDatabaseServer, type DatabaseServer } from '../../support/database-server.js'
import { describePorts } from '../../support/describe-ports.js'
import { copyPostgres18, hasPostgres18, POSTGRES_18_REMEDY } from '../../support/postgres-18.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'

const TITLE = 'Every port over SQL on PostgreSQL 18'

if (hasPostgres18()) {
  describe(TITLE, () => {
    let programs: Scratch
    let server: DatabaseServer

    before(async () => {
      programs = await makeScratch()
      await chmod(programs.path(''), 0o755)
      const kind = await copyPostgres18(programs.path('')) ?? assert.fail(POSTGRES_18_REMEDY)
      server = await startDatabaseServer(kind)
    })
    it('is of that version', async () => {
      const knex = createKnex({ client: 'pg', connection: server.url, pool: { min: 0, max: 1 } })
      try {
        const { rows } = await knex.raw<{ readonly rows: ReadonlyArray<{ readonly server_version: string }> }>('SHOW server_version')
        assert.match(rows[0]?.server_version ?? '', /^18\./)
      } finally {
        await knex.destroy()
      }
    })

    describePorts({ create: () => serverAt('PostgreSQL 18', 'pg', server.url).create() })

    // After the hook that deletes the database.
    after(async () => {
      await server.remove()
      await programs.remove()
    })
  })
} else if (process.env['CI'] === undefined) {
  process.stdout.write(`Not run: ${TITLE}. To run it, ${POSTGRES_18_REMEDY}.\n`)
} else {
  it(TITLE, () => { throw new Error(POSTGRES_18_REMEDY) })
}
