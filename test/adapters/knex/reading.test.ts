import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { type Database, openDatabase, openReading, transact } from '../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../adapters/knex/engine/sql.js'
import { openStorage } from '../../../adapters/knex/index.js'
import { createAccount } from '../../support/account.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { rightOf } from '../../support/right-of.js'

/** A query that reads no table, and on a server ends only when the transaction with the other statement has ended. */
const LONG: Readonly<Record<string, readonly [query: string, waitsFor?: string]>> = {
  sqlite: ['WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q WHERE n < 500000) SELECT COUNT(*) AS n FROM q'],
  mysql: [
    'SELECT GET_LOCK(DATABASE(), 60) AS n, RELEASE_LOCK(DATABASE()) AS released', 'SELECT GET_LOCK(DATABASE(), 60) AS n',
  ],
  postgres: ['SELECT pg_advisory_xact_lock_shared(1) AS n', 'SELECT pg_advisory_xact_lock(1) AS n'],
}

await describeEachDatabase('The connections for reading', ({ createMigrated }) => {
  let made: TestDatabase
  let database: Database
  let reading: Database
  beforeEach(async () => {
    made = await createMigrated()
    database = openDatabase(made.url)
    reading = openReading(made.url, database)
  })
  afterEach(async () => {
    await Promise.all([database.close(), reading.close()])
    await made[Symbol.asyncDispose]()
  })

  it('keep no statement waiting that is not theirs, however long theirs take', async () => {
    await Promise.all([select(database.db, 'SELECT 1 AS n'), select(reading.db, 'SELECT 1 AS n')])
    const order: string[] = []
    const [query = '', waitsFor] = LONG[database.dialect.name] ?? []
    const keeper = openDatabase(made.url)
    const readAll = () => Promise.all(Array.from({ length: 6 }, () => select(reading.db, query))).then(() => order.push('read'))
    const writeAll = async (): Promise<void> => {
      for (let count = 0; count < 5; count += 1) {
        await transact(database, async (trx) => { await execute(trx, "UPDATE workspaces SET name = name WHERE id = 'none'") })
      }
      order.push('written')
    }
    let long: Promise<unknown> = Promise.resolve()
    if (waitsFor === undefined) {
      long = readAll()
      await writeAll()
    } else {
      await transact(keeper, async (trx) => {
        await select(trx, waitsFor)
        long = readAll()
        await writeAll()
      })
    }
    await keeper.close()
    await long
    assert.deepEqual(order, ['written', 'read'])
  })

  it('wait for no transaction that is open, and see what was committed before', async () => {
    await execute(database.db, "INSERT INTO workspaces (id, name, currency, created_at) VALUES ('ws_1', 'before', 'USD', 0)")
    await transact(database, async (trx) => {
      await execute(trx, "UPDATE workspaces SET name = 'after' WHERE id = 'ws_1'")
      assert.deepEqual(await select(reading.db, "SELECT name FROM workspaces WHERE id = 'ws_1'"), [{ name: 'before' }])
    })
    assert.deepEqual(await select(reading.db, "SELECT name FROM workspaces WHERE id = 'ws_1'"), [{ name: 'after' }])
  })
})

await describeEachDatabase('The ports for reading', ({ createMigrated }) => {
  it('see at once what the others have written', async () => {
    await using made = await createMigrated()
    const storage = openStorage({ url: made.url, secret: undefined })
    try {
      const { id } = await createAccount(storage, { micros: 5n })
      for (let micros = 6n; micros < 20n; micros += 1n) {
        rightOf(await storage.ledger.topUp({ workspace: id, micros: 1n, reference: String(micros), at: Date.now() }))
        assert.equal(O.toUndefined(rightOf(await storage.reading.ledger.balance(id)))?.available, micros)
      }
      assert.equal(O.toUndefined(rightOf(await storage.reading.ledger.books(id)))?.available, 19n)
    } finally {
      await storage.close()
    }
  })
})

await describeEachDatabase('A thread for reading', ({ createMigrated }) => {
  it('writes nothing', async () => {
    await using made = await createMigrated()
    const database = openDatabase(made.url)
    const reading = openReading(made.url, database)
    try {
      const failure = await execute(reading.db, "UPDATE workspaces SET name = name").then(() => undefined, (error: unknown) => error)
      assert.match(String(failure), /readonly|query_only|read-only/i)
    } finally {
      await Promise.all([database.close(), reading.close()])
    }
  })
}, 'SQLite')
