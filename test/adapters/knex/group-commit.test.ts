import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { openStorage, type KnexStorage } from '../../../adapters/knex/index.js'
import { messageIdOf, type MessageId, type PhoneNumber } from '../../../core/message.js'
import type { Currency } from '../../../core/money.js'
import type { WorkspaceId } from '../../../core/workspace.js'
import { fundedWorkspace } from '../../support/books.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'

const USD = 'USD' as Currency
const AT = Date.UTC(2026, 10, 1)

await describeEachDatabase('Group commit', (server) => {
  let database: TestDatabase
  let storage: KnexStorage
  let workspace: WorkspaceId

  before(async () => {
    database = await server.create()
    storage = openStorage({ url: database.url, secret: undefined })
    await storage.migrate()
  })

  after(async () => {
    await storage.close()
    await database[Symbol.asyncDispose]()
  })

  beforeEach(async () => { workspace = await fundedWorkspace(storage, 1_000n) })

  const newId = (): MessageId => messageIdOf(randomUUID())

  const open = (id: MessageId, micros = 1n) =>
    storage.messageLog.open({
      id, workspace, at: AT, price: { micros, currency: USD, category: 'service' }, message: { _tag: 'Text', to: '15550001' as PhoneNumber, text: 'hello' },
    })()

  const hold = (message: MessageId) => storage.wallet.hold({ workspace, message, amount: { micros: 1n, currency: USD }, at: AT })()

  it('lets one bad item fail alone: its neighbours in the same transaction are written', async () => {
    const tooBigForAnyColumn = 2n ** 70n
    const outcomes = await Promise.all([open(newId()), open(newId(), tooBigForAnyColumn), open(newId()), hold(newId())])
    assert.deepEqual(outcomes.map(({ _tag }) => _tag), ['Right', 'Left', 'Right', 'Right'])
    const messages = await storage.messageLog.list(workspace, { limit: 10 })()
    assert.lengthOf(E.isRight(messages) ? messages.right.items : [], 2)
  })

  it('lets one repeated item cost nobody else, though it makes their transaction fail', async () => {
    const known = newId()
    assert.isTrue(E.isRight(await hold(known)))
    const outcomes = await Promise.all([hold(newId()), hold(known), hold(newId())])
    assert.deepEqual(outcomes.map(E.isRight), [true, true, true])
    const balance = await storage.ledger.balance(workspace)()
    assert.deepInclude(balance, { right: { _tag: 'Some', value: { available: 997n, held: 3n, currency: USD } } })
  })

  it('gives two nodes on one wallet exactly what it can pay for', async () => {
    const other = openStorage({ url: database.url, secret: undefined })
    try {
      const holds = Array.from({ length: 1_200 }, (_, index) =>
        (index % 2 === 0 ? storage : other).wallet.hold({ workspace, message: newId(), amount: { micros: 1n, currency: USD }, at: AT })())
      const outcomes = await Promise.all(holds)
      assert.lengthOf(outcomes.filter(E.isRight), 1_000)
      assert.isTrue(outcomes.every((outcome) => E.isRight(outcome) || outcome.left._tag === 'InsufficientBalance'))
      assert.deepEqual(await storage.ledger.audit()(), await other.ledger.audit()())
    } finally {
      await other.close()
    }
  })
})
