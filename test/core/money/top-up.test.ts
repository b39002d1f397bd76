import { assert } from 'chai'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { MAX_MICROS } from '../../../core/kernel/money.js'
import { makeTopUp } from '../../../core/money/use-cases.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { gateway, OPENING_BALANCE, USD } from '../gateway.js'

const open = async () => {
  const { workspace, now, balance, storage: { ledger } } = await gateway()
  let made = 0
  const topUp = makeTopUp({ ledger, now, newReference: () => `made ${(made += 1)}` })
  return { workspace, balance, ledger, topUp }
}

describe('Topping up', () => {
  it('adds the amount once for a reference, and answers the balance', async () => {
    const { workspace, topUp } = await open()
    const after = { available: OPENING_BALANCE + 5n, held: 0n, currency: USD }
    assert.deepEqual(rightOf(await topUp({ by: SYSTEM, workspace, micros: 5n, reference: 'invoice 7' })), { ...after, isNew: true })
    assert.deepEqual(rightOf(await topUp({ by: SYSTEM, workspace, micros: 5n, reference: 'invoice 7' })), { ...after, isNew: false })
  })

  it('refuses a reference that was credited with another amount, and names that amount', async () => {
    const { workspace, topUp, balance } = await open()
    rightOf(await topUp({ by: SYSTEM, workspace, micros: 5n, reference: 'invoice 7' }))
    assert.deepEqual(
      leftOf(await topUp({ by: SYSTEM, workspace, micros: 6n, reference: 'invoice 7' })), { _tag: 'ReferenceReused', credited: 5n },
    )
    assert.equal((await balance()).available, OPENING_BALANCE + 5n)
  })

  it('adds the amount every time if there is no reference', async () => {
    const { workspace, topUp, balance, ledger } = await open()
    rightOf(await topUp({ by: SYSTEM, workspace, micros: 5n }))
    rightOf(await topUp({ by: SYSTEM, workspace, micros: 5n }))
    assert.equal((await balance()).available, OPENING_BALANCE + 10n)
    const { items } = await done(ledger.statement(workspace, { limit: 2 }))
    assert.deepEqual(items.map(({ reference }) => reference), ['made 2', 'made 1'])
  })

  it('refuses an amount that is not above zero, an invalid reference, and more than a wallet can hold', async () => {
    const { workspace, topUp, balance } = await open()
    for (const micros of [0n, -5n]) assert.equal(leftOf(await topUp({ by: SYSTEM, workspace, micros }))._tag, 'InvalidAmount')
    for (const reference of ['', ' x', 'x ', 'é', 'x'.repeat(256)]) {
      assert.deepEqual(leftOf(await topUp({ by: SYSTEM, workspace, micros: 5n, reference })), { _tag: 'InvalidReference' })
    }
    assert.deepEqual(leftOf(await topUp({ by: SYSTEM, workspace, micros: MAX_MICROS })), { _tag: 'BalanceOutOfRange' })
    const refused = leftOf(await topUp({ by: SYSTEM, workspace: workspaceIdOf('0'.repeat(32)), micros: 5n }))
    assert.deepEqual(refused, { _tag: 'UnknownWorkspace' })
    assert.equal((await balance()).available, OPENING_BALANCE)
  })
})
