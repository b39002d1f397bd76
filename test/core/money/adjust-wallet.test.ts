import { assert } from 'chai'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { makeAdjustWallet } from '../../../core/money/use-cases.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { gateway, OPENING_BALANCE, USD } from '../gateway.js'

const open = async () => {
  const { workspace, now, balance, brokenBooks, storage: { ledger } } = await gateway()
  let made = 0
  return {
    workspace, balance, brokenBooks, ledger, adjustWallet: makeAdjustWallet({ ledger, now, newReference: () => `made ${(made += 1)}` }),
  }
}

describe('Adjusting a wallet', () => {
  it('adds or takes an amount, and keeps the note in the statement', async () => {
    const { workspace, ledger, brokenBooks, adjustWallet } = await open()
    rightOf(await adjustWallet({ by: SYSTEM, workspace, micros: 5n, note: 'a gift' }))
    const after = rightOf(await adjustWallet({ by: SYSTEM, workspace, micros: -6n, note: ' typed 7 for 1 ' }))
    assert.deepEqual(after, { available: OPENING_BALANCE - 1n, held: 0n, currency: USD, isNew: true })
    const { items } = await done(ledger.statement(workspace, { limit: 2 }))
    assert.deepEqual(items.map(({ kind, micros, note }) => [kind, micros, note]), [
      ['adjustment', -6n, 'typed 7 for 1'], ['adjustment', 5n, 'a gift'],
    ])
    assert.isEmpty(await brokenBooks())
  })

  it('makes a correction with a reference once, and refuses the reference for another amount', async () => {
    const { workspace, balance, adjustWallet } = await open()
    const command = { by: SYSTEM, workspace, micros: -5n, note: 'typed wrong', reference: 'ticket 7' }
    assert.isTrue(rightOf(await adjustWallet(command)).isNew)
    assert.isFalse(rightOf(await adjustWallet(command)).isNew)
    assert.deepEqual(leftOf(await adjustWallet({ ...command, micros: -6n })), { _tag: 'ReferenceReused', credited: -5n })
    assert.equal((await balance()).available, OPENING_BALANCE - 5n)
  })

  it('refuses an amount of zero, an invalid note, a bad reference, and more than the wallet has', async () => {
    const { workspace, balance, adjustWallet } = await open()
    const command = { by: SYSTEM, workspace, micros: 5n, note: 'a gift' }
    assert.equal(leftOf(await adjustWallet({ ...command, micros: 0n }))._tag, 'InvalidAmount')
    assert.deepEqual(leftOf(await adjustWallet({ ...command, note: ' ' })), { _tag: 'InvalidNote' })
    assert.deepEqual(leftOf(await adjustWallet({ ...command, reference: ' 7' })), { _tag: 'InvalidReference' })
    assert.deepEqual(leftOf(await adjustWallet({ ...command, micros: -OPENING_BALANCE - 1n })), { _tag: 'BalanceOutOfRange' })
    assert.deepEqual(leftOf(await adjustWallet({ ...command, workspace: workspaceIdOf('0'.repeat(32)) })), { _tag: 'UnknownWorkspace' })
    assert.equal((await balance()).available, OPENING_BALANCE)
  })
})
