import { setImmediate } from 'node:timers/promises'
import { assert } from 'chai'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { sqlErrorKind, WriteConflict } from '../../../../adapters/knex/engine/dialect.js'
import { execute, type Queryable, select } from '../../../../adapters/knex/engine/sql.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'

/** A query of one row that takes a while. */
const LONG_QUERY = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000) SELECT COUNT(*) AS numbers FROM n'

await describeEachDatabase('The connection of a database', (server) => {
  if (server.name !== 'SQLite') return
  let testDatabase: TestDatabase
  let database: Database

  beforeEach(async () => {
    testDatabase = await server.create()
    database = openDatabase(testDatabase.url)
    database.allowCreate()
    await execute(database.db, 'CREATE TABLE notes (id INTEGER PRIMARY KEY)')
  })

  afterEach(async () => {
    await database.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  const note = (db: Queryable, id: number): Promise<number> => execute(db, 'INSERT INTO notes (id) VALUES (?)', [id])
  const noted = async (db: Queryable): Promise<ReadonlyArray<number>> =>
    (await select(db, 'SELECT id FROM notes ORDER BY id')).map(({ id }) => Number(id))
  const kindOf = (work: Promise<unknown>): Promise<string> => work.then(() => 'success', (error: unknown) => (error as Error).message)

  it('shows a transaction to other statements only when it has ended, without letting them wait', async () => {
    let seenMeanwhile: ReadonlyArray<number> = []
    await transact(database, async (trx) => {
      await note(trx, 1)
      seenMeanwhile = await noted(database.db)
      await note(trx, 2)
    })
    assert.deepEqual(seenMeanwhile, [])
    assert.deepEqual(await noted(database.db), [1, 2])
  })

  it('lets a statement that writes wait until the open transaction has ended', async () => {
    const order: string[] = []
    const transaction = transact(database, async (trx) => {
      await note(trx, 1)
      await setImmediate()
      await note(trx, 2)
      order.push('transaction')
    })
    const other = note(database.db, 3).then(() => order.push('other'))
    await Promise.all([transaction, other])
    assert.deepEqual(order, ['transaction', 'other'])
  })

  it('does not stop the event loop while a statement runs', async () => {
    const order: string[] = []
    const query = select(database.db, LONG_QUERY).then(() => order.push('query'))
    await setImmediate()
    order.push('turn of the event loop')
    await query
    assert.deepEqual(order, ['turn of the event loop', 'query'])
  })

  it('runs statements in the order in which they were asked for', async () => {
    const rows = await transact(database, async (trx) => {
      const steps = [1, 2, 3].flatMap((id) => [note(trx, id).then(() => undefined), noted(trx)])
      return (await Promise.all(steps)).filter((step) => step !== undefined)
    })
    assert.deepEqual(rows, [[1], [1, 2], [1, 2, 3]])
  })

  it('rolls a transaction back whose statement failed, and runs no later one of it', async () => {
    await note(database.db, 1)
    const outcomes: string[] = []
    const failed = transact(database, async (trx) => {
      await note(trx, 2)
      outcomes.push(...await Promise.all([kindOf(note(trx, 1)), kindOf(note(trx, 3)), kindOf(noted(trx))]))
    })
    assert.include(await kindOf(failed), 'UNIQUE')
    assert.lengthOf(outcomes, 3)
    for (const outcome of outcomes) assert.include(outcome, 'UNIQUE')
    assert.deepEqual(await noted(database.db), [1])
  })

  it('fails the commit of a transaction in which a row could not be written', async () => {
    await note(database.db, 1)
    const failed = transact(database, async (trx) => {
      await trx.writeEach('INSERT INTO notes (id) VALUES (?)', [[2], [1]])
      return 'done'
    })
    assert.include(await kindOf(failed), 'UNIQUE')
    const conflict = transact(database, async (trx) => {
      await trx.writeEach('INSERT INTO notes (id) VALUES (?)', [[2]])
      await trx.writeEach('UPDATE notes SET id = id WHERE id = ?', [[1], [7]], 'note 7 is gone')
    }, { retryMs: 0 })
    assert.equal(
      await conflict.then(() => undefined, (error: unknown) => error instanceof WriteConflict && error.message), 'note 7 is gone',
    )
    assert.deepEqual(await noted(database.db), [1])
  })

  it('does not commit once its signal is aborted, even if the commit is on its way', async () => {
    const abort = new AbortController()
    const query = select(database.db, LONG_QUERY)
    const late = transact(database, (trx) => trx.writeEach('INSERT INTO notes (id) VALUES (?)', [[1]]), { signal: abort.signal })
    await setImmediate()
    abort.abort()
    assert.include(await kindOf(late), 'aborted')
    await query
    await note(database.db, 2)
    assert.deepEqual(await noted(database.db), [2])
  })

  it('rolls back what does not fit on the disk, and goes on', async () => {
    await execute(database.db, 'CREATE TABLE texts (text TEXT)')
    await execute(database.db, 'PRAGMA max_page_count = 40')
    const failed = transact(database, async (trx) => {
      await note(trx, 1)
      await execute(trx, 'INSERT INTO texts (text) VALUES (?)', ['x'.repeat(400_000)])
    })
    assert.equal(await failed.then(() => undefined, sqlErrorKind), 'unavailable')
    await note(database.db, 2)
    assert.deepEqual(await noted(database.db), [2])
  })

  it('names no value in an error', async () => {
    await execute(database.db, 'CREATE TABLE people (phone TEXT PRIMARY KEY, age INTEGER CHECK (age < 200)) STRICT')
    const insertPerson = (phone: string, age: string | number): Promise<string> =>
      kindOf(execute(database.db, 'INSERT INTO people VALUES (?, ?)', [phone, age]))
    assert.equal(await insertPerson('4915550001', 7), 'success')
    for (const failure of [
      await insertPerson('4915550001', 7), await insertPerson('4915550002', 4915550003), await insertPerson('4915550002', '4915550003'),
    ]) {
      assert.notEqual(failure, 'success')
      assert.notInclude(failure, '491555')
    }
  })

  it('sees the columns and tables that another connection changes', async () => {
    const rows = (): Promise<unknown> => select(database.db, 'SELECT * FROM people')
    await database.knex.raw('CREATE TABLE people (name TEXT)')
    await database.knex.raw("INSERT INTO people VALUES ('Ada')")
    assert.deepEqual(await rows(), [{ name: 'Ada' }])
    await database.knex.raw('ALTER TABLE people ADD COLUMN age INTEGER DEFAULT 36')
    assert.deepEqual(await rows(), [{ name: 'Ada', age: 36n }])
    await database.knex.raw('DROP TABLE people')
    assert.include(await rows().then(() => 'success', (error: unknown) => (error as Error).message), 'no such table')
    await database.knex.raw('CREATE TABLE people (nickname TEXT)')
    assert.deepEqual(await rows(), [])
  })

  it('runs more different statements than it keeps', async () => {
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, number) => select(database.db, `SELECT ${number} AS number`)))
    assert.deepEqual(answers.map(([row]) => Number(row?.['number'])), Array.from({ length: 1_000 }, (_, number) => number))
    assert.deepEqual(await select(database.db, 'SELECT 0 AS number'), [{ number: 0n }])
  })

  it('runs transactions one after the other', async () => {
    const step = (id: number) => transact(database, async (trx) => {
      const before = (await noted(trx)).length
      await setImmediate()
      await note(trx, id)
      return before
    })
    assert.deepEqual(await Promise.all([step(1), step(2), step(3)]), [0, 1, 2])
  })

  it('rolls a failed transaction back and runs the next one', async () => {
    const failed = transact(database, async (trx) => {
      await note(trx, 1)
      throw new Error('no')
    })
    const next = transact(database, (trx) => note(trx, 2))
    assert.equal(await kindOf(failed), 'no')
    await next
    assert.deepEqual(await noted(database.db), [2])
  })

  it('writes all rows of a list or none', async () => {
    assert.equal(await database.db.executeEach('INSERT INTO notes (id) VALUES (?)', [[1], [2], [3]]), 3)
    assert.include(await kindOf(database.db.executeEach('INSERT INTO notes (id) VALUES (?)', [[4], [1]])), 'UNIQUE')
    assert.deepEqual(await noted(database.db), [1, 2, 3])
  })

  it('reads integers of 64 bits without losing a digit', async () => {
    await execute(database.db, 'INSERT INTO notes (id) VALUES (?)', [9_007_199_254_740_993n])
    assert.deepEqual((await select(database.db, 'SELECT id FROM notes')).map(({ id }) => String(id)), ['9007199254740993'])
  })

  it('runs nothing after it was closed', async () => {
    await database.close()
    assert.include(await kindOf(note(database.db, 1)), 'connection is closed')
  })

  it('answers what runs while it is closed, and rolls back a transaction that is open', async () => {
    const query = select(database.db, LONG_QUERY)
    let closing: Promise<void> | undefined
    const open = transact(database, async (trx) => {
      await note(trx, 1)
      closing = database.close()
      await note(trx, 2)
    })
    const waiting = note(database.db, 3)
    assert.include(await kindOf(open), 'connection is closed')
    assert.include(await kindOf(waiting), 'connection is closed')
    assert.lengthOf(await query, 1)
    await closing
    const later = openDatabase(testDatabase.url)
    assert.deepEqual(await noted(later.db), [])
    await later.close()
  })

  it('opens a file that is there only later', async () => {
    await using missing = await server.create()
    const late = openDatabase(`${missing.url}.late`)
    try {
      assert.include(await kindOf(noted(late.db)), 'there is no database file')
      late.allowCreate()
      await execute(late.db, 'CREATE TABLE notes (id INTEGER PRIMARY KEY)')
      assert.deepEqual(await noted(late.db), [])
    } finally {
      await late.close()
    }
  })
})
