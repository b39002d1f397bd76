import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { sqlErrorKind } from '../../../../adapters/knex/engine/dialect.js'
import { execute, select } from '../../../../adapters/knex/engine/sql.js'
import { openStorage } from '../../../../adapters/knex/index.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { messageIdOf, type PlatformId } from '../../../../core/messages/message.js'
import { fundedWorkspace } from '../../../support/account.js'
import { describeEachDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'

const IDLE = fileURLToPath(new URL('idle-file.ts', import.meta.url))

/** The thread that some work starts first. */
const threadOf = async (work: () => Promise<unknown>): Promise<Worker> => {
  const [[thread]] = await Promise.all([once(process, 'worker') as Promise<[Worker]>, work()])
  return thread
}

await describeEachDatabase('The thread of a SQLite file', (server) => {
  if (server.name !== 'SQLite') return

  it('that ends fails the open transaction as unavailable, and the next statement has a new one', async () => {
    await using file = await server.create()
    const database = openDatabase(file.url)
    database.allowCreate()
    try {
      const thread = await threadOf(() => execute(database.db, 'CREATE TABLE notes (id INTEGER PRIMARY KEY)'))
      const failed = transact(database, async (trx) => {
        await execute(trx, 'INSERT INTO notes (id) VALUES (1)')
        await thread.terminate()
        await execute(trx, 'INSERT INTO notes (id) VALUES (2)')
      })
      const waiting = transact(database, (trx) => execute(trx, 'INSERT INTO notes (id) VALUES (3)'))
      assert.equal(await failed.then(() => undefined, sqlErrorKind), 'unavailable')
      assert.equal(await waiting, 1)
      assert.deepEqual(await select(database.db, 'SELECT id FROM notes'), [{ id: 3n }])
    } finally {
      await database.close()
    }
  })

  it('that ends while a statement runs fails it as unavailable', async () => {
    await using file = await server.create()
    const database = openDatabase(file.url)
    database.allowCreate()
    try {
      const thread = await threadOf(() => execute(database.db, 'CREATE TABLE notes (id INTEGER PRIMARY KEY)'))
      const commit = transact(database, (trx) => execute(trx, 'INSERT INTO notes (id) VALUES (1)'))
      const query = select(database.db, 'SELECT id FROM notes')
      await thread.terminate()
      assert.deepEqual(
        await Promise.all([commit, query].map((asked) => asked.then(() => undefined, sqlErrorKind))), ['unavailable', 'unavailable'],
      )
    } finally {
      await database.close()
    }
  })

  it('ends when the database is closed', async () => {
    await using file = await server.create()
    const database = openDatabase(file.url)
    database.allowCreate()
    const thread = await threadOf(() => execute(database.db, 'CREATE TABLE notes (id INTEGER PRIMARY KEY)'))
    const exit = once(thread, 'exit')
    await database.close()
    assert.deepEqual(await exit, [0])
  })

  it('does not keep a process alive that does not wait for it', async () => {
    await using file = await server.create()
    const { stdout } = await promisify(execFile)(process.execPath, ['--import=tsx', IDLE, file.url], { timeout: 60_000 })
    assert.equal(stdout, '1 row')
  })

  it('gets a few messages for the writes of a hundred sends', async () => {
    await using file = await server.create()
    const storage = openStorage({ url: file.url, secret: undefined })
    try {
      let answers = 0
      const thread = await threadOf(storage.migrate)
      thread.on('message', () => { answers += 1 })
      const workspace = await fundedWorkspace(storage, 1_000_000n)
      const before = answers
      const price = { micros: 5n, currency: 'USD' as Currency, category: 'marketing' } as const
      const message = { _tag: 'Template', to: '15550100001' as PhoneNumber, name: 'order_update', language: 'en_US' } as const
      const at = Date.now()
      await Promise.all(Array.from({ length: 100 }, async () => {
        const id = messageIdOf(uuidv7())
        await Promise.all([
          storage.messageLog.open({ id, workspace, message, price, at }).then(rightOf),
          storage.wallet.hold({ workspace, message: id, amount: price, at }).then(rightOf),
        ])
        await Promise.all([
          storage.messageLog.apply(workspace, id, { state: 'accepted', at, platformId: `wamid.${id}` as PlatformId }).then(rightOf),
          storage.wallet.capture({ workspace, message: id, at }).then(rightOf),
        ])
      }))
      // The first transaction reads, then writes and commits; the second one writes and commits at once.
      assert.equal(answers - before, 3)
    } finally {
      await storage.close()
    }
  })
})
