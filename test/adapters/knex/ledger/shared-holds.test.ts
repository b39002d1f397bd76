import { randomUUID } from 'node:crypto'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../../../adapters/knex/index.js'
import type { WorkspaceId } from '../../../../core/kernel/ids.js'
import type { Currency } from '../../../../core/kernel/money.js'
import { type MessageId, messageIdOf } from '../../../../core/messages/message.js'
import { fundedWorkspace } from '../../../support/books.js'
import { describeEachStorage } from '../../../support/each-storage.js'

const USD = 'USD' as Currency
const AT = Date.UTC(2026, 10, 1)

// A gateway remembers its own holds. If another gateway has moved one, the database counts.
await describeEachStorage('A hold that two gateways move', ({ storage: maker, elsewhere: other }) => {
  let workspace: WorkspaceId
  let message: MessageId

  beforeEach(async () => {
    workspace = await fundedWorkspace(maker(), 100n)
    message = messageIdOf(randomUUID())
    await hold(maker(), 30n)
  })

  const hold = async ({ wallet }: KnexStorage, micros: bigint): Promise<void> => {
    assert.isTrue(E.isRight(await wallet.hold({ workspace, message, amount: { micros, currency: USD }, at: AT })))
  }

  const assertBalance = async (available: bigint, held: bigint): Promise<void> => {
    assert.deepInclude(await other().ledger.balance(workspace), { right: { _tag: 'Some', value: { available, held, currency: USD } } })
    const audit = await other().ledger.audit()
    assert.deepEqual(E.isRight(audit) ? audit.right.broken : audit, [])
  }

  it('is captured once if the other gateway captured it first', async () => {
    assert.deepEqual(await other().wallet.capture({ workspace, message, at: AT }), E.right('captured'))
    assert.deepEqual(await maker().wallet.capture({ workspace, message, at: AT }), E.right('captured'))
    await assertBalance(70n, 0n)
  })

  it('is captured after the other gateway released it', async () => {
    assert.deepEqual(await other().wallet.release({ workspace, message, at: AT }), E.right('released'))
    assert.deepEqual(await maker().wallet.capture({ workspace, message, at: AT }), E.right('captured'))
    await assertBalance(70n, 0n)
  })

  it('stays refunded if the other gateway refunded it first', async () => {
    assert.deepEqual(await other().wallet.refund({ workspace, message, at: AT }), E.right('refunded'))
    assert.deepEqual(await maker().wallet.capture({ workspace, message, at: AT }), E.right('refunded'))
    await assertBalance(100n, 0n)
  })

  it('keeps its first amount if the other gateway repeats the hold with another amount', async () => {
    await hold(other(), 50n)
    assert.deepEqual(await other().wallet.capture({ workspace, message, at: AT }), E.right('captured'))
    await assertBalance(70n, 0n)
  })

  it('is not captured again in part, at any amount, if the other gateway captured it first', async () => {
    assert.deepEqual(await other().wallet.capture({ workspace, message, at: AT }), E.right('captured'))
    for (const micros of [10n, 50n, -1n]) {
      assert.deepEqual(await maker().wallet.capturePart({ workspace, message, micros, at: AT }), E.right('captured'))
    }
    await assertBalance(70n, 0n)
  })

  it('keeps the part that the other gateway captured, and gives it back in a refund', async () => {
    assert.deepEqual(await other().wallet.capturePart({ workspace, message, micros: 10n, at: AT }), E.right('captured'))
    assert.deepEqual(await maker().wallet.capture({ workspace, message, at: AT }), E.right('captured'))
    await assertBalance(90n, 0n)
    assert.deepEqual(await maker().wallet.refund({ workspace, message, at: AT }), E.right('refunded'))
    await assertBalance(100n, 0n)
  })

  it('cannot be moved in another workspace, and such a move does not disturb others', async () => {
    const elsewhere = await fundedWorkspace(maker(), 100n)
    const [wrong, right] = await Promise.all([
      maker().wallet.capture({ workspace: elsewhere, message, at: AT }),
      maker().wallet.capture({ workspace, message, at: AT }),
    ])
    assert.deepEqual([wrong, right], [E.right(undefined), E.right('captured')])
    await assertBalance(70n, 0n)
  })

  it('is captured once if both gateways capture it many times at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? maker() : other()).wallet.capture({ workspace, message, at: AT })),
    )
    assert.deepEqual(answers, answers.map(() => E.right('captured')))
    await assertBalance(70n, 0n)
  })
})
