import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { portFailure } from '../../../core/kernel/failure.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import { messageIdOf } from '../../../core/messages/message.js'
import { makeReceive } from '../../../core/reports/receive.js'
import { done, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, type Gateway, NOON, OPENING_BALANCE } from '../gateway.js'

const UNKNOWN_ID = messageIdOf(uuidv7())

describe('A status of a message that the log has lost', () => {
  const lost = async (gw: Gateway) => (await done(gw.storage.lostMessages.list({ limit: 10 }))).items

  it('is noted with what it says, if it has our id and the platform took the message', async () => {
    const gw = await gateway()
    const { workspace, phoneNumberId } = gw
    const change = { state: 'delivered', at: NOON - 5_000, pricing: { billable: true, category: 'utility', pricing_model: 'PMP' } } as const
    const status = gw.status(UNKNOWN_ID, 'delivered', { to: CUSTOMER, change })
    for (const _ of [1, 2]) assert.deepEqual(await gw.receive(status), E.right(['unknown_message']))
    const { platformId } = status
    assert.deepEqual(await lost(gw), [{
      workspace, message: UNKNOWN_ID, platformId, phoneNumberId, to: CUSTOMER, state: 'delivered', category: 'utility', billable: true,
      firstAt: NOON - 5_000, lastAt: NOON - 5_000,
    }])
    assert.deepEqual(await gw.balance(), { available: OPENING_BALANCE, held: 0n })
  })

  it('is noted at its arrival if it is dated far ahead', async () => {
    const gw = await gateway()
    rightOf(await gw.receive(gw.status(UNKNOWN_ID, 'sent', { change: { state: 'sent', at: NOON + HOUR_MS } })))
    assert.deepEqual((await lost(gw)).map(({ lastAt }) => lastAt), [NOON + 60_000])
  })

  it('is noted as read if the customer has played it', async () => {
    const gw = await gateway()
    rightOf(await gw.receive(gw.status(UNKNOWN_ID, 'played')))
    assert.deepEqual((await lost(gw)).map(({ state }) => state), ['read'])
  })

  it('is ignored without our id, and is not listed if the message failed', async () => {
    const gw = await gateway()
    rightOf(
      await gw.receive(gw.status(undefined, 'sent', { change: { state: 'sent', at: NOON - HOUR_MS } }), gw.status(UNKNOWN_ID, 'failed')),
    )
    assert.deepEqual(await lost(gw), [])
  })

  it('is asked for again if it cannot be noted, and is ignored if nothing notes it', async () => {
    const failure = portFailure('LostMessages')('disk full')
    const failing = await gateway({
      ports: ({ lostMessages }) => ({ lostMessages: { ...lostMessages, note: async () => E.left(failure) } }),
    })
    assert.deepEqual(await failing.receive(failing.status(UNKNOWN_ID, 'sent')), E.left(failure))
    const { lostMessages: _none, ...deps } = failing.deps
    assert.deepEqual(await makeReceive(deps)([failing.status(UNKNOWN_ID, 'sent')]), E.right(['unknown_message']))
  })

  it('is looked for only if the log has no such message', async () => {
    const gw = await gateway({
      ports: ({ lostMessages }) => ({ lostMessages: { ...lostMessages, note: () => assert.fail('the message is known') } }),
    })
    const { id, platformId } = rightOf(await gw.sendText())
    const statuses = (['sent', 'delivered', 'read'] as const).flatMap((state) =>
      [gw.status(id, state), gw.status(undefined, state, { platformId })])
    assert.deepEqual(await gw.receive(...statuses), E.right(statuses.map(() => 'message_moved' as const)))
  })
})
