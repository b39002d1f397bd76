import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { messageIdOf, type MessageRecord, openRecord } from '../../../core/messages/message.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import { type Billed, billedAs, sumBilled } from '../../../core/messages/message-log.js'
import type { RateCard } from '../../../core/money/rate-card.js'
import { costOf, costView, makeReportUsage, type UsageOf, usageView } from '../../../core/money/usage.js'
import { type SenderId, senderIdOf } from '../../../core/senders/sender.js'
import { rightOf } from '../../support/right-of.js'
import { CUSTOMER, NOON, USD } from '../gateway.js'

const WORKSPACE = workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')
const CARD: RateCard = {
  currency: USD, effective: '2026-10-01', templateCategory: 'marketing', markets: new Map([['55', { utility: 6_800n }]]),
  default: { service: 7_700n, marketing: 62_500n, utility: 7_700n, authentication: 7_700n },
}

/** A marketing template at a price of 75,000 micros that costs 62,500. */
const message = (more: Partial<MessageRecord>): MessageRecord => ({
  ...openRecord({
    id: messageIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c'), workspace: WORKSPACE, at: NOON, cost: 62_500n, market: '55',
    message: { _tag: 'Template', to: CUSTOMER, name: 'hello', language: 'en' },
    price: { micros: 75_000n, currency: USD, category: 'marketing' },
  }),
  state: 'delivered', ...more,
})

const said = (category: string, type = 'regular'): { readonly pricing: JsonObject } => ({ pricing: { billable: true, category, type } })

describe('The cost of a message', () => {
  const { cost: _cost, market: _market, ...earlier } = message({})
  for (const [title, record, micros, knownFrom] of [
    ['is that of the rate card until the platform reports it', message({}), 62_500n, 'card'],
    ['is confirmed by a report of the same category', message(said('marketing')), 62_500n, 'report'],
    ['is confirmed by a report of the same general category', message(said('MARKETING_LITE')), 62_500n, 'report'],
    ['is nothing if the platform reports it as free', message(said('marketing', 'free_entry_point')), 0n, 'report'],
    ['is the rate of the category that the platform reports, in the market of its price', message(said('utility')), 6_800n, 'report'],
    ['is the default rate in a market without its own', message({ ...said('authentication') }), 7_700n, 'report'],
    ['is that of the card if the platform reports an unknown category', message(said('a category of the future')), 62_500n, 'report'],
    ['is its price if an earlier version stored it', earlier, 75_000n, 'card'],
    ['is nothing if it failed', message({ state: 'failed' }), 0n, 'report'],
    ['is nothing if it was refused', message({ state: 'refused' }), 0n, 'report'],
  ] as const) {
    it(title, () => { assert.deepEqual(costOf(record, () => CARD), { micros, knownFrom }) })
  }

  it('is shown with the margin, which may be negative', () => {
    const shown = costView(message({}), { micros: 62_500n, knownFrom: 'card' })
    assert.deepEqual(shown, { cost: '0.062500', cost_known_from: 'card', margin: '0.012500' })
    assert.equal(costView(message({}), { micros: 75_002n, knownFrom: 'report' }).margin, '-0.000002')
    assert.equal(costView(message({ state: 'refused' }), { micros: 0n, knownFrom: 'report' }).margin, '0.000000')
  })

  it('is asked of the card at the time of the send', () => {
    const asked: number[] = []
    costOf(message(said('utility')), (at) => { asked.push(at); return CARD })
    assert.deepEqual(asked, [NOON])
  })
})

describe('The usage of a month', () => {
  const records = [
    message({}), message(said('marketing')), message(said('utility')), message(said('marketing', 'free_entry_point')),
    message({ market: '33' }), message({ state: 'failed' }),
  ]
  const billed: ReadonlyArray<Billed> = sumBilled(records.flatMap((record) => billedAs(record) ?? []))
  const report = makeReportUsage({ messageLog: { billed: async () => E.right(billed) }, rateCard: () => CARD })

  it('adds up prices and costs by category and market, equal to the sums of the messages to the micro', async () => {
    const rows = rightOf(await report({ from: NOON, until: NOON + 1 }))
    assert.deepEqual(rows.map(usageView), [
      {
        workspace: WORKSPACE, sender: null, currency: USD, category: 'marketing', market: '33', messages: 1, price: '0.075000',
        cost: '0.062500', margin: '0.012500',
      },
      {
        workspace: WORKSPACE, sender: null, currency: USD, category: 'marketing', market: '55', messages: 4, price: '0.300000',
        cost: '0.131800', margin: '0.168200',
      },
    ])
    const charged = records.filter((record) => billedAs(record) !== undefined)
    const all = charged.reduce((sum, record) => sum + costOf(record, () => CARD).micros, 0n)
    assert.equal(rows.reduce((sum, { cost }) => sum + cost, 0n), all)
  })

  it('is of one workspace, or of one sender with its former ids and the messages of an earlier version, if it is asked for', async () => {
    const [first, former, second] = ['1001', '1000', '1002'].map(senderIdOf) as [SenderId, SenderId, SenderId]
    const other = workspaceIdOf('0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d')
    const sent = [
      message({ sender: first }), message({ sender: former }), message({}), message({ sender: second }), message({ sender: second }),
      message({ workspace: other, sender: first }),
    ]
    const messageLog = { billed: async () => E.right(sumBilled(sent.flatMap((record) => billedAs(record) ?? []))) }
    const read = async (of?: UsageOf) =>
      rightOf(await makeReportUsage({ messageLog, rateCard: () => CARD })({ from: NOON, until: NOON + 1 }, of))
        .map(({ workspace, sender, messages }) => [workspace === other ? 'other' : 'ours', sender, messages])
    const ours = [['ours', undefined, 1], ['ours', former, 1], ['ours', first, 1], ['ours', second, 2]]
    assert.deepEqual<unknown>(await read(), [...ours, ['other', first, 1]])
    assert.deepEqual<unknown>(await read({ workspace: WORKSPACE }), ours)
    assert.deepEqual<unknown>(await read({ workspace: WORKSPACE, sender: { ids: [first, former], orNone: true } }), ours.slice(0, 3))
    assert.deepEqual<unknown>(await read({ workspace: WORKSPACE, sender: { ids: [second], orNone: false } }), ours.slice(3))
  })
})
