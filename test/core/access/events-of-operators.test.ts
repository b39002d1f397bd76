import { assert } from 'chai'
import { makeMintKey, makeRevokeKey } from '../../../core/access/key-use-cases.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { makeTopUp } from '../../../core/money/use-cases.js'
import { rightOf } from '../../support/right-of.js'
import { gateway, type Gateway } from '../gateway.js'

const operator = ({ deps, now }: Gateway) => {
  const { ledger, keyStore, events } = deps
  return {
    topUp: makeTopUp({ ledger, events, now, newReference: () => 'made up' }), mint: makeMintKey({ keyStore, events, now }),
    revoke: makeRevokeKey({ keyStore, events, now }),
  }
}

describe('The events of an operator\'s acts', () => {
  it('tell a top-up once, with the new balance', async () => {
    const gw = await gateway({ broker: true, balance: 1_500_000n })
    const { topUp } = operator(gw)
    for (const reference of ['invoice 7', 'invoice 7', undefined]) {
      rightOf(await topUp({ by: SYSTEM, workspace: gw.workspace, micros: 500_000n, ...(reference !== undefined && { reference }) }))
    }
    await topUp({ by: SYSTEM, workspace: gw.workspace, micros: 1n, reference: 'invoice 7' })
    await topUp({ by: SYSTEM, workspace: gw.workspace, micros: -1n })
    assert.deepEqual<unknown>((await gw.events()).map(({ type, subject, data }) => ({ type, subject, data })), [
      ['2.000000', 'invoice 7'], ['2.500000', 'made up'],
    ].map(([available, reference]) => ({
      type: 'wallet.topped_up', subject: gw.workspace,
      data: { currency: 'USD', available, held: '0.000000', amount: '0.500000', reference },
    })))
  })

  it('tell that a key was made and ended, and never the key', async () => {
    const gw = await gateway({ broker: true })
    const { mint, revoke } = operator(gw)
    const { id, key } = rightOf(await mint({ by: SYSTEM, workspace: gw.workspace, name: 'crm' }))
    rightOf(await revoke({ by: SYSTEM, id }))
    rightOf(await revoke({ by: SYSTEM, id }))
    await revoke({ by: SYSTEM, id: 'unknown' })
    const events = await gw.events()
    assert.deepEqual(events.map(({ type, subject, data }) => ({ type, subject, data })), [
      { type: 'key.minted', subject: id, data: { id, name: 'crm' } }, { type: 'key.revoked', subject: id, data: { id, name: 'crm' } },
    ])
    assert.notInclude(JSON.stringify(events), key)
  })

  it('are not made if nothing listens', async () => {
    const gw = await gateway()
    const { topUp, mint, revoke } = operator(gw)
    rightOf(await topUp({ by: SYSTEM, workspace: gw.workspace, micros: 1n }))
    const { id } = rightOf(await mint({ by: SYSTEM, workspace: gw.workspace, name: 'crm' }))
    rightOf(await revoke({ by: SYSTEM, id }))
    assert.isEmpty(await gw.events())
  })
})
