import { assert } from 'chai'
import fc from 'fast-check'
import type { Message } from '../../core/message.js'
import type { PhoneNumber } from '../../core/phone-number.js'
import type { Currency } from '../../core/money.js'
import { CATEGORIES, categoryOf, priceOn, type Category, type Prices, type RateCard } from '../../core/rate-card.js'

const EUR = 'EUR' as Currency
const DEFAULT: Prices = { service: 1n, marketing: 2n, utility: 3n, authentication: 4n }

const card = (markets: Readonly<Record<string, Partial<Prices>>> = {}, templateCategory: Category = 'marketing'): RateCard => ({
  currency: EUR, effective: '2026-01-01', default: DEFAULT, markets: new Map(Object.entries(markets)), templateCategory,
})

const text = (to: string): Message => ({ _tag: 'Text', to: to as PhoneNumber, text: 'Hello' })
const template = (to: string): Message => ({ _tag: 'Template', to: to as PhoneNumber, name: 'offer', language: 'en' })

describe('The rate card', () => {
  it('prices by the longest prefix that matches', () => {
    const onCard = card({ '1': { service: 10n }, '1809': { service: 30n }, '180': { service: 20n }, '44': { service: 40n } })
    const priced: ReadonlyArray<readonly [string, bigint]> = [
      ['18095551234', 30n], ['18015551234', 20n], ['15551234567', 10n], ['442071234567', 40n], ['4915123456789', 1n],
    ]
    for (const [to, micros] of priced) assert.equal(priceOn(onCard, text(to)).micros, micros, to)
  })

  it('finds the same price as looking at every prefix would', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{6,14}$/)
    const prefixes = fc.dictionary(fc.stringMatching(/^[1-9][0-9]{0,4}$/), fc.record({ service: fc.bigInt({ min: 0n, max: 99n }) }))
    fc.assert(
      fc.property(prefixes, digits, fc.nat(5), (markets, to, cut) => {
        // Half the numbers begin with a prefix of the card, which a free draw would hardly ever hit.
        const known = Object.keys(markets)[cut]
        const number = known === undefined ? to : `${known}${to}`.slice(0, 15)
        const longest = Object.keys(markets).filter((prefix) => number.startsWith(prefix)).sort((a, b) => b.length - a.length)[0]
        assert.equal(priceOn(card(markets), text(number)).micros, longest === undefined ? DEFAULT.service : markets[longest]?.service)
      }),
    )
  })

  it('falls back to its default for what a market leaves out, and not to a shorter prefix', () => {
    const onCard = card({ '55': { marketing: 50n, service: 60n }, '5511': { service: 70n } })
    assert.equal(priceOn(onCard, template('5521987654321')).micros, 50n)
    assert.equal(priceOn(onCard, template('5511987654321')).micros, DEFAULT.marketing)
    assert.equal(priceOn(onCard, text('5511987654321')).micros, 70n)
  })

  it('takes a market\'s price of zero for a price', () => {
    assert.equal(priceOn(card({ '55': { service: 0n } }), text('5511987654321')).micros, 0n)
  })

  it('prices a text by the service rate, whatever a template costs', () => {
    for (const category of CATEGORIES) {
      assert.deepEqual(
        priceOn(card({}, category), text('4915123456789')), { micros: DEFAULT.service, currency: EUR, category: 'service' },
      )
    }
  })

  it('prices a template by the card\'s category for templates, and says which it was', () => {
    for (const category of CATEGORIES) {
      assert.deepEqual(priceOn(card({}, category), template('4915123456789')), { micros: DEFAULT[category], currency: EUR, category })
      assert.equal(categoryOf(template('4915123456789'), category), category)
    }
  })
})
