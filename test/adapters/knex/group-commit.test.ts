import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import type { WorkspaceId } from '../../../core/kernel/ids.js'
import type { Currency } from '../../../core/kernel/money.js'
import { type MessageId, messageIdOf } from '../../../core/messages/message.js'
import { fundedWorkspace } from '../../support/books.js'
import { describeEachStorage } from '../../support/each-storage.js'

const USD = 'USD' as Currency
const AT = Date.UTC(2026, 10, 1)

await describeEachStorage('Group commit', ({ storage, elsewhere }) => {
  let workspace: WorkspaceId

  beforeEach(async () => { workspace = await fundedWorkspace(storage(), 1_000n) })

  const newId = (): MessageId => messageIdOf(randomUUID())

  const open = (id: MessageId, micros = 1n) =>
    storage().messageLog.open({
      id, workspace, at: AT, price: { micros, currency: USD, category: 'service' }, message: { _tag: 'Text', to: '15550001' as PhoneNumber, text: 'hello' },
    })

  const hold = (message: MessageId) => storage().wallet.hold({ workspace, message, amount: { micros: 1n, currency: USD }, at: AT })

  it('fails a bad item alone, and writes the other items of its transaction', async () => {
    const tooBigForAnyColumn = 2n ** 70n
    const outcomes = await Promise.all([open(newId()), open(newId(), tooBigForAnyColumn), open(newId()), hold(newId())])
    assert.deepEqual(outcomes.map(({ _tag }) => _tag), ['Right', 'Left', 'Right', 'Right'])
    const messages = await storage().messageLog.list(workspace, { limit: 10 })
    assert.lengthOf(E.isRight(messages) ? messages.right.items : [], 2)
  })

  it('accepts a repeated hold, and writes the other holds of its transaction', async () => {
    const known = newId()
    assert.isTrue(E.isRight(await hold(known)))
    const outcomes = await Promise.all([hold(newId()), hold(known), hold(newId())])
    assert.deepEqual(outcomes.map(E.isRight), [true, true, true])
    const balance = await storage().ledger.balance(workspace)
    assert.deepInclude(balance, { right: { _tag: 'Some', value: { available: 997n, held: 3n, currency: USD } } })
  })

  it('lets two gateways hold exactly the balance of one wallet', async () => {
    const outcomes = []
    // Both gateways compete in each round. All at once could pass the deadline of a write on a loaded machine.
    for (let round = 0; round < 12; round += 1) {
      outcomes.push(...await Promise.all(Array.from({ length: 100 }, (_, index) =>
        (index % 2 === 0 ? storage() : elsewhere()).wallet.hold({ workspace, message: newId(), amount: { micros: 1n, currency: USD }, at: AT }))))
    }
    assert.lengthOf(outcomes.filter(E.isRight), 1_000)
    assert.isTrue(outcomes.every((outcome) => E.isRight(outcome) || outcome.left._tag === 'InsufficientBalance'))
    assert.deepEqual(await storage().ledger.audit(), await elsewhere().ledger.audit())
  })
})
