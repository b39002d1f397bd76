import { assert } from 'chai'
import type { Suite } from 'mocha'
import { type Database, openDatabase, transact } from '../../adapters/knex/engine/database.js'
import { sqlErrorKind } from '../../adapters/knex/engine/dialect.js'
import { execute } from '../../adapters/knex/engine/sql.js'
import type { GaleraCluster } from '../support/galera.js'

const ROWS = Array.from({ length: 20 }, (_, index) => index + 1)
const TRANSACTIONS = 500

export const wholeTransactions = (cluster: () => GaleraCluster): Suite => describe('A transaction on a Galera node', () => {
  it('is committed whole or not at all while transactions of another node win over it', async () => {
    const { urls } = await cluster().createDatabase('postern_whole')
    const table = 'postern_whole.counters'
    await cluster().nodes[0].ask(`CREATE TABLE ${table} (id INT PRIMARY KEY, n INT NOT NULL, other INT NOT NULL)`)
    await cluster().nodes[0].ask(`INSERT INTO ${table} VALUES ${ROWS.map((id) => `(${id}, 0, 0)`).join(', ')}`)
    await using own = closing(openDatabase(urls[0]))
    await using elsewhere = closing(openDatabase(urls[1]))
    let isWriting = true
    const disturb = async (first: number): Promise<void> => {
      for (let id = first; isWriting; id = (id % ROWS.length) + 1) {
        await transact(elsewhere, (trx) => execute(trx, 'UPDATE counters SET other = other + 1 WHERE id = ?', [id]))
      }
    }
    const disturbing = [1, 6, 11, 16].map(disturb)
    let committed = 0
    for (let count = 0; count < TRANSACTIONS; count += 1) {
      const done = transact(
        own, (trx) => Promise.all(ROWS.map((id) => execute(trx, 'UPDATE counters SET n = n + 1 WHERE id = ?', [id]))), { retryMs: 0 },
      )
      await done.then(() => { committed += 1 }, (error: unknown) => { assert.equal(sqlErrorKind(error), 'retry') })
    }
    isWriting = false
    await Promise.all(disturbing)
    const rows = await cluster().nodes[2].ask(`SET STATEMENT wsrep_sync_wait = 7 FOR SELECT n FROM ${table}`)
    assert.deepEqual(rows.map(({ n }) => n), ROWS.map(() => committed))
    assert.isBelow(committed, TRANSACTIONS, 'no transaction of the other node won')
  })
})

const closing = (database: Database): Database & AsyncDisposable => ({ ...database, [Symbol.asyncDispose]: database.close })
