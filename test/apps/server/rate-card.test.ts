import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { loadRateCard, readRateCard } from '../../../apps/server/rate-card.js'
import type { PhoneNumber } from '../../../core/phone-number.js'
import { priceOn, type RateCard } from '../../../core/rate-card.js'

const CARD = {
  currency: 'USD',
  effective: '2026-10-01',
  default: { service: '0.0077', marketing: '0.0625', utility: '0.0077', authentication: '0.0077' },
  markets: { '55': { service: '0.0068', marketing: '0.0625' }, '5511': { service: '0' } },
  template_category: 'utility',
}

const cardOf = (card: E.Either<ReadonlyArray<string>, RateCard>): RateCard => {
  if (E.isLeft(card)) throw new Error(card.left.join('\n'))
  return card.right
}

const faultsOf = (json: unknown): ReadonlyArray<string> => {
  const card = readRateCard(json)
  return E.isLeft(card) ? card.left : []
}

describe('A rate card', () => {
  it('prices a text by the longest prefix and a template by template_category', () => {
    const onCard = cardOf(readRateCard(CARD))
    const text = (to: string) => priceOn(onCard, { _tag: 'Text', to: to as PhoneNumber, text: 'x' }).micros
    const template = (to: string) => priceOn(onCard, { _tag: 'Template', to: to as PhoneNumber, name: 'x', language: 'en' }).micros
    assert.deepEqual([text('5521999990000'), text('5511999990000'), text('33600000000')], [6_800n, 0n, 7_700n])
    assert.deepEqual([template('5521999990000'), template('33600000000')], [7_700n, 7_700n])
  })

  it('prices a template as marketing where template_category is left out, and needs no markets', () => {
    const { template_category: _category, markets: _markets, ...rest } = CARD
    assert.equal(cardOf(readRateCard(rest)).templateCategory, 'marketing')
  })

  const WRONG: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ['something that is not an object', ['USD'], /not a JSON object/],
    ['a currency that is none', { ...CARD, currency: 'dollars' }, /currency must be three capital letters/],
    ['a day that does not exist', { ...CARD, effective: '2026-02-30' }, /effective must be a date/],
    ['an unknown category', { ...CARD, default: { ...CARD.default, promo: '1' } }, /default\.promo is no category/],
    ['an unknown category of a market', { ...CARD, markets: { '55': { promo: '1' } } }, /markets\.55\.promo is no category/],
    ['a default without one of the categories', { ...CARD, default: { service: '1', marketing: '1', utility: '1' } }, /default\.authentication is missing/],
    ['a default that is missing', { ...CARD, default: undefined }, /default must be an object/],
    ['a negative price', { ...CARD, markets: { '55': { service: '-0.1' } } }, /markets\.55\.service must not be negative/],
    ['a price that is a number', { ...CARD, markets: { '55': { service: 0.1 } } }, /markets\.55\.service must be a decimal string/],
    ['a price of seven decimals', { ...CARD, markets: { '55': { service: '0.1234567' } } }, /markets\.55\.service: .*six decimals/],
    ['a prefix with a plus', { ...CARD, markets: { '+55': {} } }, /markets\.\+55 must be a calling code/],
    ['a prefix with a leading zero', { ...CARD, markets: { '055': {} } }, /markets\.055 must be a calling code/],
    ['markets that are a list', { ...CARD, markets: [] }, /markets must be an object/],
    ['an unknown template_category', { ...CARD, template_category: 'sms' }, /template_category must be one of/],
    ['a field that is none', { ...CARD, market: {} }, /has no field "market"/],
  ]

  for (const [what, json, sentence] of WRONG)
    it(`refuses ${what}`, () => {
      const faults = faultsOf(json)
      assert.lengthOf(faults, 1)
      assert.match(faults[0] ?? '', sentence)
    })

  it('tells everything that is wrong at once', () => assert.lengthOf(faultsOf({ ...CARD, currency: 1, effective: 1, template_category: 1 }), 3))

  it('is built in with the rates confirmed for October 2026', async () => {
    const card = cardOf(await loadRateCard(undefined))
    assert.equal(card.effective, '2026-10-01')
    assert.deepEqual([card.markets.get('55')?.service, card.markets.get('33')?.marketing, card.default.service], [6_800n, 85_900n, 7_700n])
  })

  it('is read from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postern-'))
    try {
      await writeFile(join(folder, 'card.json'), JSON.stringify(CARD))
      await writeFile(join(folder, 'broken.json'), '{')
      assert.equal(cardOf(await loadRateCard(join(folder, 'card.json'))).templateCategory, 'utility')
      assert.deepEqual(await loadRateCard(join(folder, 'broken.json')), E.left(['The rate card at RATE_CARD is not JSON.']))
      assert.deepEqual(await loadRateCard(join(folder, 'none.json')), E.left(['The rate card at RATE_CARD cannot be read.']))
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
