import { assert } from 'chai'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { workspaceIdOf } from '../../../core/kernel/ids.js'
import { CATEGORIES, type Category, categoryNamed, type Currency, generalCategory, reportedCategory } from '../../../core/kernel/money.js'
import type { Message } from '../../../core/messages/message.js'
import { cardAt, categoryOf, priceBy, priceOn, type Prices, type RateCard } from '../../../core/money/rate-card.js'

const EUR = 'EUR' as Currency
const DEFAULT: Prices = { service: 1n, marketing: 2n, utility: 3n, authentication: 4n }

const card = (markets: Readonly<Record<string, Partial<Prices>>> = {}, templateCategory: Category = 'marketing'): RateCard => ({
  currency: EUR, effective: '2026-01-01', default: DEFAULT, markets: new Map(Object.entries(markets)), templateCategory,
})

const text = (to: string): Message => ({ _tag: 'Text', to: to as PhoneNumber, text: 'Hello' })
const location = (to: string): Message => ({
  _tag: 'Content', to: to as PhoneNumber, type: 'location', content: { latitude: '52.5219', longitude: '13.4132' },
})
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

  it('says which market\'s rate it is', () => {
    const onCard = card({ '55': { marketing: 50n }, '5511': { service: 70n } })
    const marketOf = (message: Message) => priceOn(onCard, message).market
    assert.deepEqual(
      [
        marketOf(template('5521987654321')), marketOf(text('5511987654321')), marketOf(template('5511987654321')),
        marketOf(text('4915123456789')),
      ],
      ['55', '5511', 'default', 'default'],
    )
  })

  it('takes a market\'s price of zero for a price', () => {
    assert.equal(priceOn(card({ '55': { service: 0n } }), text('5511987654321')).micros, 0n)
  })

  it('prices a text by the service rate, whatever a template costs', () => {
    for (const category of CATEGORIES) {
      assert.deepEqual(
        priceOn(card({}, category), text('4915123456789')),
        { micros: DEFAULT.service, currency: EUR, category: 'service', market: 'default' },
      )
    }
  })

  it('prices a template by the card\'s category for templates, and says which it was', () => {
    for (const category of CATEGORIES) {
      const general = generalCategory(category)
      assert.deepEqual(priceOn(card({}, category), template('4915123456789')), {
        micros: DEFAULT[general], currency: EUR, category: general, market: 'default',
      })
      assert.equal(categoryOf(template('4915123456789'), category), category)
    }
  })

  it('prices a template by its own category if that is known, and a text by none', () => {
    assert.deepEqual(priceOn(card(), template('4915123456789'), 'utility'), {
      micros: DEFAULT.utility, currency: EUR, category: 'utility', market: 'default',
    })
    assert.equal(priceOn(card(), text('4915123456789'), 'utility').category, 'service')
  })

  const [AUTHENTICATION, LITE] = ['authentication', 'marketing_lite'] as const
  const SPECIAL: ReadonlyArray<readonly [
    what: string, category: Category, to: string, micros: bigint, charged: Category, market: string,
  ]> = [
    ['an authentication template by the international rate of its market', AUTHENTICATION, '234801', 60n, 'authentication_international',
      '234'],
    ['it so, if its category is said to be the international one', 'authentication_international', '234801', 60n,
      'authentication_international', '234'],
    ['it by the market\'s own authentication rate before the international one of the default', AUTHENTICATION, '5511987', 50n,
      AUTHENTICATION, '55'],
    ['it by the international rate of the default where the market names neither', AUTHENTICATION, '33600000', 40n,
      'authentication_international', 'default'],
    ['it by the default rate where no card names another', AUTHENTICATION, '4915', 4n, AUTHENTICATION, 'default'],
    ['a template of another category by its own rate, whatever the international one', 'utility', '234801', 3n, 'utility', 'default'],
    ['a marketing_lite template by that rate of its market', LITE, '234801', 7n, LITE, '234'],
    ['it by the marketing rate of a market that names no other', LITE, '5511987', 8n, 'marketing', '55'],
    ['it by the default marketing rate where no card names another', LITE, '4915', 2n, 'marketing', 'default'],
    ['a marketing template by the marketing rate, whatever the lite one', 'marketing', '234801', 2n, 'marketing', 'default'],
  ]
  const MARKETS = {
    '234': { authentication: 30n, authentication_international: 60n, marketing_lite: 7n }, '55': { authentication: 50n, marketing: 8n },
    '33': { service: 9n },
  }
  for (const [what, category, to, micros, charged, market] of SPECIAL)
    it(`prices ${what}`, () => {
      const onCard = { ...card(MARKETS), default: to.startsWith('49') ? DEFAULT : { ...DEFAULT, authentication_international: 40n } }
      assert.deepEqual(priceOn(onCard, template(to), category), { micros, currency: EUR, category: charged, market })
    })

  it('says with the price of a free-form message how many are free each month, and of a template never', () => {
    const onCard = { ...card({}, 'service'), freeServiceMessages: 3 }
    for (const message of [text('4915123456789'), location('4915123456789')]) {
      assert.deepEqual(priceOn(onCard, message), {
        micros: DEFAULT.service, currency: EUR, category: 'service', market: 'default', freeEachMonth: 3,
      })
    }
    for (const priced of [
      priceOn(onCard, template('4915123456789')), priceOn({ ...onCard, freeServiceMessages: 0 }, text('4915123456789')),
    ]) {
      assert.notProperty(priced, 'freeEachMonth')
    }
  })

  it('counts from the first moment of its day in UTC, until a later one does', () => {
    const on = (effective: string): RateCard => ({ ...card(), effective })
    const cards = [on('2026-10-01'), on('2026-07-01'), on('2027-01-01')] as const
    const counted: ReadonlyArray<readonly [string, string]> = [
      ['2026-06-30T23:59:59.999Z', '2026-07-01'], ['2026-07-01T00:00:00.000Z', '2026-07-01'], ['2026-09-30T23:59:59.999Z', '2026-07-01'],
      ['2026-10-01T00:00:00.000Z', '2026-10-01'], ['2026-12-31T23:59:59.999Z', '2026-10-01'], ['2030-01-01T00:00:00.000Z', '2027-01-01'],
    ]
    for (const [at, effective] of counted) assert.equal(cardAt(cards, Date.parse(at)).effective, effective, at)
  })

  it('is asked for at each message', async () => {
    let current = card()
    const priceOf = priceBy(() => current)
    const priced = async (): Promise<bigint | undefined> =>
      E.toUnion(
        E.map(({ micros }: { readonly micros: bigint }) => micros)(await priceOf(workspaceIdOf('1'), text('4915123456789'))),
      ) as bigint
    assert.equal(await priced(), 1n)
    current = { ...card(), default: { ...DEFAULT, service: 9n } }
    assert.equal(await priced(), 9n)
  })

  it('reads the platform\'s words for a category in either spelling, and keeps those it does not know', () => {
    for (const word of ['authentication-international', 'AUTHENTICATION_INTERNATIONAL']) {
      assert.equal(reportedCategory({ category: word }), 'authentication_international')
      assert.equal(categoryNamed(word), 'authentication_international')
    }
    assert.equal(reportedCategory({ category: 'referral_conversion' }), 'referral_conversion')
    assert.isUndefined(categoryNamed('referral_conversion'))
    for (const pricing of [undefined, {}, { category: 7 }]) assert.isUndefined(reportedCategory(pricing))
  })
})
