import { assert } from 'chai'
import { makeReadBatcher, type Read } from '../../../adapters/knex/engine/batches.js'
import { type Database, openDatabase } from '../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../adapters/knex/engine/sql.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { openTcpProxy } from '../../support/tcp-proxy.js'

await describeEachDatabase('A read batcher', (server) => {
  let testDatabase: TestDatabase
  let opened: Database

  before(async () => {
    testDatabase = await server.create()
    opened = openDatabase(testDatabase.url)
    opened.allowCreate()
    await opened.knex.schema.createTable('notes', (table) => {
      table.integer('id').primary()
      table.text('note')
    })
    await execute(opened.db, "INSERT INTO notes (id, note) VALUES (1, 'one'), (2, 'two')")
  })

  after(async () => {
    await opened.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  const noteOf: Read<number, string | undefined> = async (db, ids) => {
    const rows = await select(db, 'SELECT id, note FROM notes ORDER BY id')
    return ids.map((id) => rows.find((row) => Number(row['id']) === id)?.['note'] as string | undefined)
  }
  const sumWith: Read<number, number> = async (db, addends) => {
    const [row] = await select(db, 'SELECT SUM(id) AS total FROM notes')
    return addends.map((addend) => Number(row?.['total']) + addend)
  }
  const wrong: Read<number, never> = async (db) => {
    await select(db, 'SELECT nothing FROM nowhere')
    return []
  }

  it('gives every caller its own answer', async () => {
    const readBatcher = makeReadBatcher(opened)
    const [note, sum] = [readBatcher(noteOf), readBatcher(sumWith)]
    assert.deepEqual(await Promise.all([note(2), sum(10), note(1), note(3), sum(20)]), ['two', 13, 'one', undefined, 23])
  })

  // A file has no round trips.
  if (server.name !== 'SQLite') {
    it('asks for all kinds in one round trip on one connection', async () => {
      const proxy = await openTcpProxy(testDatabase.url)
      const beyond = openDatabase(proxy.url)
      const readBatcher = makeReadBatcher(beyond)
      const [note, sum] = [readBatcher(noteOf), readBatcher(sumWith)]
      await note(1)
      const before = proxy.roundTrips()
      await Promise.all([note(2), sum(10), note(1), sum(20)])
      assert.deepEqual([proxy.roundTrips() - before, proxy.open()], [1, 1])
      await beyond.close()
      await proxy.close()
    })
  }

  it('reads anew each time', async () => {
    const note = makeReadBatcher(opened)(noteOf)
    assert.equal(await note(2), 'two')
    await execute(opened.db, "UPDATE notes SET note = 'deux' WHERE id = 2")
    assert.equal(await note(2), 'deux')
    await execute(opened.db, "UPDATE notes SET note = 'two' WHERE id = 2")
  })

  for (const [place, order] of [['first', [0, 1, 2]], ['in between', [1, 0, 2]], ['last', [1, 2, 0]]] as const) {
    it(`answers the others where a query fails that was started ${place}`, async () => {
      const readBatcher = makeReadBatcher(opened)
      const [fails, note, sum] = [readBatcher(wrong), readBatcher(noteOf), readBatcher(sumWith)]
      const loads = [() => fails(1), () => note(1), () => sum(1)]
      const outcomes = await Promise.allSettled(order.map((index) => loads[index]!()))
      assert.deepEqual(order.map((index, position) => [index, outcomes[position]?.status]).sort().map(([, status]) => status), ['rejected', 'fulfilled', 'fulfilled'])
    })
  }

  it('gives its connections back', async () => {
    const readBatcher = makeReadBatcher(opened)
    const [fails, note, sum] = [readBatcher(wrong), readBatcher(noteOf), readBatcher(sumWith)]
    // More batches than the pool has connections.
    for (let batch = 0; batch < 12; batch += 1) await Promise.allSettled([fails(1), note(1), sum(1)])
    assert.deepEqual(await Promise.all([note(1), sum(0)]), ['one', 3])
  })
})
