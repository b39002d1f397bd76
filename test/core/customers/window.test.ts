import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { makeMemoryStorage } from '../../../adapters/memory/index.js'
import type { CustomerId, PhoneNumber, UserId } from '../../../core/customers/customer.js'
import { recordCustomer } from '../../../core/customers/learn.js'
import { closesAt, isOpen, lastInboundOf, WINDOW_MS } from '../../../core/customers/window.js'
import { type InboxId, workspaceIdOf } from '../../../core/kernel/ids.js'
import { DOWN } from '../failing-method.js'

const WROTE_AT = Date.UTC(2026, 2, 28, 22, 30)
const after = (hours: number, minutes: number, seconds: number, ms: number): number =>
  WROTE_AT + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + ms

describe('The customer service window', () => {
  it('is open at 23:59:59.999 after the customer wrote', () => {
    assert.isTrue(isOpen(after(23, 59, 59, 999), O.some(WROTE_AT)))
  })

  it('is closed at 24:00:00.000 after the customer wrote, which is when it says that it closes', () => {
    assert.isFalse(isOpen(after(24, 0, 0, 0), O.some(WROTE_AT)))
    assert.equal(closesAt(WROTE_AT), after(24, 0, 0, 0))
  })

  it('is open at the moment the customer writes', () => {
    assert.isTrue(isOpen(WROTE_AT, O.some(WROTE_AT)))
  })

  it('was never open if the customer never wrote', () => {
    assert.isFalse(isOpen(WROTE_AT, O.none))
  })

  it('is open exactly until it closes', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 * WINDOW_MS }), fc.nat({ max: WROTE_AT }), (elapsed, wroteAt) => {
        assert.equal(isOpen(wroteAt + elapsed, O.some(wroteAt)), elapsed < 86_400_000)
      }),
    )
  })
})

describe('The window of a customer with two ids', () => {
  const WORKSPACE = workspaceIdOf('0'.repeat(32))
  const [NUMBER, USER_ID] = ['4915112345678' as PhoneNumber, 'DE.1' as UserId]

  it('needs no other id once a message under the given one is enough, so it is found even if the other id cannot be read', async () => {
    const { windowClock, customers } = makeMemoryStorage()
    const of = { workspace: WORKSPACE, inbox: WORKSPACE }
    assert.deepEqual(await recordCustomer({ customers }, of, { phoneNumber: NUMBER, userId: USER_ID, at: 1 }), E.right(undefined))
    assert.deepEqual(await windowClock.recordInbound(WORKSPACE, { userId: USER_ID }, 5), E.right(undefined))
    const lastInbound = async (inbox: InboxId, id: CustomerId) =>
      id === NUMBER ? E.left(DOWN) : windowClock.lastInbound(inbox, id)
    const deps = { windowClock: { lastInbound }, customers }
    assert.deepEqual(await lastInboundOf(deps, WORKSPACE, USER_ID, (found) => isOpen(6, found)), E.right(O.some(5)))
    assert.deepEqual(await lastInboundOf(deps, WORKSPACE, USER_ID, (found) => isOpen(5 + WINDOW_MS, found)), E.left(DOWN))
  })
})
