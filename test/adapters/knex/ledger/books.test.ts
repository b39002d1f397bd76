import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { execute, insert, select } from '../../../../adapters/knex/engine/sql.js'
import { type KnexStorage, openStorage } from '../../../../adapters/knex/index.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import { auditWallet, type LedgerPeriod } from '../../../../core/money/ledger.js'
import { fundedWorkspace } from '../../../support/account.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'

const ENTRIES = 12_345
const AT_ONCE = 2_500

await describeEachDatabase('The books of a wallet with more entries than are added up at once', ({ name, createMigrated }) => {
  let made: TestDatabase
  let database: Database
  let storage: KnexStorage
  let workspace: WorkspaceId
  before(async () => {
    made = await createMigrated()
    database = openDatabase(made.url)
    storage = openStorage({ url: made.url, secret: undefined })
    workspace = await fundedWorkspace(storage, 0n)
    // Each message was held and captured at the price of its number.
    const idOf = (number: number): string => `0199c3a87c2e7${String(number).padStart(19, '0')}`
    for (let begin = 1; begin <= ENTRIES; begin += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, ENTRIES - begin + 1) }, (_, index) => begin + index)
      await transact(database, async (trx) => {
        await insert(trx, database.dialect, 'wallet_entries', ['workspace_id', 'id', 'kind', 'amount', 'message_id', 'created_at'],
          numbers.map((number) => [workspace, idOf(number), 'capture', number, `msg_${idOf(number)}`, number]))
        await insert(trx, database.dialect, 'holds', ['workspace_id', 'message_id', 'amount', 'state', 'created_at'],
          numbers.map((number) => [workspace, `msg_${idOf(number)}`, number, 'captured', number]))
      })
    }
    const sum = (ENTRIES * (ENTRIES + 1)) / 2
    await execute(database.db, 'UPDATE wallets SET available = ? WHERE workspace_id = ?', [-sum, workspace])
  })
  after(async () => {
    await Promise.all([storage.close(), database.close()])
    await made[Symbol.asyncDispose]()
  })

  it('have every entry and every hold once', async () => {
    const { entries, holds, available } = O.toUndefined(rightOf(await storage.reading.ledger.books(workspace)))
      ?? assert.fail('there are no books')
    const sum = BigInt((ENTRIES * (ENTRIES + 1)) / 2)
    assert.deepEqual({ entries, holds, available }, { entries: { capture: sum }, holds: { captured: sum }, available: -sum })
  })

  it('have each of the entries in the sum of its day, and the same balance before and after', async () => {
    const [from, end] = ['0199c3a87c2e7', '0199c3a87c2e8']
    const days = async (period: LedgerPeriod) =>
      O.toUndefined(rightOf(await storage.reading.ledger.days(workspace, period))) ?? assert.fail('there are no days')
    const sum = BigInt((ENTRIES * (ENTRIES + 1)) / 2)
    const { closing, days: [day, ...others] } = await days({ from, to: end })
    assert.deepEqual([closing, day, others], [
      -sum, { start: Date.UTC(2025, 9, 8), kind: 'capture', entries: ENTRIES, free: 0, micros: sum }, [],
    ])
    assert.deepInclude(await days({ from: '0', to: from }), { closing: 0n, days: [], paid: [] })
  })

  // The other databases do so by themselves.
  if (name === 'MySQL') it('are read by a range of ids, and not from the first entry of the workspace on each time', async () => {
    const { dialect, db } = database
    for (const [table, id] of [['wallet_entries', 'id'], ['holds', 'message_id'], ['messages', 'id'], ['audit_entries', 'id']] as const) {
      const [plan] = await select(
        db, `EXPLAIN SELECT ${id} FROM ${dialect.byWorkspace(table)} WHERE workspace_id = ? AND ${id} < ? ORDER BY ${id} DESC LIMIT 101`,
        [workspace, 'msg_0199c3a87c2e7'],
      )
      assert.deepInclude(plan, { type: 'range', key: `${table}_workspace` }, table)
    }
  })

  it('are those of one moment, however much is written while they are added up', async () => {
    const books = storage.reading.ledger.books(workspace)
    for (let written = 0; written < 20; written += 1) {
      rightOf(await storage.ledger.topUp({ workspace, micros: 1n, reference: `while ${written}`, at: Date.now() }))
    }
    assert.isEmpty(auditWallet(O.toUndefined(rightOf(await books)) ?? assert.fail('there are no books')))
  })
})
