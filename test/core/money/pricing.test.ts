import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { uuidv7 } from 'uuidv7'
import { SYSTEM } from '../../../core/kernel/actor.js'
import { auditIdOf } from '../../../core/kernel/ids.js'
import { CATEGORIES, currencyOf } from '../../../core/kernel/money.js'
import type { Message } from '../../../core/messages/message.js'
import {
  cardFor, formatMarkup, makeSetPricing, MAX_MARKUP, parseMarkup, type Pricing, pricedFor, readPricing, withMarkup, writePricing,
} from '../../../core/money/pricing.js'
import { priceOn, type RateCard } from '../../../core/money/rate-card.js'
import { makeQuoteMessage } from '../../../core/sending/quote.js'
import { makeSendText } from '../../../core/sending/send.js'
import { done, leftOf, rightOf } from '../../support/right-of.js'
import { CUSTOMER, gateway, NOON, TEXT_PRICE, USD } from '../gateway.js'

const CARD: RateCard = {
  currency: USD, effective: '2026-10-01', templateCategory: 'marketing', freeServiceMessages: 2,
  default: { service: 7_700n, marketing: 62_500n, utility: 7_701n, authentication: 1n },
  markets: new Map([['55', { service: 6_800n, marketing_lite: 3n, authentication_international: 9n }], ['1', { utility: 5n }]]),
}
const OWN: RateCard = {
  ...CARD, default: { service: 9n, marketing: 8n, utility: 7n, authentication: 6n }, markets: new Map(), freeServiceMessages: 500,
}
const TWENTY: Pricing = { _tag: 'Markup', ppm: 200_000n }
const LATER: RateCard = { ...OWN, effective: '2030-01-01', default: { ...OWN.default, service: 10n } }
const OWN_CARDS: Pricing = { _tag: 'OwnCards', cards: [OWN, LATER] }

const MESSAGES: ReadonlyArray<Message> = ['5511999990000', '4915550100', '14155550100'].flatMap((to): ReadonlyArray<Message> =>
  [{ _tag: 'Text', to: to as typeof CUSTOMER, text: 'Hi' }, { _tag: 'Template', to: to as typeof CUSTOMER, name: 'hello', language: 'en' }])

describe('A markup', () => {
  it('is read in percent with at most four decimals, and written back', () => {
    for (const [text, ppm, written = text] of [
      ['0%', 0n], ['20%', 200_000n], ['12.5%', 125_000n], ['0.0001%', 1n], ['1000%', MAX_MARKUP], [' 7 % ', 70_000n, '7%'],
      ['12.50%', 125_000n, '12.5%'],
    ] as const) {
      const read = parseMarkup(text)
      assert.deepEqual(read, E.right(ppm), text)
      assert.equal(formatMarkup(ppm), written)
    }
    for (const text of ['', '20', '-5%', '1000.0001%', '1.23456%', '1e1%', '020%', '%']) assert.isTrue(E.isLeft(parseMarkup(text)), text)
  })

  it('rounds up to the micro, and never below the card', () => {
    for (const [micros, ppm, priced] of [
      [0n, 200_000n, 0n], [1n, 1n, 2n], [7_700n, 200_000n, 9_240n], [7_701n, 200_000n, 9_242n], [5n, 0n, 5n],
      [10n ** 18n, MAX_MARKUP, 11n * 10n ** 18n],
    ] as const) assert.equal(withMarkup(micros, ppm), priced, `${micros} and ${ppm}`)
  })
})

describe('The prices of a workspace', () => {
  it('are those of its rate card for each message and category, and its cost is that of the installation\'s card', () => {
    for (const pricing of [undefined, TWENTY, OWN_CARDS]) {
      const card = cardFor(pricing, CARD, NOON)
      for (const message of MESSAGES) {
        for (const category of [undefined, ...CATEGORIES]) {
          const charged = priceOn(CARD, message, category)
          const { cost, ...rate } = pricedFor(pricing, charged, (own) => priceOn(own, message, category), NOON)
          assert.deepEqual(rate, priceOn(card, message, category))
          assert.equal(cost, pricing === undefined ? undefined : charged.micros)
        }
      }
    }
  })

  it('are those of the card of its own whose day has begun, and the platform decides which messages are free', () => {
    const [text] = MESSAGES as [Message]
    const priced = (at: number) => pricedFor(OWN_CARDS, priceOn(CARD, text), (own) => priceOn(own, text), at)
    const found = [priced(NOON), priced(Date.UTC(2031, 0))].map(({ micros, freeEachMonth }) => [micros, freeEachMonth])
    assert.deepEqual(found, [[9n, 2], [10n, 2]])
  })

  it('are the installation\'s where its own card has another currency', () => {
    const euros: Pricing = { _tag: 'OwnCards', cards: [{ ...OWN, currency: currencyOf('EUR') }] }
    const [text] = MESSAGES as [Message]
    assert.deepEqual(pricedFor(euros, priceOn(CARD, text), (own) => priceOn(own, text), NOON), priceOn(CARD, text))
    assert.equal(cardFor(euros, CARD, NOON), CARD)
  })

  it('are kept as a text and read back from it', () => {
    for (const pricing of [TWENTY, OWN_CARDS]) {
      const { cards, ...others } = pricing._tag === 'OwnCards' ? pricing : { ...pricing, cards: undefined }
      // The number of free messages is the platform's, so it is not kept.
      const kept = cards?.map(({ freeServiceMessages: _free, ...card }) => card)
      assert.deepEqual<unknown>(readPricing(writePricing(pricing)), { ...others, ...(kept && { cards: kept }) })
    }
    for (const text of ['{}', '{"cards":[]}', '[]', 'null', '{"cards":[1]}']) assert.throws(() => readPricing(text), TypeError)
  })
})

