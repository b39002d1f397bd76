import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { type Row, select } from '../../../../adapters/knex/engine/sql.js'
import { type KnexStorage, openStorage } from '../../../../adapters/knex/index.js'
import { moveMoney, type WalletWrite } from '../../../../adapters/knex/ledger/wallet.js'
import { type BatchId, batchIdOf, type WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { type MessageId, messageIdOf } from '../../../../core/messages/message.js'
import { fundedWorkspace } from '../../../support/account.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'
import { Recorded } from '../recorded-statements.js'

const AT = Date.UTC(2026, 10, 1)

await describeEachDatabase('The rows of parts of holds', (server) => {
  let file: TestDatabase
  let database: Database
  let storage: KnexStorage
  let workspace: WorkspaceId
  let batch: BatchId
  before(async () => {
    file = await server.createMigrated()
    storage = openStorage({ url: file.url, secret: undefined })
    database = openDatabase(file.url)
  })
  after(async () => {
    await database.close()
    await storage.close()
    await file[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    workspace = await fundedWorkspace(storage, 100n)
    batch = batchIdOf(randomUUID())
    rightOf(await storage.sharedHolds.hold({ workspace, hold: batch, amount: { micros: 60n, currency: 'USD' as Currency }, at: AT }))
  })

  const split = async (micros: bigint): Promise<MessageId> => {
    const message = messageIdOf(randomUUID())
    rightOf(await storage.sharedHolds.split({ workspace, hold: batch, message, micros, at: AT + 5 }))
    return message
  }

  /** Each database returns a 64-bit integer in another type. */
  const shown = (value: Row[string]): Row[string] =>
    (typeof value === 'bigint' || (typeof value === 'string' && /^\d+$/.test(value)) ? Number(value) : value)

  const rowOf = async (id: string): Promise<Row | undefined> => {
    const [row] = await select(
      database.db,
      `SELECT amount, state, reserved, batch_id, created_at, reserved_at, open_since FROM holds WHERE workspace_id = ? AND message_id = ?`,
      [workspace, id],
    )
    return row && Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(value)]))
  }

  it('have the amount that is on hold, that was captured or that a refund gives back, as the release before reads it', async () => {
    const message = await split(40n)
    assert.deepEqual(await rowOf(message), {
      amount: 40, state: 'held', reserved: null, batch_id: batch, created_at: AT + 5, reserved_at: AT, open_since: AT + 5,
    })
    rightOf(await storage.wallet.capturePart({ workspace, message, micros: 25n, at: AT + 9 }))
    const { amount, state, reserved, open_since: openSince } = (await rowOf(message)) ?? {}
    assert.deepEqual({ amount, state, reserved, openSince }, { amount: 25, state: 'captured', reserved: 40, openSince: null })
  })

  it('of a shared hold have what is left, and no time by which the release before would find and release it', async () => {
    const row = { state: 'held', batch_id: null, created_at: AT, reserved_at: null, open_since: null }
    assert.deepEqual(await rowOf(batch), { ...row, amount: 60, reserved: null })
    await split(40n)
    assert.deepEqual(await rowOf(batch), { ...row, amount: 20, reserved: 60 })
    rightOf(await storage.sharedHolds.release({ workspace, hold: batch, at: AT + 9 }))
    assert.deepEqual(await rowOf(batch), { ...row, state: 'released', amount: 20, reserved: 60 })
  })

  if (server.name !== 'SQLite') return
  // The other databases run the same statements.
  it('are read and written in three statements for any number of messages, none of them of the wallet', async () => {
    const statementsOf = (...items: ReadonlyArray<WalletWrite>): Promise<ReadonlyArray<string>> => transact(database, async (trx) => {
      const recorded = new Recorded(trx)
      await moveMoney(database.dialect, recorded, items, false, () => undefined)
      return recorded.statements
    })
    const parts = Array.from({ length: 5 }, () =>
      ({ _tag: 'Split', workspace, hold: batch, message: messageIdOf(randomUUID()), micros: 5n, at: AT } as const))
    assert.deepEqual(await statementsOf(...parts), ['SELECT holds', 'UPDATE holds', 'INSERT holds'])
  })
})
