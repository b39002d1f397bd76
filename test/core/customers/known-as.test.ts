import { assert } from 'chai'
import fc from 'fast-check'
import {
  CONFIRM_PAIR_MS, type CustomerFact, customerOf, everyIdOf, forgetRecord, type IdRecord, isNothingKnown, lastReportOf, recordFact,
  NOTHING_KNOWN, othersUpTo, type PhoneNumber, recordKeyOf, type UserId,
} from '../../../core/customers/customer.js'
import { withRedeliveries } from '../delivery-orders.js'

const [DIALLED, OLD, OTHER] = ['2250707123456', '22507123456', '22501020304'] as [PhoneNumber, PhoneNumber, PhoneNumber]
const [ANA, BEN] = ['CI.Ana1' as UserId, 'CI.Ben1' as UserId]
const AT = Date.UTC(2026, 9, 1)

const learned = (...facts: ReadonlyArray<CustomerFact>): IdRecord => facts.reduce(recordFact, NOTHING_KNOWN)
const knownAs = (number: PhoneNumber | undefined, at: number): CustomerFact => ({ _tag: 'KnownAs', number, at })
const paired = (other: UserId | PhoneNumber, at: number): CustomerFact => ({ _tag: 'Paired', other, at })

describe('The number by which the platform knows a customer who is dialled under another one', () => {
  /** Reports that name different numbers are at least as far apart as the same one is confirmed; some are of one moment. */
  const facts = fc.array(
    fc.tuple(fc.constantFrom(OLD, OTHER, undefined), fc.nat(9)).map(([number, step]) => knownAs(number, AT + step * CONFIRM_PAIR_MS)),
    { minLength: 1, maxLength: 8 },
  )
  const numberIn = (fact: CustomerFact): PhoneNumber | undefined => (fact._tag === 'KnownAs' ? fact.number : undefined)
  const rankOf = (fact: CustomerFact): string => `${fact.at} ${numberIn(fact) ?? ''}`
  /** Of a number that was the platform's own from the start nothing is kept, so a report before the first other number counts for nothing. */
  const withFirst = withRedeliveries(facts).map(([all, delivered]) => [knownAs(OLD, AT - CONFIRM_PAIR_MS), all, delivered] as const)

  it('is that of the latest report, in whatever order and however often reports come', () => {
    fc.assert(fc.property(withFirst, ([first, all, delivered]) => {
      const latest = [...all].sort((a, b) => (rankOf(a) < rankOf(b) ? 1 : -1))[0]
      assert.equal(learned(first, ...delivered).knownAs, latest && numberIn(latest))
    }))
  })

  it('does not count for what was recorded before a report that contradicts it', () => {
    fc.assert(fc.property(withFirst, ([first, all, delivered]) => {
      const { knownAs: number, since = -1 } = learned(first, ...delivered)
      for (const fact of [first, ...all]) if (numberIn(fact) !== number) assert.isAtLeast(since, fact.at)
    }))
  })

  it('is not brought back by a report that is older than one that confirmed the number after it', () => {
    for (const late of [OTHER, undefined]) {
      const record = learned(knownAs(OLD, AT), knownAs(OLD, AT + 10 * CONFIRM_PAIR_MS), knownAs(late, AT + 5 * CONFIRM_PAIR_MS))
      assert.equal(record.knownAs, OLD)
      assert.equal(record.since, AT + 10 * CONFIRM_PAIR_MS - 1)
    }
    assert.isUndefined(learned(knownAs(OLD, AT), knownAs(undefined, AT + 10), knownAs(OLD, AT + 5)).knownAs)
  })

  it('is confirmed after an hour, and not before', () => {
    const first = learned(knownAs(OLD, AT))
    assert.strictEqual(recordFact(first, knownAs(OLD, AT + CONFIRM_PAIR_MS - 1)), first)
    assert.strictEqual(recordFact(first, knownAs(OLD, AT - CONFIRM_PAIR_MS)), first)
    const confirmed = recordFact(first, knownAs(OLD, AT + CONFIRM_PAIR_MS))
    assert.equal(lastReportOf(confirmed), AT + CONFIRM_PAIR_MS)
    assert.equal(confirmed.knownAsAt, AT)
    assert.isUndefined(confirmed.since)
  })

  it('is not noted as long as it is the dialled one', () => {
    assert.strictEqual(learned(knownAs(undefined, AT)), NOTHING_KNOWN)
  })

  it('is the dialled number again after a report that says so, and records older than the report no longer count', () => {
    const record = learned(knownAs(OLD, AT), knownAs(undefined, AT + 10))
    assert.deepInclude(record, { knownAs: undefined, knownAsAt: AT + 10, since: AT + 9 })
    assert.deepInclude(customerOf(DIALLED, { own: record, other: NOTHING_KNOWN }), { phoneNumber: DIALLED, numberSince: AT + 9 })
  })

  it('is the same in every variant', () => {
    const [variant, other] = ['5215512345678', '525512345678'] as [PhoneNumber, PhoneNumber]
    const record = learned(knownAs(variant, AT))
    assert.strictEqual(recordFact(record, knownAs(other, AT + 1)), record)
  })

  it('names the customer, with every number that leads there', () => {
    const [own, second] = [learned(knownAs(OLD, AT)), learned(knownAs(OLD, AT), knownAs(OTHER, AT + 1), knownAs(OLD, AT + 2))]
    const dialled = [{ number: DIALLED, record: own }, { number: OTHER, record: second }]
    const platform = { own: learned({ _tag: 'MarketingStopped', at: AT + 5 }), other: NOTHING_KNOWN, dialled }
    const customer = customerOf(DIALLED, { own, other: NOTHING_KNOWN, platform })
    assert.deepInclude(customer, { phoneNumber: OLD, userId: undefined, optedOut: true })
    assert.deepEqual(customer, customerOf(OLD, platform))
    assert.sameMembers([...everyIdOf(customer)], [OLD, DIALLED, OTHER])
    assert.deepEqual([OLD, DIALLED, OTHER, ANA].map((id) => othersUpTo(customer, id)), [undefined, undefined, AT + 1, undefined])
  })

  it('is that of a pair only if the platform names the user id with it', () => {
    const dialled = [{ number: DIALLED, record: learned(knownAs(OLD, AT)) }]
    const known = { own: learned(paired(ANA, AT)), other: learned(paired(OLD, AT)), dialled }
    assert.deepInclude(customerOf(OLD, known), { phoneNumber: OLD, userId: ANA })
    // The user id was seen with the dialled number, before that one was named by another number.
    const left = { own: learned(paired(DIALLED, AT)), other: learned(paired(ANA, AT), knownAs(OLD, AT + 1)) }
    assert.deepInclude(customerOf(ANA, left), { phoneNumber: undefined, userId: ANA })
  })

  it('does not count for what the user id of another customer did under the dialled number', () => {
    const record = learned(
      paired(BEN, AT), { _tag: 'MarketingStopped', at: AT + 3 }, knownAs(OLD, AT + 5), knownAs(OLD, AT + 5 + CONFIRM_PAIR_MS),
    )
    const dialled = [{ number: DIALLED, record }]
    const of = (userId: UserId) => customerOf(OLD, { own: learned(paired(userId, AT + 5)), other: learned(paired(OLD, AT + 5)), dialled })
    assert.deepInclude(of(ANA), { optedOut: false, dialled: [{ number: DIALLED, since: AT + 4 }] })
    assert.deepInclude(of(BEN), { optedOut: true, dialled: [{ number: DIALLED, since: undefined }] })
  })

  it('is kept as long as the customer is not sent marketing messages, and is a report of the customer until then', () => {
    const record = learned(knownAs(OLD, AT))
    assert.isFalse(isNothingKnown(record))
    assert.equal(lastReportOf(record), AT)
    assert.isUndefined(forgetRecord(record))
    const stopped = recordFact(record, { _tag: 'MarketingStopped', at: AT })
    assert.deepEqual(forgetRecord(recordFact(stopped, { _tag: 'Named', name: 'Ana', at: AT })), {
      ...stopped, name: undefined, username: undefined, namedAt: undefined,
    })
    assert.notEqual(recordKeyOf(DIALLED), recordKeyOf(OLD))
  })
})
