import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { phoneNumberOf, type UserId } from '../../../core/customers/customer.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../core/kernel/time.js'
import type { PlatformId } from '../../../core/messages/message.js'
import type { Inbound } from '../../../core/reports/receive.js'
import {
  cutPeriod, figuresView, makeShowTemplateResults, MAX_RESULTS_MS, periodFault, pricePerReply, RESULTS_CSV_HEADER, resultsCsvLines,
  templateResultsView,
} from '../../../core/templates/results.js'
import { senderIdOf } from '../../../core/senders/sender.js'
import { rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, type Gateway, NOON } from '../gateway.js'

const DAY = Math.floor(NOON / DAY_MS) * DAY_MS
const NAME = 'order_update'
const USER = 'DE.123' as UserId

/** The ids of messages have the time of this machine. */
const shown = async (gw: Gateway) => {
  const showResults = makeShowTemplateResults(gw.storage)
  const found = rightOf(await showResults(gw.workspace, { template: NAME, from: Date.now() - DAY_MS, to: Date.now() + DAY_MS, by: 'day' }))
  return O.isSome(found) ? found.value : assert.fail('the workspace has no wallet')
}

const writes = async (gw: Gateway, at: number, more: Partial<Inbound> = {}): Promise<void> => {
  const message = { id: 'wamid.reply' as PlatformId, type: 'text' }
  rightOf(await gw.receive({ _tag: 'Inbound', phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER }, at, message, ...more }))
}