describe('A workspace with a markup', () => {
  const open = async () => {
    const gw = await gateway({ balance: 10n * TEXT_PRICE })
    const { deps, storage: { auditLog, workspacePricing }, now } = gw
    const audit = { auditLog, newAuditId: () => auditIdOf(uuidv7()), now }
    const priced = { ...deps, workspacePricing }
    return {
      ...gw, setPricing: makeSetPricing({ workspacePricing, audit, pricedIn: () => USD }), send: makeSendText(priced),
      quote: makeQuoteMessage({ ...priced, ledger: gw.storage.ledger }),
      audited: async () => (await done(auditLog.list({ limit: 100 }))).items.filter(({ act }) => act === 'workspace.set_prices'),
    }
  }
  const MARKED = withMarkup(TEXT_PRICE, 200_000n)

  it('is quoted and charged the price, and the message keeps what the platform charges', async () => {
    const { workspace, setPricing, send, quote, storage } = await open()
    rightOf(await setPricing({ by: SYSTEM, workspace, pricing: TWENTY }))
    const quoted = rightOf(await quote({ workspace, message: { _tag: 'Text', to: CUSTOMER, text: 'Hi' } }))
    assert.equal(quoted.price.micros, MARKED)
    const { id } = rightOf(await send({ workspace, to: CUSTOMER, text: 'Hi' }))
    const message = O.toUndefined(await done(storage.messageLog.find(workspace, { id })))
    assert.deepEqual([message?.price.micros, message?.cost], [MARKED, TEXT_PRICE])
    assert.equal(O.toUndefined(await done(storage.ledger.balance(workspace)))?.available, 10n * TEXT_PRICE - MARKED)
  })

  it('pays the rate card again when it is removed, and each change is in the audit log', async () => {
    const { workspace, setPricing, send, storage, audited } = await open()
    for (const pricing of [TWENTY, undefined]) rightOf(await setPricing({ by: SYSTEM, workspace, pricing }))
    const { id } = rightOf(await send({ workspace, to: CUSTOMER, text: 'Hi' }))
    const message = O.toUndefined(await done(storage.messageLog.find(workspace, { id })))
    assert.deepEqual([message?.price.micros, message?.cost], [TEXT_PRICE, undefined])
    assert.deepEqual((await audited()).map(({ details }) => details), [
      { markup: null, own_cards: null }, { markup: '20%', own_cards: null },
    ])
  })

  it('sends nothing while its pricing cannot be read', async () => {
    const { workspace, deps } = await open()
    const failing = { pricingOf: async () => E.left({ _tag: 'PortFailure' as const, port: 'WorkspacePricing', cause: 'down' }) }
    const send = makeSendText({ ...deps, workspacePricing: failing })
    assert.equal(leftOf(await send({ workspace, to: CUSTOMER, text: 'Hi' }))._tag, 'PortFailure')
  })

  it('cannot have a markup out of range, a card in another currency, or no existence', async () => {
    const { workspace, setPricing, storage } = await open()
    const eur = currencyOf('EUR')
    for (const [pricing, expected] of [
      [{ _tag: 'Markup', ppm: -1n }, 'InvalidAmount'], [{ _tag: 'Markup', ppm: MAX_MARKUP + 1n }, 'InvalidAmount'],
      [{ _tag: 'OwnCards', cards: [{ ...OWN, currency: eur }] }, 'CardCurrency'],
    ] as const) assert.equal(leftOf(await setPricing({ by: SYSTEM, workspace, pricing }))._tag, expected)
    assert.deepEqual(await done(storage.workspacePricing.pricingOf(workspace)), O.none)
  })
})
