import { assert } from 'chai'
import * as O from 'fp-ts/lib/Option.js'
import { HOUR_MS } from '../../../core/kernel/time.js'
import { makeRecordInbound } from '../../../core/reports/receive.js'
import { leftOf, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, NOON } from '../gateway.js'
import { bySystem } from '../use-cases/by-system.js'

const open = async () => {
  const { workspace, lastInbound, storage: { windowClock, senders } } = await gateway({ lastInbound: undefined })
  return { workspace, lastInbound, recordInbound: bySystem(makeRecordInbound({ windowClock, senders })) }
}

describe('Recording an inbound message', () => {
  it('notes the moment given, or now', async () => {
    const { workspace, recordInbound } = await open()
    assert.deepEqual(rightOf(await recordInbound({ workspace, customer: CUSTOMER, at: NOON - HOUR_MS })), O.some(NOON - HOUR_MS))
    assert.deepEqual(rightOf(await recordInbound({ workspace, customer: CUSTOMER })), O.some(NOON))
  })

  it('answers the later moment if the customer has written since', async () => {
    const { workspace, recordInbound } = await open()
    rightOf(await recordInbound({ workspace, customer: CUSTOMER }))
    assert.deepEqual(rightOf(await recordInbound({ workspace, customer: CUSTOMER, at: NOON - HOUR_MS })), O.some(NOON))
  })

  it('refuses a moment in the future and notes nothing', async () => {
    const { workspace, lastInbound, recordInbound } = await open()
    const refused = leftOf(await recordInbound({ workspace, customer: CUSTOMER, at: NOON + 1 }))
    assert.deepEqual(refused, { _tag: 'InboundInFuture', at: NOON + 1 })
    assert.isUndefined(await lastInbound())
  })
})
