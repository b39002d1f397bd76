import { assert } from 'chai'
import fc from 'fast-check'
import {
  CONFIRM_PAIR_MS, countedIdOf, type CustomerFact, type CustomerId, customerOf, type IdRecord, recordFact, NOTHING_KNOWN, parseCustomerId,
  parseUserId, type PhoneNumber, recordKeyOf, type UserId,
} from '../../../core/customers/customer.js'
import type { Currency } from '../../../core/kernel/money.js'
import { priceOn, type RateCard } from '../../../core/money/rate-card.js'
import { inOrder, withRedeliveries } from '../delivery-orders.js'

const NUMBER = '4915550001' as PhoneNumber
const [ANA, BEN] = ['DE.Ana1' as UserId, 'DE.Ben1' as UserId]
const AT = Date.UTC(2026, 9, 1)

const learned = (facts: ReadonlyArray<CustomerFact>): IdRecord => facts.reduce(recordFact, NOTHING_KNOWN)
const paired = (other: CustomerId, at: number): CustomerFact => ({ _tag: 'Paired', other, at })

describe('What is learned of an id', () => {
  /** Reports of pairs at least as far apart as pairs are confirmed; some of them in one moment. */
  const pairs = fc.array(
    fc.tuple(fc.constantFrom(ANA, BEN, 'DE.Cem1' as UserId, undefined), fc.nat(9)).map(([other, step]): CustomerFact => {
      const at = AT + step * CONFIRM_PAIR_MS
      return other === undefined ? { _tag: 'Ended', at } : paired(other, at)
    }),
    { minLength: 1, maxLength: 8 },
  )

  it('is the same pair, in whatever order and however often reports come', () => {
    fc.assert(fc.property(withRedeliveries(pairs), ([facts, delivered]) => {
      assert.equal(learned(delivered).other, learned(facts).other)
    }))
  })

  it('is the pair of the latest report, and of two in one moment that of the greater id', () => {
    fc.assert(fc.property(pairs, (facts) => {
      const rankOf = (fact: CustomerFact): string => `${fact.at} ${fact._tag === 'Paired' ? fact.other : ''}`
      const latest = [...facts].sort((a, b) => (rankOf(a) < rankOf(b) ? 1 : -1))[0]
      assert.equal(learned(facts).other, latest?._tag === 'Paired' ? latest.other : undefined)
    }))
  })

  it('never lets a message before a report that contradicts the pair count for it', () => {
    fc.assert(fc.property(withRedeliveries(pairs), ([facts, delivered]) => {
      const { other, since = -1 } = learned(delivered)
      const contradicted = facts.filter((fact) => fact._tag !== 'Paired' || fact.other !== other).map(({ at }) => at)
      if (other !== undefined) for (const at of contradicted) assert.isAtLeast(since, at)
    }))
  })

  it('changes nothing when a report comes again', () => {
    fc.assert(fc.property(pairs, (facts) => {
      const record = learned(facts)
      const repeated = facts.slice(-1).reduce(recordFact, record)
      assert.strictEqual(repeated, record)
    }))
  })

  it('notes the same pair again after an hour, and not before', () => {
    const first = learned([paired(ANA, AT)])
    assert.strictEqual(recordFact(first, paired(ANA, AT + CONFIRM_PAIR_MS - 1)), first)
    assert.strictEqual(recordFact(first, paired(ANA, AT - CONFIRM_PAIR_MS)), first)
    const confirmed = recordFact(first, paired(ANA, AT + CONFIRM_PAIR_MS))
    assert.equal(confirmed.confirmedAt, AT + CONFIRM_PAIR_MS)
    assert.equal(recordFact(confirmed, paired(BEN, AT + 1)).other, ANA)
  })

  it('takes a shared number only as long as the platform has reported nothing, in whatever order', () => {
    const facts: ReadonlyArray<CustomerFact> = [
      paired(ANA, AT), { _tag: 'Shared', other: BEN, at: AT + 5 }, { _tag: 'Shared', other: BEN, at: AT - 5 },
    ]
    fc.assert(fc.property(fc.array(fc.nat(99), { minLength: 3, maxLength: 3 }), (ranks) => {
      const { other, since, isShared } = learned(inOrder(facts, ranks))
      assert.deepEqual([other, since, isShared], [ANA, undefined, undefined])
    }))
    const shared = learned([{ _tag: 'Shared', other: BEN, at: AT }])
    assert.deepEqual([shared.other, shared.isShared], [BEN, true])
    assert.strictEqual(recordFact(shared, { _tag: 'Shared', other: BEN, at: AT }), shared)
    assert.isUndefined(recordFact(shared, { _tag: 'Ended', at: AT - 1 }).other)
  })

  it('keeps the latest names and the latest choice about marketing', () => {
    const record = learned([
      { _tag: 'Named', name: 'Ana', at: AT }, { _tag: 'Named', username: 'ana', at: AT + 1 }, { _tag: 'Named', name: 'Anna', at: AT - 1 },
      { _tag: 'MarketingStopped', at: AT + 1 }, { _tag: 'MarketingResumed', at: AT },
    ])
    assert.deepEqual([record.name, record.username, record.optedOut], ['Ana', 'ana', true])
  })
})

