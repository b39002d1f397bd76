import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { execute } from '../../../../adapters/knex/engine/sql.js'
import { type KnexStorage, openStorage } from '../../../../adapters/knex/index.js'
import { migrate } from '../../../../adapters/knex/schema/migrate.js'
import { STEPS } from '../../../../adapters/knex/schema/steps.js'
import { moveMoney, type WalletWrite } from '../../../../adapters/knex/ledger/wallet.js'
import { type WorkspaceId, workspaceIdOf } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { messageIdOf } from '../../../../core/messages/message.js'
import { NO_ALERTS, type WalletAlert } from '../../../../core/money/wallet.js'
import { fundedWorkspace } from '../../../support/account.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { rightOf } from '../../../support/right-of.js'
import { Recorded } from '../recorded-statements.js'

const USD = 'USD' as Currency
const AT = Date.UTC(2026, 10, 1)

const holdOf = (workspace: WorkspaceId, micros: bigint): WalletWrite =>
  ({ _tag: 'Hold', workspace, message: messageIdOf(randomUUID()), amount: { micros, currency: USD }, at: AT })

await describeEachDatabase('The statements of a hold', (server) => {
  // The other databases run the same ones.
  if (server.name !== 'SQLite') return
  let file: TestDatabase
  let database: Database
  let storage: KnexStorage
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

  const statementsOf = async (...items: ReadonlyArray<WalletWrite>): Promise<ReadonlyArray<string>> => transact(database, async (trx) => {
    const recorded = new Recorded(trx)
    await moveMoney(database.dialect, recorded, items, false, () => undefined)
    return recorded.statements
  })

  const PLAIN = ['SELECT wallets', 'INSERT holds', 'UPDATE wallets']
  const REFUSED = ['SELECT wallets', 'SELECT holds']

  it('are as many with a threshold as without, and one more only for the hold that raises an alert', async () => {
    const workspace = await fundedWorkspace(storage, 100n)
    assert.deepEqual(await statementsOf(holdOf(workspace, 10n)), PLAIN)
    rightOf(await storage.walletAlerts.setThreshold(workspace, 50n))
    assert.deepEqual(await statementsOf(holdOf(workspace, 10n), holdOf(workspace, 10n)), PLAIN)
    assert.deepEqual(
      await statementsOf(holdOf(workspace, 10n), holdOf(workspace, 20n), holdOf(workspace, 20n)), [...PLAIN, 'UPDATE wallets'],
    )
    assert.deepEqual(await statementsOf(holdOf(workspace, 10n)), PLAIN)
  })

  it('write nothing for a refusal, but the first one', async () => {
    const workspace = await fundedWorkspace(storage, 5n)
    assert.deepEqual(await statementsOf(holdOf(workspace, 10n), holdOf(workspace, 10n)), [...REFUSED, 'UPDATE wallets'])
    for (let refusals = 0; refusals < 3; refusals += 1) {
      assert.deepEqual(await statementsOf(holdOf(workspace, 10n), holdOf(workspace, 10n)), REFUSED)
    }
  })
})

await describeEachDatabase('The report of an alert', (server) => {
  it('comes once from the gateway whose hold raised it', async () => {
    await using file = await server.createMigrated()
    const reported: WalletAlert[] = []
    const gateways = [1, 2].map(() => openStorage({ url: file.url, secret: undefined, onWalletAlert: (alert) => { reported.push(alert) } }))
    try {
      const [first, second] = gateways as [KnexStorage, KnexStorage]
      const workspace = await fundedWorkspace(first, 100n)
      rightOf(await second.walletAlerts.setThreshold(workspace, 50n))
      const hold = (index: number) => (index % 2 === 0 ? first : second).wallet.hold({
        workspace, message: messageIdOf(randomUUID()), amount: { micros: 3n, currency: USD }, at: AT,
      })
      const outcomes = await Promise.all(Array.from({ length: 60 }, (_, index) => hold(index)))
      assert.equal(outcomes.filter(E.isRight).length, 33)
      assert.sameDeepMembers<unknown>(reported, [
        { _tag: 'WalletLow', workspace, balance: { available: 49n, held: 51n, currency: USD }, threshold: 50n, at: AT },
        { _tag: 'WalletExhausted', workspace, balance: { available: 1n, held: 99n, currency: USD }, required: 3n, at: AT },
      ])
    } finally {
      await Promise.all(gateways.map(({ close }) => close()))
    }
  })
})

await describeEachDatabase('A wallet of the version before', (server) => {
  const WALLET = "INSERT INTO wallets (workspace_id, currency, available, held) VALUES (?, 'USD', 100, 0)"

  it('keeps its money, has no threshold, and raises alerts once it has one, beside a gateway of that version', async () => {
    await using file = await server.create()
    const database = openDatabase(file.url)
    const storage = openStorage({ url: file.url, secret: undefined })
    try {
      await migrate(database, { steps: STEPS.filter(({ name }) => name < '0020') })
      const [older, newer] = [workspaceIdOf(randomUUID()), workspaceIdOf(randomUUID())]
      await execute(database.db, WALLET, [older])
      await storage.migrate()
      // A gateway of that version may still make workspaces and top-ups.
      await execute(database.db, WALLET, [newer])
      for (const workspace of [older, newer]) {
        assert.deepEqual(rightOf(await storage.walletAlerts.alertsOf(workspace)), O.some(NO_ALERTS))
        assert.deepEqual(rightOf(await storage.walletAlerts.setThreshold(workspace, 100n)), { ...NO_ALERTS, threshold: 100n })
        rightOf(await storage.wallet.hold({ workspace, message: messageIdOf(randomUUID()), amount: { micros: 1n, currency: USD }, at: AT }))
        await execute(database.db, 'UPDATE wallets SET available = available + 5 WHERE workspace_id = ?', [workspace])
        assert.deepEqual(rightOf(await storage.walletAlerts.alertsOf(workspace)), O.some({ ...NO_ALERTS, threshold: 100n, lowSince: AT }))
        assert.deepEqual(rightOf(await storage.ledger.balance(workspace)), O.some({ available: 104n, held: 1n, currency: USD }))
      }
    } finally {
      await storage.close()
      await database.close()
    }
  })
})
