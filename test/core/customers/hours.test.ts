import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type GivenHours, type Hours, nextAllowed, parseHours, WEEKDAYS } from '../../../core/customers/hours.js'
import { type Zone, zonesOf } from '../../../core/customers/time-zones.js'
import type { PhoneNumber } from '../../../core/customers/customer.js'
import { DAY_MS, type Instant, MINUTE_MS } from '../../../core/kernel/time.js'
import { numbersFrom } from '../../laws/ids.js'
import { rightOf } from '../../support/right-of.js'

const DAYTIME: GivenHours = { from: '09:00', to: '20:00' }
const [BERLIN, NEW_YORK] = ['Europe/Berlin' as Zone, 'America/New_York' as Zone]

const hours = (given: Partial<GivenHours> = {}): Hours => rightOf(parseHours({ ...DAYTIME, ...given }))

/** The first instant inside the hours, as ISO 8601; `undefined` if there is none. */
const next = (given: Partial<GivenHours>, zones: ReadonlyArray<Zone>, at: string): string | undefined => {
  const found = nextAllowed(hours(given), zones, Date.parse(at))
  return E.isRight(found) ? new Date(found.right).toISOString().replace(':00.000Z', 'Z') : undefined
}

describe("Hours in which messages may reach a customer", () => {
  it('are read with all days and the zone of the customer, unless others are given', () => {
    const { from, to, days, timezone } = hours()
    assert.deepEqual([from, to, [...days], timezone], [540, 1_200, [...WEEKDAYS], 'customer'])
    assert.equal(hours({ timezone: 'europe/berlin' }).timezone, 'Europe/Berlin')
    assert.deepEqual([hours({ to: '24:00' }).to, [...hours({ days: ['sun', 'sun'] }).days]], [1_440, ['sun']])
  })

  for (const [what, given, field] of [
    ['an hour that does not exist', { from: '24:01' }, 'from'],
    ['the end of a day as the beginning', { from: '24:00' }, 'from'],
    ['a time without its zero', { from: '9:00' }, 'from'],
    ['a time with seconds', { to: '20:00:00' }, 'to'],
    ['an empty span', { to: '09:00' }, 'to'],
    ['no days', { days: [] }, 'days'],
    ['an unknown day', { days: ['mon', 'monday'] }, 'days'],
    ['an unknown zone', { timezone: 'Europe/Atlantis' }, 'timezone'],
    ['an offset in place of a zone', { timezone: '+01:00' }, 'timezone'],
    ['an empty zone', { timezone: '' }, 'timezone'],
  ] as const) {
    it(`are refused with ${what}`, () => {
      const read = parseHours({ ...DAYTIME, ...given })
      assert.isTrue(E.isLeft(read))
      if (E.isLeft(read)) assert.deepInclude(read.left, { _tag: 'InvalidHours', field })
    })
  }
})

describe('The next instant inside the hours', () => {
  it('is now if now is inside, to the millisecond, and otherwise the beginning of the next hours', () => {
    const at = Date.parse('2026-03-02T10:11:12.345Z')
    assert.deepEqual(nextAllowed(hours(), [BERLIN], at), E.right(at))
    assert.equal(next({}, [BERLIN], '2026-03-02T07:59:59.999Z'), '2026-03-02T08:00Z')
    assert.equal(next({}, [BERLIN], '2026-03-02T19:00:00.000Z'), '2026-03-03T08:00Z')
    assert.equal(next({ days: ['mon'] }, [BERLIN], '2026-03-02T19:00:00Z'), '2026-03-09T08:00Z')
  })

  it('is after midnight too if the hours go over it, on the day after one of their days', () => {
    const night = { from: '22:00', to: '06:00', days: ['fri'] }
    for (const [at, found] of [
      ['2026-03-06T20:00:00Z', '2026-03-06T21:00Z'], ['2026-03-07T04:59:00Z', '2026-03-07T04:59Z'],
      ['2026-03-07T05:00:00Z', '2026-03-13T21:00Z'], ['2026-03-06T02:00:00Z', '2026-03-06T21:00Z'],
    ] as const) assert.equal(next(night, [BERLIN], at), found, at)
  })

  it('is inside the hours of all zones, and unknown if these do not overlap', () => {
    assert.equal(next({}, [BERLIN, NEW_YORK], '2026-03-02T09:00:00Z'), '2026-03-02T14:00Z')
    assert.equal(next({ days: ['mon'] }, [BERLIN, NEW_YORK], '2026-03-02T19:30:00Z'), '2026-03-09T13:00Z')
    assert.isUndefined(next({}, [BERLIN, 'Pacific/Auckland' as Zone], '2026-03-02T09:00:00Z'))
    assert.isUndefined(next({ from: '09:00', to: '10:00' }, [BERLIN, NEW_YORK], '2026-03-02T09:00:00Z'))
  })

  it('begins after an hour that the clocks skip, and comes twice in one that they repeat', () => {
    const skipped = { from: '02:15', to: '03:30' }
    assert.equal(next(skipped, [BERLIN], '2026-03-29T00:30:00Z'), '2026-03-29T01:00Z')
    assert.equal(next({ from: '02:15', to: '02:45' }, [BERLIN], '2026-03-29T00:30:00Z'), '2026-03-30T00:15Z')
    const repeated = { from: '02:15', to: '02:45' }
    assert.equal(next(repeated, [BERLIN], '2026-10-24T23:00:00Z'), '2026-10-25T00:15Z')
    assert.equal(next(repeated, [BERLIN], '2026-10-25T00:50:00Z'), '2026-10-25T01:15Z')
    assert.equal(next(repeated, [BERLIN], '2026-10-25T01:50:00Z'), '2026-10-26T01:15Z')
  })

  it('finds an hour that is inside the hours in every zone of Russia, and several for Australia', () => {
    for (const [number, found] of [['79161234567', '2026-11-30T07:00Z'], ['61412345678', '2026-11-30T02:30Z']] as const) {
      assert.equal(next({}, rightOf(zonesOf(number as PhoneNumber)), '2026-11-29T23:00:00Z'), found)
    }
  })
})

