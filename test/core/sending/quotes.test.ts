import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import type { CustomerId } from '../../../core/customers/customer.js'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/kernel/time.js'
import { done } from '../../support/right-of.js'
import { CUSTOMER, gateway, NOON } from '../gateway.js'
import { describeAgreement } from '../use-cases/quotes-agree.js'

const USER = 'DE.13491208655302741918' as CustomerId

/** States; the slow part tries more. */
const RUNS = 2_000

describe('A quote', () => {
  describeAgreement(RUNS)

  it('shows the window of a text as it is, though any moment within it is enough for the send', async () => {
    const gw = await gateway({ lastInbound: NOON - HOUR_MS })
    await done(gw.storage.customers.learn(gw.workspace, CUSTOMER, { _tag: 'Paired', other: USER, at: NOON - DAY_MS }))
    await done(gw.storage.customers.learn(gw.workspace, USER, { _tag: 'Paired', other: CUSTOMER, at: NOON - DAY_MS }))
    await done(gw.storage.windowClock.recordInbound(gw.workspace, { userId: USER as never }, NOON - MINUTE_MS))
    const quote = await gw.quoteText()
    assert.deepEqual(E.isRight(quote) && quote.right.lastInbound, { _tag: 'Some', value: NOON - MINUTE_MS })
  })
})
