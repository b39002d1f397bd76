import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { execute, type Queryable, select } from '../../../../adapters/knex/engine/sql.js'
import { writeEvents } from '../../../../adapters/knex/events/entries.js'
import { openStorage } from '../../../../adapters/knex/index.js'
import { workspaceIdOf } from '../../../../core/kernel/ids.js'
import { allEvents, newEvent } from '../../../laws/event-fixture.js'
import { describeEachDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'

await describeEachDatabase('A transaction with events', (server) => {
  /** Ends the connection of a transaction from outside, as a server that is restarted does; SQLite has no server. */
  const kill = async ({ dialect, db }: Database, trx: Queryable): Promise<void> => {
    if (dialect.name === 'sqlite') throw new Error('killed')
    const [connection] = await select(trx, dialect.name === 'mysql' ? 'SELECT CONNECTION_ID() AS id' : 'SELECT pg_backend_pid() AS id')
    await execute(db, dialect.name === 'mysql' ? `KILL ${connection?.['id']}` : `SELECT pg_terminate_backend(${connection?.['id']})`)
  }

  it('stores none of them if it is killed, and those of others that waited for it are not held up', async () => {
    await using created = await server.createMigrated()
    const [storage, database] = [openStorage({ url: created.url, secret: undefined }), openDatabase(created.url)]
    try {
      const workspace = workspaceIdOf(randomUUID())
      const append = async (): Promise<void> => { rightOf(await storage.eventOutbox.append(workspace, [newEvent(workspace)])) }
      await append()
      let waiting: Promise<void> | undefined
      const killed = transact(database, async (trx) => {
        await writeEvents(database.dialect, trx, [newEvent(workspace), newEvent(workspace, { content: { body: 'lost' } })])
        // It has the workspace's lock now.
        assert.lengthOf(await allEvents(storage, workspace), 1)
        waiting = append()
        await kill(database, trx)
      }, { retryMs: 0 })
      assert.isTrue(await killed.then(() => false, () => true))
      await waiting
      await append()
      const events = await allEvents(storage, workspace)
      assert.lengthOf(events, 3)
      assert.isTrue(events.every(({ content }) => content === undefined))
    } finally {
      await storage.close()
      await database.close()
    }
  })
})
