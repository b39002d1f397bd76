import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { assert } from 'chai'
import { openDatabase, type Database } from '../../../adapters/knex/database.js'
import { endWhenSilent } from '../../../adapters/knex/silence.js'
import { sqlErrorKind } from '../../../adapters/knex/sql-error.js'
import { select } from '../../../adapters/knex/sql.js'
import { transact } from '../../../adapters/knex/transact.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { eventually } from '../../support/eventually.js'
import { openWay, type Way } from '../../support/way.js'

const SILENT_MS = 300

describe('A connection that nobody listens to any more', () => {
  it('is no reason to end the process when its socket fails', async () => {
    const socket = new Socket()
    const connection = Object.assign(new EventEmitter(), { stream: socket })
    socket.on('error', (error) => connection.emit('error', error))
    endWhenSilent(connection, SILENT_MS)
    connection.removeAllListeners()
    socket.destroy(new Error('the host is gone'))
    await new Promise((resolve) => { socket.once('close', resolve) })
    assert.isTrue(socket.destroyed)
  })
})

await describeEachDatabase('A database that is gone without a farewell', (server) => {
  // SQLite is a file.
  if (server.name === 'SQLite') return

  let home: TestDatabase
  let way: Way
  let database: Database

  beforeEach(async () => {
    home = await server.create()
    way = await openWay(home.url)
    database = openDatabase(way.url, SILENT_MS)
  })
  afterEach(async () => {
    await database.knex.destroy()
    await way.close()
    await home[Symbol.asyncDispose]()
  })

  const one = (): Promise<unknown> => select(database.knex, 'SELECT 1 AS one')
  const kindOfFailure = (work: Promise<unknown>): Promise<string> => work.then(() => 'none', sqlErrorKind)

  it('fails whoever asked it, and every place in the pool is free again', async () => {
    const places = 10
    await Promise.all(Array.from({ length: places }, one))
    way.cutOff()
    const failures = await Promise.all(Array.from({ length: places }, () => kindOfFailure(one())))
    assert.deepEqual(failures, new Array<string>(places).fill('unavailable'))
    await Promise.all(Array.from({ length: places }, one))
  })

  it('costs nothing but the connections where nobody was asking', async () => {
    await one()
    way.cutOff()
    await database.knex.destroy()
    await eventually('the connection being given up', () => way.open() === 0 || undefined)
    database = openDatabase(way.url, SILENT_MS)
    await one()
  })

  it('fails a transaction at its beginning, in its middle and at its end', async () => {
    for (const cutAfter of [0, 1, 2]) {
      await one()
      let statements = 0
      const step = (): void => { if (statements++ === cutAfter) way.cutOff() }
      step()
      const failure = await kindOfFailure(transact(database, async (trx) => {
        step()
        await select(trx, 'SELECT 1 AS one')
        step()
      }))
      assert.equal(failure, 'unavailable')
    }
    await one()
  })
})
