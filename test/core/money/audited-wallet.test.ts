import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { type Actor, type AuditEntry, SYSTEM } from '../../../core/kernel/actor.js'
import { auditIdOf } from '../../../core/kernel/ids.js'
import { makeAdjustWallet, makeTopUp } from '../../../core/money/use-cases.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { gateway, NOON, OPENING_BALANCE } from '../gateway.js'

const ROOT: Actor = { principal: { _tag: 'CommandLine', user: 'root' } }
const REFERENCE = 'invoice 7'

const open = async () => {
  const { workspace, now, balance, storage: { ledger, auditLog } } = await gateway()
  const deps = { ledger, now, newReference: () => 'made up', audit: { auditLog, newAuditId: () => auditIdOf(uuidv7()), now } }
  const key: Actor = { principal: { _tag: 'Key', workspace, key: 'a1b2', scopes: ['send'] }, address: '203.0.113.7' }
  return {
    workspace, balance, key, topUp: makeTopUp(deps), adjustWallet: makeAdjustWallet(deps),
    /** The entries of the audit log without their ids, oldest first. */
    entries: async (): Promise<ReadonlyArray<Omit<AuditEntry, 'id'>>> =>
      (await done(auditLog.list({ limit: 100 }))).items.map(({ id: _id, ...entry }) => entry).reverse(),
  }
}

describe('The audit log of a wallet', () => {
  it('has who added and corrected how much, for which reference and why', async () => {
    const { workspace, topUp, adjustWallet, entries } = await open()
    rightOf(await topUp({ by: ROOT, workspace, micros: 500_000n, reference: REFERENCE }))
    rightOf(await adjustWallet({ by: SYSTEM, workspace, micros: -250_000n, note: 'typed wrong' }))
    const common = { at: NOON, outcome: 'done', workspace, subject: workspace } as const
    assert.deepEqual(await entries(), [
      {
        ...common, by: { type: 'command_line', user: 'root' }, act: 'wallet.top_up', details: { amount: '0.500000', reference: REFERENCE },
      },
      {
        ...common,
        by: { type: 'system' },
        act: 'wallet.adjust',
        details: { amount: '-0.250000', reference: 'made up', note: 'typed wrong' },
      },
    ])
  })

  it('has a repetition that adds nothing, and a refusal with its reason', async () => {
    const { workspace, topUp, entries } = await open()
    for (const micros of [5n, 5n]) rightOf(await topUp({ by: ROOT, workspace, micros, reference: REFERENCE }))
    assert.equal(leftOf(await topUp({ by: ROOT, workspace, micros: 6n, reference: REFERENCE }))._tag, 'ReferenceReused')
    assert.deepEqual((await entries()).map(({ outcome, details }) => [outcome, details]), [
      ['done', { amount: '0.000005', reference: REFERENCE }], ['done', { amount: '0.000005', reference: REFERENCE }],
      ['refused', { amount: '0.000006', reference: REFERENCE, reason: 'ReferenceReused' }],
    ])
  })

  it('has that a key tried, which may do neither', async () => {
    const { workspace, balance, key, topUp, adjustWallet, entries } = await open()
    assert.deepEqual(leftOf(await topUp({ by: key, workspace, micros: 5n })), { _tag: 'Forbidden', act: 'wallet.top_up' })
    assert.deepEqual(leftOf(await adjustWallet({ by: key, workspace, micros: 5n, note: 'a gift' })), {
      _tag: 'Forbidden', act: 'wallet.adjust',
    })
    assert.deepEqual((await entries()).map(({ by, address, act, outcome }) => [by, address, act, outcome]), [
      [{ type: 'key', id: 'a1b2' }, '203.0.113.7', 'wallet.top_up', 'refused'],
      [{ type: 'key', id: 'a1b2' }, '203.0.113.7', 'wallet.adjust', 'refused'],
    ])
    assert.equal((await balance()).available, OPENING_BALANCE)
  })
})
