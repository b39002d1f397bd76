import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { readRateCards } from '../../../apps/server/rate-card.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { priceOn, type RateCard, type RateCards } from '../../../core/money/rate-card.js'

const CARD = {
  currency: 'USD',
  effective: '2026-10-01',
  default: { service: '0.0077', marketing: '0.0625', utility: '0.0077', authentication: '0.0077' },
  markets: { '55': { service: '0.0068', marketing: '0.0625' }, '5511': { service: '0' } },
  template_category: 'utility',
}

const cardsOf = (json: unknown): RateCards => {
  const cards = readRateCards(json)
  if (E.isLeft(cards)) throw new Error(cards.left.join('\n'))
  return cards.right
}

const cardOf = (json: unknown): RateCard => cardsOf(json)[0]

const faultsOf = (json: unknown): ReadonlyArray<string> => {
  const cards = readRateCards(json)
  return E.isLeft(cards) ? cards.left : []
}

describe('A rate card', () => {
  it('prices a text by the longest prefix and a template by template_category', () => {
    const onCard = cardOf(CARD)
    const text = (to: string) => priceOn(onCard, { _tag: 'Text', to: to as PhoneNumber, text: 'x' }).micros
    const template = (to: string) => priceOn(onCard, { _tag: 'Template', to: to as PhoneNumber, name: 'x', language: 'en' }).micros
    assert.deepEqual([text('5521999990000'), text('5511999990000'), text('33600000000')], [6_800n, 0n, 7_700n])
    assert.deepEqual([template('5521999990000'), template('33600000000')], [7_700n, 7_700n])
  })

  it('prices a template as marketing if template_category is left out, and needs no markets', () => {
    const { template_category: _category, markets: _markets, ...rest } = CARD
    assert.equal(cardOf(rest).templateCategory, 'marketing')
  })

  const WRONG: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ['something that is not an object', 'USD', /not a JSON object/],
    ['a currency that is none', { ...CARD, currency: 'dollars' }, /currency must be three capital letters/],
    ['a day that does not exist', { ...CARD, effective: '2026-02-30' }, /effective must be a date/],
    ['an unknown category', { ...CARD, default: { ...CARD.default, promo: '1' } }, /default\.promo is not a category/],
    ['an unknown category of a market', { ...CARD, markets: { '55': { promo: '1' } } }, /markets\.55\.promo is not a category/],
    ['a default without one of the categories', { ...CARD, default: { service: '1', marketing: '1', utility: '1' } },
      /default\.authentication is missing/],
    ['a default that is missing', { ...CARD, default: undefined }, /default must be an object/],
    ['a negative price', { ...CARD, markets: { '55': { service: '-0.1' } } }, /markets\.55\.service must not be negative/],
    ['a price that is a number', { ...CARD, markets: { '55': { service: 0.1 } } }, /markets\.55\.service must be a decimal string/],
    ['a price of seven decimals', { ...CARD, markets: { '55': { service: '0.1234567' } } }, /markets\.55\.service: .*six decimals/],
    ['a prefix with a plus', { ...CARD, markets: { '+55': {} } }, /markets\.\+55 must be a calling code/],
    ['a prefix with a leading zero', { ...CARD, markets: { '055': {} } }, /markets\.055 must be a calling code/],
    ['markets that are a list', { ...CARD, markets: [] }, /markets must be an object/],
    ['an unknown template_category', { ...CARD, template_category: 'sms' }, /template_category must be one of/],
    ['a number of free messages that is not whole', { ...CARD, free_service_messages: 0.5 }, /free_service_messages must be a whole number/],
    ['a negative number of free messages', { ...CARD, free_service_messages: -1 }, /free_service_messages must be a whole number/],
    ['a field that is none', { ...CARD, market: {} }, /has no field "market"/],
  ]

  for (const [what, json, sentence] of WRONG)
    it(`refuses ${what}`, () => {
      const faults = faultsOf(json)
      assert.lengthOf(faults, 1)
      assert.match(faults[0] ?? '', sentence)
    })

  it('lists everything that is wrong together', () =>
    assert.lengthOf(faultsOf({ ...CARD, currency: 1, effective: 1, template_category: 1 }), 3))

  it('takes one more rate for each special category, of the default and of a market', () => {
    const special = { marketing_lite: '0.05', authentication_international: '0.2' }
    const card = cardOf({ ...CARD, default: { ...CARD.default, ...special }, markets: { '234': special } })
    assert.deepInclude(card.default, { marketing_lite: 50_000n, authentication_international: 200_000n })
    assert.deepEqual(card.markets.get('234'), { marketing_lite: 50_000n, authentication_international: 200_000n })
  })

  it('may name a number of free messages a month', () => {
    assert.equal(cardOf({ ...CARD, free_service_messages: 1_000 }).freeServiceMessages, 1_000)
    assert.equal(cardOf(CARD).freeServiceMessages, 0)
  })

  it('may be one of a list, each from a day of its own on', () => {
    const dated = ['2026-10-01', '2027-01-01', '2026-07-01'].map((effective) => ({ ...CARD, effective }))
    assert.deepEqual(cardsOf(dated).map(({ effective }) => effective), ['2026-10-01', '2027-01-01', '2026-07-01'])
    assert.deepEqual(cardsOf([CARD]), cardsOf(CARD))
  })

  const WRONG_LISTS: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, ReadonlyArray<string>]> = [
    ['an empty list', [], ['Rate card: the list is empty.']],
    ['a list in two currencies', [CARD, { ...CARD, currency: 'EUR', effective: '2027-01-01' }], ['Rate cards: all must have the same currency, but they have USD, EUR.']],
    ['two cards of one day', [CARD, CARD, CARD], ['Rate cards: 2026-10-01 has two cards; each needs its own effective day.']],
    ['a card of a list, and says which', [CARD, { ...CARD, effective: 1 }, 7], [
      'Rate card 2: effective must be a date, such as 2026-10-01.', 'Rate card 3: it is not a JSON object.',
    ]],
  ]

  for (const [what, json, faults] of WRONG_LISTS) it(`refuses ${what}`, () => assert.deepEqual(faultsOf(json), faults))
})