describe('The results of a template', () => {
  it('count what the platform accepted, what failed later, what was read and answered, and the price of an answer', async () => {
    const gw = await gateway()
    const first = rightOf(await gw.sendTemplate())
    const second = rightOf(await gw.sendTemplate({ to: phoneNumberOf('491570000001') }))
    rightOf(await gw.sendTemplate({ to: phoneNumberOf('491570000002') }))
    rightOf(await gw.receive(gw.status(first.id, 'read'), gw.status(second.id, 'failed')))
    gw.passes(HOUR_MS)
    await writes(gw, gw.now())
    const { total, currency } = await shown(gw)
    assert.deepEqual({ ...total, micros: total.micros > 0n }, {
      sent: 3, delivered: 1, read: 1, failed: 1, replied: 1, optedOut: 0, micros: true,
    })
    assert.equal(currency, 'USD')
    assert.equal(pricePerReply(total), total.micros)
  })

  it('count an answer once, and none after a day, to another sender or of another customer', async () => {
    for (const [wait, more, replied] of [
      [HOUR_MS, {}, 1], [DAY_MS - SECOND_MS, {}, 1], [DAY_MS, {}, 0], [HOUR_MS, { phoneNumberId: senderIdOf('999') }, 0],
      [HOUR_MS, { customer: { phoneNumber: phoneNumberOf('491570000003') } }, 0],
    ] as const) {
      const gw = await gateway()
      rightOf(await gw.sendTemplate())
      gw.passes(wait)
      for (const _ of [1, 2]) await writes(gw, gw.now(), more)
      assert.equal((await shown(gw)).total.replied, replied, JSON.stringify([wait, more]))
    }
  })

  it('count no call and no reaction as an answer', async () => {
    const gw = await gateway()
    rightOf(await gw.sendTemplate())
    const who = { phoneNumberId: gw.phoneNumberId, customer: { phoneNumber: CUSTOMER }, at: NOON }
    const reaction = { id: 'wamid.reaction' as PlatformId, type: 'reaction' }
    rightOf(await gw.receive({ _tag: 'Inbound', ...who }, { _tag: 'UncountedInbound', ...who, message: reaction }))
    assert.equal((await shown(gw)).total.replied, 0)
  })

  it('find an answer under the user id of the customer', async () => {
    const gw = await gateway()
    await writes(gw, NOON - HOUR_MS, { customer: { phoneNumber: CUSTOMER, userId: USER } })
    rightOf(await gw.sendTemplate())
    gw.passes(HOUR_MS)
    await writes(gw, gw.now(), { customer: { userId: USER } })
    assert.equal((await shown(gw)).total.replied, 1)
  })

  it('have none for a workspace that does not exist', async () => {
    const gw = await gateway()
    const workspace = workspaceIdOf('00000000-0000-7000-8000-000000000000')
    const query = { template: NAME, from: DAY, to: DAY + DAY_MS, by: 'day' } as const
    assert.deepEqual(rightOf(await makeShowTemplateResults(gw.storage)(workspace, query)), O.none)
  })

  it('have a part for every day and for every week from Monday, which together are the period', () => {
    const monday = Date.UTC(2026, 10, 23)
    assert.deepEqual(cutPeriod({ from: monday - DAY_MS, to: monday + 8 * DAY_MS }, 'week'), [
      { from: monday - DAY_MS, to: monday }, { from: monday, to: monday + 7 * DAY_MS },
      { from: monday + 7 * DAY_MS, to: monday + 8 * DAY_MS },
    ])
    fc.assert(fc.property(
      fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 1, max: MAX_RESULTS_MS }), fc.constantFrom('day' as const, 'week' as const),
      (from, length, by) => {
        const parts = cutPeriod({ from, to: from + length }, by)
        assert.equal(parts[0]?.from, from)
        assert.equal(parts.at(-1)?.to, from + length)
        assert.isTrue(parts.every((part, index) => index === 0 || part.from === parts[index - 1]?.to))
        assert.isTrue(parts.slice(1).every((part) => part.from % DAY_MS === 0 && (by === 'day' || new Date(part.from).getUTCDay() === 1)))
      },
    ))
  })

  it('are in total what their parts are together, even if the period begins within a day', async () => {
    const count = { state: 'read', messages: 1, micros: 2n, replied: 1, optedOut: 1 } as const
    const { workspace, storage: { ledger } } = await gateway()
    const counts = async () => E.right([0, 1, 1].map((day) => ({ ...count, day: DAY + day * DAY_MS })))
    const showResults = makeShowTemplateResults({ templateResults: { counts }, ledger })
    const found = rightOf(await showResults(workspace, { template: NAME, from: NOON, to: NOON + 2 * DAY_MS, by: 'day' }))
    assert.deepEqual(O.toUndefined(found)?.parts.map(({ sent }) => sent), [1, 2, 0])
    assert.deepEqual(O.toUndefined(found)?.total, { sent: 3, delivered: 3, read: 3, failed: 0, replied: 3, optedOut: 3, micros: 6n })
  })

  it('are read of 92 days at most', () => {
    assert.equal(periodFault({ from: 1, to: 1 }), 'empty')
    assert.equal(periodFault({ from: 1, to: MAX_RESULTS_MS + 2 }), 'too_long')
    assert.isUndefined(periodFault({ from: 1, to: MAX_RESULTS_MS + 1 }))
  })

  it('are written with prices as decimal strings, and as CSV', () => {
    const figures = { sent: 5, delivered: 4, read: 3, failed: 1, replied: 3, optedOut: 1, micros: 250_000n }
    assert.include(figuresView(figures), { price: '0.250000', price_per_reply: '0.083333', opted_out: 1 })
    assert.isNull(figuresView({ ...figures, replied: 0 }).price_per_reply)
    const view = templateResultsView({ template: NAME, from: DAY, to: DAY + DAY_MS, by: 'day' }, {
      currency: 'USD' as never, total: figures, parts: [{ from: DAY, to: DAY + DAY_MS, ...figures }],
    })
    assert.equal(RESULTS_CSV_HEADER.split(',').length, 13)
    const [from, to] = [DAY, DAY + DAY_MS].map((at) => new Date(at).toISOString())
    assert.deepEqual(resultsCsvLines(view), [`${from},${to},${NAME},,5,4,3,1,3,1,0.250000,0.083333,USD\r\n`])
  })
})