describe('A customer', () => {
  const ofNumber = (facts: ReadonlyArray<CustomerFact>, others: ReadonlyArray<CustomerFact> = []) =>
    customerOf(NUMBER, { own: learned(facts), other: learned(others) })
  const ofUser = (facts: ReadonlyArray<CustomerFact>, others: ReadonlyArray<CustomerFact> = []) =>
    customerOf(ANA, { own: learned(facts), other: learned(others) })

  it('is known by one id if nothing is known of it', () => {
    assert.deepInclude(ofNumber([]), { phoneNumber: NUMBER, userId: undefined, optedOut: false, numberSince: undefined })
    assert.deepInclude(ofUser([]), { phoneNumber: undefined, userId: ANA, optedOut: false, numberSince: undefined })
  })

  it('is known by two ids if each record names the other id', () => {
    assert.deepInclude(ofNumber([paired(ANA, AT)], [paired(NUMBER, AT)]), { phoneNumber: NUMBER, userId: ANA })
    assert.deepInclude(ofUser([paired(NUMBER, AT)], [paired(ANA, AT)]), { phoneNumber: NUMBER, userId: ANA })
  })

  it('is known by two ids if a record names a variant of the number', () => {
    const [variant, other] = ['5215512345678', '525512345678'] as [PhoneNumber, PhoneNumber]
    const { phoneNumber, userId } = customerOf(variant, { own: learned([paired(ANA, AT)]), other: learned([paired(other, AT)]) })
    assert.deepEqual([phoneNumber, userId], [other, ANA])
    assert.equal(recordKeyOf(variant), recordKeyOf(other))
  })

  it('is known by one id if the other one names another customer, and the number counts from that moment on', () => {
    const others = [paired('4915550002' as PhoneNumber, AT + 7)]
    assert.deepInclude(ofNumber([paired(ANA, AT)], others), { phoneNumber: NUMBER, userId: undefined, numberSince: AT + 7 })
    assert.deepInclude(ofUser([paired(NUMBER, AT)], [paired(BEN, AT + 7)]), { phoneNumber: undefined, userId: ANA })
  })

  it('has left a number in between if its user id was seen with another one', () => {
    const others = [paired(NUMBER, AT), paired('4915550002' as PhoneNumber, AT + 1), paired(NUMBER, AT + 2)]
    assert.deepInclude(ofNumber([paired(ANA, AT)], others), { userId: ANA, numberSince: AT + 2 })
  })

  it('who had the number before has not stopped marketing for who has it now', () => {
    const stopped: CustomerFact = { _tag: 'MarketingStopped', at: AT + 1 }
    assert.isTrue(ofNumber([paired(ANA, AT), stopped], [paired(NUMBER, AT)]).optedOut)
    assert.isFalse(ofNumber([paired(BEN, AT), stopped, paired(ANA, AT + 2)], [paired(NUMBER, AT + 2)]).optedOut)
    assert.isTrue(ofNumber([paired(BEN, AT), paired(ANA, AT + 2)], [paired(NUMBER, AT + 2), { ...stopped, at: AT + 3 }]).optedOut)
  })

  it('is counted by the user id if there is one', () => {
    assert.equal(countedIdOf({ phoneNumber: NUMBER, userId: ANA }), ANA)
    assert.equal(countedIdOf({ phoneNumber: NUMBER }), NUMBER)
    assert.isUndefined(countedIdOf({}))
  })
})

describe('A user id', () => {
  it('is a country, a dot, perhaps ENT., and up to 128 letters and digits', () => {
    for (const id of ['DE.1', 'US.13491208655302741918', 'BR.ENT.aZ9', `DE.${'x'.repeat(128)}`, `DE.ENT.${'x'.repeat(128)}`]) {
      assert.equal(parseUserId(id), id)
      assert.deepEqual(parseCustomerId(id), { _tag: 'Right', right: id as UserId })
    }
    for (const id of [
      '', 'DE', 'DE.', 'de.1', 'DEU.1', 'DE.1.2', 'DE.ENT.', 'DE.é', 'DE.1 ', '4915550001', `DE.${'x'.repeat(129)}`, 'DE.1\n',
      '49.15550001', 1, null,
    ]) {
      assert.isUndefined(parseUserId(id), String(id))
    }
  })

  it('is priced as a number of its country is', () => {
    const prices: RateCard['default'] = { marketing: 9n, utility: 9n, authentication: 9n, service: 9n }
    const markets = Object.entries({ 49: 1n, 1: 2n, 1787: 3n, 7: 4n, 77: 5n }).map(([prefix, service]) => [prefix, { service }] as const)
    const card: RateCard = {
      effective: '2026-10-01', currency: 'EUR' as Currency, templateCategory: 'utility', default: prices, markets: new Map(markets),
    }
    const priceOf = (to: string): bigint => priceOn(card, { _tag: 'Text', to: to as CustomerId, text: 'Hello' }).micros
    assert.deepEqual(['DE.4', 'US.1', 'CA.1', 'PR.1', 'RU.1', 'FR.1', 'ZZ.49'].map(priceOf), [1n, 2n, 2n, 3n, 4n, 9n, 9n])
    assert.equal(priceOf('DE.ENT.4'), priceOf('4915550001'))
  })
})
