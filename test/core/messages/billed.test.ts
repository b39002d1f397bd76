import { assert } from 'chai'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import type { JsonObject } from '../../../core/kernel/json.js'
import type { Category, Currency } from '../../../core/kernel/money.js'
import {
  type Billed, billedAs, type Billing, isBilledOtherwise, otherwiseBilled, recategorised, reportedType, sumBilled,
} from '../../../core/messages/message-log.js'
import { MESSAGE_STATES } from '../../../core/messages/message.js'

const WORKSPACE = workspaceIdOf('019c0000000070008000000000000000')
const EUR = 'EUR' as Currency

const message = (
  pricing: JsonObject | undefined, { micros = 10n, category = 'marketing' as Category, state = 'delivered' as Billing['state'] } = {},
): Billing => ({ workspace: WORKSPACE, state, price: { micros, currency: EUR, category }, pricing })

describe('What was charged and what the platform bills', () => {
  it('counts a message once it is charged, and no longer once it is refunded', () => {
    const charged = MESSAGE_STATES.filter((state) => billedAs(message(undefined, { state })) !== undefined)
    assert.deepEqual(charged, ['accepted', 'sent', 'delivered', 'read', 'played'])
  })

  const table: ReadonlyArray<readonly [string, Billing, boolean]> = [
    ['nothing reported', message(undefined), false],
    ['nothing that is known reported', message({ billable: true }), false],
    ['the category it was charged in', message({ category: 'marketing', type: 'regular' }), false],
    ['the category in capitals', message({ category: 'MARKETING', type: 'Regular' }), false],
    ['the category, no type', message({ category: 'marketing' }), false],
    ['another category', message({ category: 'utility', type: 'regular' }), true],
    ['another category, no type', message({ category: 'utility' }), true],
    ['another category that is free', message({ category: 'utility', type: 'free_customer_service' }), true],
    ['another category of a message that was refunded', message({ category: 'utility', type: 'regular' }, { state: 'failed' }), false],
    ['free, and charged', message({ category: 'marketing', type: 'free_entry_point' }), true],
    ['a new kind of free, and charged', message({ category: 'marketing', type: 'FREE_FOREVER' }), true],
    ['free, without a category', message({ type: 'free_customer_service' }), true],
    ['free, and charged nothing', message({ category: 'marketing', type: 'free_entry_point' }, { micros: 0n }), false],
    ['regular, and charged nothing', message({ category: 'service', type: 'regular' }, { micros: 0n, category: 'service' }), true],
    ['an unknown type, and charged nothing', message({ category: 'service', type: 'prepaid' }, { micros: 0n, category: 'service' }), false],
    ['a category and a type that are no texts', message({ category: 1, type: { free: true } }), false],
  ]
  for (const [title, one, differs] of table) {
    it(`${differs ? 'differ' : 'agree'}: ${title}`, () => { assert.equal(isBilledOtherwise(one), differs) })
  }

  it('are summed so that as many messages of an entry differ as of the messages in it', () => {
    const messages = [...table, ...table].map(([, one]) => one)
    const sums = sumBilled(messages.flatMap((one) => billedAs(one) ?? []))
    assert.equal(sums.reduce((sum, one) => sum + otherwiseBilled(one), 0), messages.filter(isBilledOtherwise).length)
    assert.equal(sums.reduce((sum, one) => sum + one.messages, 0), messages.filter(({ state }) => state === 'delivered').length)
    const paid = messages.filter(({ price, state }) => price.micros > 0n && state === 'delivered')
    assert.equal(sums.reduce((sum, one) => sum + one.micros, 0n), 10n * BigInt(paid.length))
  })

  it('are kept apart by every part of an entry', () => {
    const [one] = [billedAs(message({ category: 'marketing', type: 'regular' }))] as [Billed]
    const others: ReadonlyArray<Billed> = [
      { ...one, workspace: workspaceIdOf('019c0000000070008000000000000001') }, { ...one, currency: 'USD' as Currency },
      { ...one, charged: 'utility' }, { ...one, reported: undefined }, { ...one, reported: 'utility' }, { ...one, type: undefined },
      { ...one, type: 'free_entry_point' },
    ]
    assert.deepEqual(sumBilled([one, ...others]), [one, ...others])
    assert.deepEqual(
      sumBilled([one, ...others, ...others, one]).map(({ messages, micros }) => [messages, micros]), [one, ...others].map(() => [2, 20n]),
    )
  })

  it('are counted apart by workspace and both categories, if the platform reported another category than was charged', () => {
    const [one] = [billedAs(message({ category: 'utility', type: 'regular' }))] as [Billed]
    const others: ReadonlyArray<Billed> = [
      { ...one, workspace: workspaceIdOf('019c0000000070008000000000000001') },
      { ...one, charged: 'service' },
      { ...one, reported: 'authentication' },
    ]
    const agreeing: ReadonlyArray<Billed> = [{ ...one, charged: 'utility' }, { ...one, reported: undefined }]
    assert.deepEqual(
      recategorised([one, ...agreeing, ...others, { ...one, type: undefined, messages: 3 }])
        .map(({ workspace, charged, reported, messages }) => [workspace, charged, reported, messages]),
      [[one.workspace, 'marketing', 'utility', 4], ...others.map(({ workspace, charged, reported }) => [workspace, charged, reported, 1])],
    )
  })

  it('has the type in lower case, and none if it is not a text', () => {
    assert.deepEqual([{ type: 'REGULAR' }, { type: 7 }, {}, undefined].map(reportedType), ['regular', undefined, undefined, undefined])
  })
})
