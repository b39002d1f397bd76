import fc from 'fast-check'
import {
  CONFIRM_PAIR_MS, type CustomerId, type CustomerIds, type PhoneNumber, recordKeyOf, type UserId,
} from '../../core/customers/customer.js'
import { HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import { messageIdOf, type PlatformId } from '../../core/messages/message.js'
import type { CustomerReport, Inbound } from '../../core/reports/receive.js'
import type { StatusReport } from '../../core/reports/status.js'
import { senderIdOf } from '../../core/senders/sender.js'

// A world of real persons, who write, and whose ids change. What the platform reports of them is all that the gateway knows.

/** What happens to a person. */
export type Happening =
  | { readonly _tag: 'Writes'; readonly person: number; readonly shows: 'both' | 'userId' | 'number' }
  | { readonly _tag: 'IsSentTo'; readonly person: number }
  | { readonly _tag: 'SharesNumber'; readonly person: number }
  /** The person takes a number, which another person may have until then; `announced` says whether the platform reports it. */
  | {
      readonly _tag: 'TakesNumber'
      readonly person: number
      readonly number: number
      readonly newUserId: boolean
      readonly announced: boolean
    }
  | { readonly _tag: 'GetsUserId'; readonly person: number; readonly announced: boolean }

/** A happening, and how much later than the one before it happens. */
export type Step = Happening & { readonly later: Instant }

const PERSONS = 3
/** Two of them are variants that could be the same number, were they not written alike. */
const NUMBERS = ['4915550001', '5215512345678', '4915550002', '15550003'] as ReadonlyArray<string> as ReadonlyArray<PhoneNumber>

/** A number comes back to a person only after so long. */
const COMES_BACK_AFTER_MS = CONFIRM_PAIR_MS

const person = fc.constantFrom(0, 0, 1, 1, 2)
/** Most changes are about one number, so that it often passes on and comes back. */
const number = fc.constantFrom(0, 0, 0, 0, 1, 2, 3)
const later = fc.constantFrom(SECOND_MS, 5 * SECOND_MS, 10 * MINUTE_MS, HOUR_MS, 7 * HOUR_MS, 30 * HOUR_MS)

/** Steps of a world; in an announced one the platform reports every change of ids. */
export const worldSteps = (isAnnounced: boolean): fc.Arbitrary<ReadonlyArray<Step>> => {
  const announced = isAnnounced ? fc.constant(true) : fc.boolean()
  const happening = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        _tag: fc.constant('Writes' as const), person, shows: fc.constantFrom('both' as const, 'userId' as const, 'number' as const),
      }),
    },
    { weight: 2, arbitrary: fc.record({ _tag: fc.constant('IsSentTo' as const), person }) },
    { weight: 1, arbitrary: fc.record({ _tag: fc.constant('SharesNumber' as const), person }) },
    { weight: 3, arbitrary: fc.record({ _tag: fc.constant('TakesNumber' as const), person, number, newUserId: fc.boolean(), announced }) },
    { weight: 1, arbitrary: fc.record({ _tag: fc.constant('GetsUserId' as const), person, announced }) },
  )
  return fc.array(fc.tuple(happening, later).map(([one, after]) => ({ ...one, later: after })), { minLength: 1, maxLength: 16 })
}

/** A time during which a person had a number; open at the end while it lasts. */
type Stint = { readonly person: number; readonly number: PhoneNumber; readonly from: Instant; to: Instant }

type Report = Inbound | StatusReport | CustomerReport

/** A report, and the person whom it is about. */
export type Delivered = { readonly person: number; readonly at: Instant; readonly report: Report }

/** Everything that happened. */
export type World = {
  readonly delivered: ReadonlyArray<Delivered>
  readonly end: Instant
  readonly writes: ReadonlyArray<{ readonly person: number; readonly at: Instant }>
  readonly stints: ReadonlyArray<Stint>
  /** The ids of each person at the end. */
  readonly idsNow: ReadonlyArray<CustomerIds>
  /** Every id that there ever was, with its person where it is a user id. */
  readonly userIds: ReadonlyMap<UserId, number>
  readonly numbers: ReadonlyArray<PhoneNumber>
}

