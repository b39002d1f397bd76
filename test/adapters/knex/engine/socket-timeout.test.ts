import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { assert } from 'chai'
import type { Knex } from 'knex'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { sqlErrorKind } from '../../../../adapters/knex/engine/dialect.js'
import { setSocketTimeout } from '../../../../adapters/knex/engine/hosts.js'
import { select } from '../../../../adapters/knex/engine/sql.js'
import { migrate } from '../../../../adapters/knex/schema/migrate.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { eventually } from '../../../support/eventually.js'
import { openTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.js'

const SOCKET_TIMEOUT_MS = 800
/** For ten connections that are opened at the same time, which takes longer on a busy machine. */
const POOL_TIMEOUT_MS = 2_000

describe('A connection without error listeners', () => {
  it('does not end the process when its socket fails', async () => {
    const socket = new Socket()
    const connection = Object.assign(new EventEmitter(), { stream: socket })
    socket.on('error', (error) => connection.emit('error', error))
    setSocketTimeout(connection, SOCKET_TIMEOUT_MS)
    connection.removeAllListeners()
    socket.destroy(new Error('the host is gone'))
    await new Promise((resolve) => { socket.once('close', resolve) })
    assert.isTrue(socket.destroyed)
  })
})

await describeEachDatabase('A database server that disappears without closing its connections', (server) => {
  // SQLite has no server.
  if (server.name === 'SQLite') return

  let testDatabase: TestDatabase
  let proxy: TcpProxy
  let database: Database

  before(async () => { testDatabase = await server.create() })
  after(() => testDatabase[Symbol.asyncDispose]())
  beforeEach(async () => {
    proxy = await openTcpProxy(testDatabase.url)
    database = openDatabase(proxy.url, SOCKET_TIMEOUT_MS)
  })
  afterEach(async () => {
    await database.knex.destroy()
    await proxy.close()
  })

  const query = (): Promise<unknown> => select(database.db, 'SELECT 1 AS one')
  const kindOfFailure = (work: Promise<unknown>): Promise<string> => work.then(() => 'none', sqlErrorKind)

  it('fails the running queries, and every connection of the pool can be used again', async () => {
    await database.knex.destroy()
    database = openDatabase(proxy.url, POOL_TIMEOUT_MS)
    const poolSize = 10
    await Promise.all(Array.from({ length: poolSize }, query))
    proxy.cutOff()
    const failures = await Promise.all(Array.from({ length: poolSize }, () => kindOfFailure(query())))
    assert.deepEqual(failures, new Array<string>(poolSize).fill('unavailable'))
    await Promise.all(Array.from({ length: poolSize }, query))
  })

  it('only loses its connections if no query is running', async () => {
    await query()
    proxy.cutOff()
    await database.knex.destroy()
    await eventually('the end of the connection', () => proxy.open() === 0 || undefined)
    database = openDatabase(proxy.url, SOCKET_TIMEOUT_MS)
    await query()
  })

  it('is not assumed while a step of the schema runs, and is assumed again after it', async () => {
    const pause = (): string => (server.name === 'MySQL' ? 'SELECT SLEEP(1)' : 'SELECT pg_sleep(1)')
    const slow = { name: '0001-slow', up: async (db: Knex): Promise<void> => { await db.raw(pause()) } }
    assert.deepEqual(await migrate(database, { steps: [slow] }), { from: 0, to: 1 })
    assert.equal(await kindOfFailure(select(database.db, pause())), 'unavailable')
  })

  it('fails a transaction at its beginning, in its middle and at its end', async () => {
    for (const cutAfter of [0, 1, 2]) {
      await query()
      let statements = 0
      const step = (): void => { if (statements++ === cutAfter) proxy.cutOff() }
      step()
      const failure = await kindOfFailure(transact(database, async (trx) => {
        step()
        await select(trx, 'SELECT 1 AS one')
        step()
      }))
      assert.equal(failure, 'unavailable')
    }
    await query()
  })
})
