import { assert } from 'chai'
import { makeMintKey, makeRevokeKey, makeRotateKey } from '../../../core/access/key-use-cases.js'
import { SYSTEM } from '../../../core/kernel/actor.js'
import type { Currency } from '../../../core/kernel/money.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { makeListKeys } from '../../../core/money/use-cases.js'
import { leftOf, memberWorld, rightOf } from './member-world.js'

const keyWorld = async () => {
  const world = await memberWorld()
  const now = () => world.clock.at
  const deps = { ...world.storage, now, audit: { auditLog: world.storage.auditLog, newAuditId: world.newAuditId, now } }
  return { ...world, listKeys: makeListKeys(deps), mintKey: makeMintKey(deps), rotateKey: makeRotateKey(deps), revokeKey: makeRevokeKey(deps) }
}

describe('listing keys', () => {
  it('says what the keys of one rotation have spent together today, and which still work', async () => {
    const { storage, clock, workspace, listKeys, mintKey, rotateKey } = await keyWorld()
    const first = await rightOf(mintKey({ by: SYSTEM, workspace, name: 'shop', spendingLimit: 500n }))
    const second = await rightOf(rotateKey({ by: SYSTEM, id: first.id, overlap: '1h' }))
    const third = await rightOf(rotateKey({ by: SYSTEM, id: second.id, overlap: '0' }))
    await rightOf(mintKey({ by: SYSTEM, workspace, name: 'reports' }))
    await rightOf(storage.ledger.topUp({ workspace, micros: 1_000n, reference: 'r', at: clock.at }))
    await rightOf(storage.wallet.hold({
      workspace, message: messageIdOf('00000000-0000-7000-8000-000000000001'), amount: { micros: 30n, currency: 'USD' as Currency }, at: clock.at, spending: { key: first.id, limit: 500n },
    }))
    const listed = async () => new Map((await rightOf(listKeys({ by: SYSTEM, workspace }))).map((key) => [key.id, [key.spentToday, key.isValid]]))
    const today = await listed()
    assert.deepEqual([today.get(first.id), today.get(second.id), today.get(third.id)], [[30n, true], [30n, false], [30n, true]])
    assert.deepEqual([...today.values()].filter(([spent]) => spent === undefined), [[undefined, true]])
    clock.at += 24 * 3_600_000
    const tomorrow = await listed()
    assert.deepEqual([tomorrow.get(first.id), tomorrow.get(third.id)], [[0n, false], [0n, true]])
  })

  it('takes the key of another workspace for an unknown one where a workspace is named', async () => {
    const { workspace, newWorkspace, mintKey, rotateKey, revokeKey, storage } = await keyWorld()
    const { id } = await rightOf(mintKey({ by: SYSTEM, workspace, name: 'shop' }))
    const other = await newWorkspace()
    assert.equal((await leftOf(rotateKey({ by: SYSTEM, id, workspace: other })))._tag, 'UnknownApiKey')
    assert.equal((await leftOf(revokeKey({ by: SYSTEM, id, workspace: other })))._tag, 'UnknownApiKey')
    const [kept] = await rightOf(storage.keyStore.list(workspace))
    assert.deepEqual([kept?.revokedAt, kept?.replacedBy], [undefined, undefined])
    await rightOf(revokeKey({ by: SYSTEM, id, workspace }))
  })
})