const START = Date.UTC(2026, 9, 1)
const FOREVER = Number.MAX_SAFE_INTEGER
const SENDER = senderIdOf('the sender')

/** Lets the steps happen. At first everyone has an own number, and the platform reports each person once by both ids. */
export const makeWorld = (steps: ReadonlyArray<Step>): World => {
  const delivered: Delivered[] = []
  const writes: Array<{ person: number; at: Instant }> = []
  const userIds = new Map<UserId, number>()
  const newUserId = (of: number): UserId => {
    const id = `DE.${'abc'[of]}${userIds.size}X` as UserId
    userIds.set(id, of)
    return id
  }
  const stints: Stint[] = Array.from(
    { length: PERSONS }, (_, of) => ({ person: of, number: NUMBERS[of] as PhoneNumber, from: START, to: FOREVER }),
  )
  const userIdNow = stints.map((_, of) => newUserId(of))
  let now = START

  const stintOf = (of: number): Stint | undefined => stints.find((stint) => stint.person === of && stint.to === FOREVER)
  const ids = (of: number): CustomerIds => ({ phoneNumber: stintOf(of)?.number, userId: userIdNow[of] })
  const tell = (of: number, report: Report): void => { delivered.push({ person: of, at: now, report }) }
  const status = (of: number): void => tell(of, {
    _tag: 'StatusReport', phoneNumberId: SENDER, messageId: messageIdOf('01890000-0000-7000-8000-000000000000'),
    platformId: 'wamid.x' as PlatformId, change: { state: 'delivered', at: now }, customer: ids(of),
  })
  /** Changes a person's ids, and reports it where it is announced. */
  const change = (of: number, isAnnounced: boolean, act: () => void): void => {
    const before = ids(of)
    act()
    if (isAnnounced) tell(of, { _tag: 'IdsChanged', phoneNumberId: SENDER, before, after: ids(of), at: now })
  }

  for (let of = 0; of < PERSONS; of += 1) {
    now += SECOND_MS
    status(of)
  }
  for (const step of steps) {
    now += step.later
    const { person: of } = step
    switch (step._tag) {
      case 'Writes': {
        const { phoneNumber, userId } = ids(of)
        const shown = step.shows === 'userId' || phoneNumber === undefined ? { userId }
          : step.shows === 'number' ? { phoneNumber }
          : { phoneNumber, userId }
        writes.push({ person: of, at: now })
        tell(of, { _tag: 'Inbound', phoneNumberId: SENDER, customer: shown, at: now })
        break
      }
      case 'IsSentTo':
        status(of)
        break
      case 'SharesNumber': {
        const { phoneNumber, userId } = ids(of)
        if (phoneNumber !== undefined && userId !== undefined) {
          tell(of, { _tag: 'NumberShared', phoneNumberId: SENDER, phoneNumber, userId, at: now })
        }
        break
      }
      case 'GetsUserId':
        change(of, step.announced, () => { userIdNow[of] = newUserId(of) })
        break
      case 'TakesNumber': {
        const number = NUMBERS[step.number] as PhoneNumber
        const holder = stints.find((stint) => stint.number === number && stint.to === FOREVER)
        const hadIt = stints.some((stint) => stint.number === number && stint.person === of && stint.to > now - COMES_BACK_AFTER_MS)
        if (holder?.person === of || hadIt) break
        if (holder !== undefined) {
          change(holder.person, step.announced, () => { holder.to = now; userIdNow[holder.person] = newUserId(holder.person) })
        }
        now += SECOND_MS
        change(of, step.announced, () => {
          const own = stintOf(of)
          if (own !== undefined) own.to = now
          stints.push({ person: of, number, from: now, to: FOREVER })
          if (step.newUserId) userIdNow[of] = newUserId(of)
        })
        break
      }
    }
  }
  return { delivered, end: now, writes, stints, idsNow: stints.slice(0, PERSONS).map((_, of) => ids(of)), userIds, numbers: NUMBERS }
}

