import { assert } from 'chai'
import { openDatabase, type Database } from '../../../../adapters/knex/engine/database.js'
import { execute, select } from '../../../../adapters/knex/engine/sql.js'
import { openStorage, type KnexStorage } from '../../../../adapters/knex/index.js'
import type { PhoneNumber } from '../../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { DAY_MS } from '../../../../core/kernel/time.js'
import { fundedWorkspace } from '../../../support/account.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'

const NOON = Date.UTC(2026, 2, 1, 12)

await describeEachDatabase('The names by which customers are found', ({ createMigrated }) => {
  let made: TestDatabase
  let database: Database
  let storage: KnexStorage
  let workspace: WorkspaceId
  let now = NOON
  before(async () => {
    made = await createMigrated()
    database = openDatabase(made.url)
    storage = openStorage({ url: made.url, secret: undefined, now: () => now })
    workspace = await fundedWorkspace(storage, 0n)
  })
  after(async () => {
    await Promise.all([storage.close(), database.close()])
    await made[Symbol.asyncDispose]()
  })

  const always = () => Promise.resolve(true)
  const idOf = (number: number): PhoneNumber => `49151${1_000_000 + number}` as PhoneNumber
  const named = async (text: string, limit = 10) => {
    const { customers, isComplete } = rightOf(await storage.customers.named?.([workspace], text, limit) ?? assert.fail('no index'))
    return { ids: customers.map(({ id }) => id).sort(), isComplete }
  }
  /** Writes as the release before does, which knows nothing of the index. */
  const writeBefore = (number: number, name: string | null) => execute(
    database.db, 'INSERT INTO customers (workspace_id, customer_id, name, named_at) VALUES (?, ?, ?, ?)',
    [workspace, idOf(number), name, NOON],
  )

  it('are those that the release before has written, once they were compared', async () => {
    for (let number = 0; number < 1_203; number += 1) await writeBefore(number, number % 100 === 0 ? `Ana Nr ${number}` : null)
    await execute(database.db, 'UPDATE named_customers_progress SET ended_at = NULL', [])
    assert.deepEqual(await named('ana'), { ids: [], isComplete: false })
    let steps = 0
    assert.isFalse(await storage.compareNames(async () => (steps += 1) <= 2))
    assert.deepEqual(await named('nr', 50), { ids: Array.from({ length: 10 }, (_, hundred) => idOf(100 * hundred)), isComplete: false })
    assert.isTrue(await storage.compareNames(always))
    assert.deepEqual(await named('nr', 50), { ids: Array.from({ length: 13 }, (_, hundred) => idOf(100 * hundred)), isComplete: true })
  })

  it('follow the names that the release before changes and removes a day later, and the customers that it erases immediately', async () => {
    await execute(database.db, "UPDATE customers SET name = 'Bea' WHERE customer_id = ?", [idOf(100)])
    await execute(database.db, 'UPDATE customers SET name = NULL WHERE customer_id = ?', [idOf(200)])
    await execute(database.db, 'DELETE FROM customers WHERE customer_id = ?', [idOf(300)])
    assert.notInclude((await named('ana nr', 50)).ids, idOf(300))
    assert.isTrue(await storage.compareNames(always))
    assert.deepEqual((await named('bea')).ids, [])
    now += DAY_MS
    assert.isTrue(await storage.compareNames(always))
    assert.deepEqual((await named('bea')).ids, [idOf(100)])
    assert.deepEqual((await named('ana', 50)).ids, [0, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((hundred) => idOf(100 * hundred)))
    const rows = await select(database.db, 'SELECT DISTINCT customer_id FROM named_customers', [])
    assert.lengthOf(rows, 11)
  })
})
