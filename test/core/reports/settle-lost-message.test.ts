import { assert } from 'chai'
import { uuidv7 } from 'uuidv7'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { auditIdOf } from '../../../core/kernel/ids.js'
import { messageIdOf, type PlatformId } from '../../../core/messages/message.js'
import { makeSettleLostMessage } from '../../../core/reports/status.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { gateway, OPENING_BALANCE, TEMPLATE_PRICE, USD } from '../gateway.js'

/** A workspace with one lost message. */
const open = async () => {
  const gw = await gateway()
  const { workspace, now, storage: { lostMessages, auditLog } } = gw
  const message = messageIdOf(uuidv7())
  const status = gw.status(message, 'delivered')
  rightOf(await gw.receive(status))
  const settle = makeSettleLostMessage({ lostMessages, now, audit: { auditLog, newAuditId: () => auditIdOf(uuidv7()), now } })
  return {
    ...gw, message, platformId: status.platformId, settle,
    command: { by: SYSTEM, workspace, id: status.platformId, micros: TEMPLATE_PRICE, note: 'lost at the failover' },
    lost: async () => (await done(lostMessages.list({ limit: 10 }))).items,
    noted: async () =>
      (await done(auditLog.list({ limit: 10 }))).items.toReversed().map(({ act, outcome, subject, details }) => ({
        act, outcome, subject, details,
      })),
  }
}

describe('Settling a lost message', () => {
  it('charges what the operator says once, and a repetition says that it was settled', async () => {
    const { settle, command, balance, brokenBooks, entries, lost } = await open()
    assert.deepEqual(rightOf(await settle(command)).balance, { available: OPENING_BALANCE - TEMPLATE_PRICE, held: 0n, currency: USD })
    assert.deepEqual(leftOf(await settle(command)), { _tag: 'LostMessageSettled', id: command.id })
    assert.deepEqual(await balance(), { available: OPENING_BALANCE - TEMPLATE_PRICE, held: 0n })
    assert.deepEqual(await entries(), ['adjustment'])
    assert.isEmpty(await brokenBooks())
    assert.isEmpty(await lost())
  })

  it('charges nothing without an amount', async () => {
    const { settle, command: { micros: _none, ...command }, balance, entries, lost, noted } = await open()
    rightOf(await settle(command))
    assert.equal((await balance()).available, OPENING_BALANCE)
    assert.isEmpty(await entries())
    assert.isEmpty(await lost())
    assert.deepEqual((await noted()).map(({ details }) => details?.['charged']), ['0.000000'])
  })

  it('of two at once one charges', async () => {
    const { settle, command, balance } = await open()
    const outcomes = await Promise.all([settle(command), settle({ ...command, micros: 1n })])
    assert.deepEqual(outcomes.map(({ _tag }) => _tag).sort(), ['Left', 'Right'])
    assert.include([OPENING_BALANCE - TEMPLATE_PRICE, OPENING_BALANCE - 1n], (await balance()).available)
  })

  it('is noted with our id, which has no number in it, and a refusal with its reason', async () => {
    const { settle, command, noted, message } = await open()
    rightOf(await settle(command))
    leftOf(await settle(command))
    leftOf(await settle({ ...command, id: message }))
    const act = 'message.settle_lost' as const
    const details = { charged: '0.062500', note: 'lost at the failover' }
    const refused = { act, outcome: 'refused', details: { ...details, reason: 'LostMessageSettled' } } as const
    assert.deepEqual(await noted(), [
      { act, outcome: 'done', subject: message, details }, { ...refused, subject: undefined }, { ...refused, subject: message },
    ])
  })

  it('refuses an unknown message, an invalid amount or note, and more than the wallet has, and changes nothing', async () => {
    const { settle, command, balance, lost } = await open()
    assert.deepEqual(leftOf(await settle({ ...command, id: 'wamid.none' as PlatformId })), { _tag: 'NoSuchLostMessage', id: 'wamid.none' })
    for (const micros of [0n, -1n]) assert.equal(leftOf(await settle({ ...command, micros }))._tag, 'InvalidAmount')
    assert.deepEqual(leftOf(await settle({ ...command, note: ' ' })), { _tag: 'InvalidNote' })
    assert.deepEqual(leftOf(await settle({ ...command, micros: OPENING_BALANCE + 1n })), { _tag: 'BalanceOutOfRange' })
    assert.equal((await balance()).available, OPENING_BALANCE)
    assert.lengthOf(await lost(), 1)
  })
})