/** What a report says of the ids of its person: which it names together, and which end. */
type Said = {
  readonly person: number
  readonly at: Instant
  readonly names: CustomerIds
  readonly ends: CustomerIds
  readonly isShared: boolean
}

const saidBy = ({ person: of, at, report }: Delivered): Said => {
  const said = { person: of, at, names: {}, ends: {}, isShared: false }
  switch (report._tag) {
    case 'Inbound': return { ...said, names: report.customer }
    case 'StatusReport': return { ...said, names: report.customer ?? {} }
    case 'NumberShared': return { ...said, isShared: true }
    case 'IdsChanged': return {
      ...said, names: report.after,
      ends: {
        phoneNumber: report.before.phoneNumber === report.after.phoneNumber ? undefined : report.before.phoneNumber,
        userId: report.before.userId === report.after.userId ? undefined : report.before.userId,
      },
    }
    case 'MarketingPreference': return said
  }
}

/** A message that was taken for one of the person who has a number, or of `owner`. */
type Shown = { readonly number: PhoneNumber; readonly writer: number; readonly at: Instant; readonly owner: number | undefined }

/**
 * Whether reports show that a message under a number is not of the person for whom it counts; without such a report nothing could know it.
 *
 * With an owner, it counts for the owner's user id. Without one it counts for the person who has the number at the end.
 */
export const isRevealed = ({ delivered, stints, end }: World, { number, writer, at, owner }: Shown): boolean => {
  const said = delivered.map(saidBy)
  const isNumber = (id: CustomerId | undefined): boolean => id !== undefined && recordKeyOf(id) === recordKeyOf(number)
  const stintsOf = (of: number): ReadonlyArray<Stint> => stints.filter((stint) => stint.person === of && isNumber(stint.number))
  /** The user ids with which the platform named this number for a person. */
  const namedWith = (of: number): ReadonlyArray<UserId | undefined> =>
    said.filter(({ person: who, names }) => who === of && isNumber(names.phoneNumber)).flatMap(({ names }) => names.userId ?? [])
  /** Whether a report says that the number is another person's, that it ended, or that the user id that had it has another number or none. */
  const contradicts = ({ person: who, names, ends }: Said, of: number): boolean =>
    (who !== of && names.userId !== undefined && isNumber(names.phoneNumber)) ||
    isNumber(ends.phoneNumber) ||
    (who === of && namedWith(of).includes(names.userId) && names.phoneNumber !== undefined && !isNumber(names.phoneNumber)) ||
    (who === of && namedWith(of).includes(ends.userId))
  const isNotOf = (of: number): boolean => {
    const lost = Math.max(-Infinity, ...stintsOf(of).filter(({ to }) => to <= at).map(({ to }) => to))
    return namedWith(of).length > 0 && said.some((one) => one.at >= lost && contradicts(one, of))
  }
  const isNamed = (stint: Stint): boolean =>
    said.some(({ person: who, names, at: moment }) =>
      who === stint.person && names.userId !== undefined && isNumber(names.phoneNumber) && moment >= stint.from)
  if (owner !== undefined) return isNotOf(owner)
  const last = stintsOf(writer).reduce((a, b) => (a.to > b.to ? a : b))
  /** A name from before the writer came back to the number says nothing of the writer's later messages if a report had ended it by then. */
  const isKnown = said.some(({ person: who, names, at: moment }) =>
    who === writer && names.userId !== undefined && isNumber(names.phoneNumber)
    && !said.some((one) => one.at > moment && one.at < last.from && contradicts(one, writer)))
  const holder = stints.find((stint) => isNumber(stint.number) && stint.to > end)
  return (isKnown && last.to <= end && said.some((one) => one.at >= last.to && contradicts(one, writer))) ||
    (holder !== undefined && isNamed(holder) && isNotOf(holder.person))
}