/** Changes of clocks: of an hour, of half an hour, backwards in summer, and none. */
const CHANGES: ReadonlyArray<readonly [zone: string, day: string]> = [
  ['Europe/Berlin', '2026-03-29'], ['Europe/Berlin', '2026-10-25'], ['America/New_York', '2026-11-01'],
  ['Australia/Lord_Howe', '2026-04-05'], ['Australia/Lord_Howe', '2026-10-04'], ['Africa/Casablanca', '2026-02-15'],
  ['America/Santiago', '2026-09-06'], ['Asia/Kathmandu', '2026-06-01'], ['Pacific/Apia', '2011-12-30'],
]

/** The local weekday and minute of each minute of some days, as `Intl` shows them. */
const clockOf = (zone: string, from: Instant, minutes: number): ReadonlyArray<{ readonly day: number; readonly minute: number }> => {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23',
  })
  return Array.from({ length: minutes }, (_, index) => {
    const [, day = '', hour, minute] = /^(\w+),? (\d+):(\d+)$/.exec(format.format(from + index * MINUTE_MS)) ?? []
    return { day: WEEKDAYS.findIndex((one) => one === day.toLowerCase()), minute: Number(hour) * 60 + Number(minute) }
  })
}

describe('The next instant inside random hours, around a change of clocks', () => {
  const text = (minute: number): string => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

  for (const [index, [zone, day]] of CHANGES.entries()) {
    it(`of ${zone} on ${day} is the first minute that a look at each minute finds`, () => {
      const random = numbersFrom(index + 1)
      const begin = Date.parse(`${day}T00:00:00Z`) - 2 * DAY_MS
      const clock = clockOf(zone, begin, 11 * 1_440)
      for (let round = 0; round < 200; round += 1) {
        const from = Math.floor(random() * 1_440)
        const to = (from + 1 + Math.floor(random() * 1_439 * (round % 2 === 0 ? 1 : 0.05))) % 1_440
        const days = WEEKDAYS.filter(() => random() < 0.6)
        if (days.length === 0 || from === to) continue
        const isDay = (one: number): boolean => days.some((name) => WEEKDAYS.indexOf(name) === (one + 7) % 7)
        const inside = ({ day: today, minute }: { readonly day: number; readonly minute: number }): boolean =>
          (from < to
            ? isDay(today) && minute >= from && minute < to
            : (isDay(today) && minute >= from) || (isDay(today - 1) && minute < to))
        const now = begin + Math.floor(random() * 3 * DAY_MS)
        const start = Math.floor((now - begin) / MINUTE_MS)
        const first = clock.findIndex((one, at) => at >= start && inside(one))
        if (first < 0 || first * MINUTE_MS > now - begin + 8 * DAY_MS) continue
        const expected = first === start ? now : begin + first * MINUTE_MS
        const found = nextAllowed(hours({ from: text(from), to: text(to), days }), [zone as Zone], now)
        const promise = `${text(from)} to ${text(to)} on ${days.join(', ')}, from ${new Date(now).toISOString()}`
        assert.deepEqual(found, E.right(expected), promise)
      }
    })
  }
})
