import { assert } from 'chai'
import type { Suite } from 'mocha'
import { openDatabase } from '../../adapters/knex/engine/database.js'
import { migrate, type Migrated } from '../../adapters/knex/schema/migrate.js'
import { type Step, STEPS } from '../../adapters/knex/schema/steps.js'
import type { GaleraCluster, GaleraDatabase } from '../support/galera.js'
import { SECRET } from '../support/gateway.js'
import { startServers } from '../support/server-process.js'

const GATEWAYS = 20

export const concurrentMigrations = (cluster: () => GaleraCluster): Suite => describe('Gateways that start at once on three Galera nodes', () => {
  const migrateAt = async (url: string, steps?: ReadonlyArray<Step>): Promise<Migrated> => {
    const database = openDatabase(url)
    try {
      return await migrate(database, { ...(steps && { steps }) })
    } finally {
      await database.close()
    }
  }

  const migrateEverywhere = ({ urls }: GaleraDatabase): Promise<ReadonlyArray<Migrated>> =>
    Promise.all(Array.from({ length: GATEWAYS }, (_, index) => migrateAt(urls[index % urls.length] ?? urls[0])))

  /** The columns and indexes of a database as a node has them. */
  const schemaAt = async (node: number, database: string): Promise<ReadonlyArray<unknown>> => {
    const at = cluster().nodes[node]
    if (at === undefined) throw new Error('there is no such node')
    return [
      ...await at.ask(`SET STATEMENT wsrep_sync_wait = 1 FOR SELECT table_name, column_name, column_type, is_nullable, column_default, collation_name FROM information_schema.columns
        WHERE table_schema = '${database}' ORDER BY 1, 2`),
      ...await at.ask(`SELECT table_name, index_name, seq_in_index, column_name, non_unique FROM information_schema.statistics
        WHERE table_schema = '${database}' ORDER BY 1, 2, 3`),
    ]
  }

  it('make the same schema as one gateway alone, from nothing and from an older version, each step run once', async () => {
    const alone = await cluster().createDatabase('alone')
    await migrateAt(alone.urls[0])
    const expected = await schemaAt(0, 'alone')

    const empty = await cluster().createDatabase('empty')
    const fromNothing = await migrateEverywhere(empty)
    assert.lengthOf(fromNothing.filter(({ from, to }) => from === 0 && to === STEPS.length), 1)

    const older = await cluster().createDatabase('older')
    await migrateAt(older.urls[1], STEPS.slice(0, 4))
    const fromOlder = await migrateEverywhere(older)
    assert.lengthOf(fromOlder.filter(({ from }) => from === 4), 1)

    assert.isNotEmpty(expected)
    for (const node of [0, 1, 2]) {
      for (const name of ['empty', 'older']) assert.deepEqual(await schemaAt(node, name), expected, `${name} on node ${node + 1}`)
    }
  })

  it('listen, as processes, on a schema that is complete', async () => {
    const { urls } = await cluster().createDatabase('processes')
    const started = await startServers(urls.map((url) => ({ DATABASE_URL: url, POSTERN_SECRET: SECRET })))
    try {
      const ready = await Promise.all(started.map(async ({ url }) => (await fetch(`${url}/health/ready`)).status))
      assert.deepEqual(ready, [200, 200, 200])
      assert.deepEqual(await migrateAt(urls[2]), { from: STEPS.length, to: STEPS.length })
    } finally {
      await Promise.all(started.map((gateway) => gateway.kill()))
    }
  })
})
