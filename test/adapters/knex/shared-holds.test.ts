import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { openStorage, type KnexStorage } from '../../../adapters/knex/index.js'
import { messageIdOf, type MessageId } from '../../../core/message.js'
import type { Currency } from '../../../core/money.js'
import type { WorkspaceId } from '../../../core/workspace.js'
import { fundedWorkspace } from '../../support/books.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'

const USD = 'USD' as Currency
const AT = Date.UTC(2026, 10, 1)

// What a gateway remembers of its own holds must never outweigh what another one did to them.
await describeEachDatabase('A hold that two gateways move', (server) => {
  let database: TestDatabase
  let maker: KnexStorage
  let other: KnexStorage
  let workspace: WorkspaceId
  let message: MessageId

  before(async () => {
    database = await server.create()
    maker = openStorage({ url: database.url, secret: undefined })
    other = openStorage({ url: database.url, secret: undefined })
    await maker.migrate()
  })

  after(async () => {
    await maker.close()
    await other.close()
    await database[Symbol.asyncDispose]()
  })

  beforeEach(async () => {
    workspace = await fundedWorkspace(maker, 100n)
    message = messageIdOf(randomUUID())
    await hold(maker, 30n)
  })

  const hold = async ({ wallet }: KnexStorage, micros: bigint): Promise<void> => {
    assert.isTrue(E.isRight(await wallet.hold({ workspace, message, amount: { micros, currency: USD }, at: AT })()))
  }

  const has = async (available: bigint, held: bigint): Promise<void> => {
    assert.deepInclude(await other.ledger.balance(workspace)(), { right: { _tag: 'Some', value: { available, held, currency: USD } } })
    const audit = await other.ledger.audit()()
    assert.deepEqual(E.isRight(audit) ? audit.right.broken : audit, [])
  }

  it('is spent once where the other one spent it first', async () => {
    assert.deepEqual(await other.wallet.capture({ workspace, message, at: AT })(), E.right('captured'))
    assert.deepEqual(await maker.wallet.capture({ workspace, message, at: AT })(), E.right('captured'))
    await has(70n, 0n)
  })

  it('is spent after the other one gave it back', async () => {
    assert.deepEqual(await other.wallet.release({ workspace, message, at: AT })(), E.right('released'))
    assert.deepEqual(await maker.wallet.capture({ workspace, message, at: AT })(), E.right('captured'))
    await has(70n, 0n)
  })

  it('stays refunded where the other one refunded it first', async () => {
    assert.deepEqual(await other.wallet.refund({ workspace, message, at: AT })(), E.right('refunded'))
    assert.deepEqual(await maker.wallet.capture({ workspace, message, at: AT })(), E.right('refunded'))
    await has(100n, 0n)
  })

  it('costs what it was made at, though the one that spends it asked for it again at another price', async () => {
    await hold(other, 50n)
    assert.deepEqual(await other.wallet.capture({ workspace, message, at: AT })(), E.right('captured'))
    await has(70n, 0n)
  })

  it('is known in its own workspace alone, and a move in another one costs its neighbours nothing', async () => {
    const elsewhere = await fundedWorkspace(maker, 100n)
    const [wrong, right] = await Promise.all([
      maker.wallet.capture({ workspace: elsewhere, message, at: AT })(),
      maker.wallet.capture({ workspace, message, at: AT })(),
    ])
    assert.deepEqual([wrong, right], [E.right(undefined), E.right('captured')])
    await has(70n, 0n)
  })

  it('is spent once however many ask for it at once on both', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? maker : other).wallet.capture({ workspace, message, at: AT })()))
    assert.deepEqual(answers, answers.map(() => E.right('captured')))
    await has(70n, 0n)
  })
})
