import * as E from 'fp-ts/lib/Either.js'
import { canonicalOf, parsePhoneNumber, parseWrittenPhoneNumber, type PhoneNumber } from './phone-number.js'
import type { InvalidPhoneNumber } from './invalid.js'
import { HOUR_MS, type Instant } from './time.js'
import { parseUserId, type UserId } from './user-id.js'

/** What names a customer: a phone number or a user id. */
export type CustomerId = PhoneNumber | UserId

/** The ids under which one report names one customer; at least one of them. */
export type CustomerIds = { readonly phoneNumber?: PhoneNumber | undefined; readonly userId?: UserId | undefined }

/** The id for which a message counts: the user id if there is one. A number can pass to another person, a user id does not. */
export const countedIdOf = ({ phoneNumber, userId }: CustomerIds): CustomerId | undefined => userId ?? phoneNumber

/** Whether an id is a user id; otherwise it is a phone number. */
export const isUserId = (id: CustomerId): id is UserId => parseUserId(id) !== undefined

/** Reads an id: a user id, or a phone number written as digits only. */
export const parseCustomerId = (text: string): E.Either<InvalidPhoneNumber, CustomerId> => orUserId(text, parsePhoneNumber)

/** Reads an id: a user id, or a phone number as people write it. */
export const parseWrittenCustomerId = (text: string): E.Either<InvalidPhoneNumber, CustomerId> => orUserId(text, parseWrittenPhoneNumber)

const orUserId = (
  text: string, parseNumber: (text: string) => E.Either<InvalidPhoneNumber, PhoneNumber>,
): E.Either<InvalidPhoneNumber, CustomerId> => {
  const userId = parseUserId(text)
  return userId === undefined ? parseNumber(text) : E.right(userId)
}

/** The id under which a record is kept: variants of one phone number share a record. */
export const recordKeyOf = (id: CustomerId): CustomerId => (isUserId(id) ? id : canonicalOf(id))

/**
 * What is known of one id within a workspace. A customer who is known by two ids has a record for each.
 *
 * Moments are those that the platform states of its reports.
 */
export type IdRecord = {
  /** The other id of the same customer by the latest report; none where no report named one, or the pair has ended. */
  readonly other?: CustomerId | undefined
  /** The moment of the report that said so, or that ended the pair. */
  readonly pairedAt?: Instant | undefined
  /** The latest moment of a report that named the same pair again, to within an hour. */
  readonly confirmedAt?: Instant | undefined
  /** The customer named the other id and the platform did not; whatever the platform reports replaces it. */
  readonly isShared?: true | undefined
  /** Up to this moment the id may have belonged to another person. */
  readonly since?: Instant | undefined
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly namedAt?: Instant | undefined
  /** Whether the customer stopped marketing messages. */
  readonly optedOut?: boolean | undefined
  readonly optedOutAt?: Instant | undefined
}

/** What a report says of one id. */
export type CustomerFact =
  /** The platform named both ids of one customer. */
  | { readonly _tag: 'Paired'; readonly other: CustomerId; readonly at: Instant }
  /** A customer shared a phone number; it is taken only where no pair is known, since it is the customer who says so. */
  | { readonly _tag: 'Shared'; readonly other: CustomerId; readonly at: Instant }
  /** The id no longer belongs to the customer who had it. */
  | { readonly _tag: 'Ended'; readonly at: Instant }
  | { readonly _tag: 'Named'; readonly name?: string | undefined; readonly username?: string | undefined; readonly at: Instant }
  | { readonly _tag: 'MarketingStopped' | 'MarketingResumed'; readonly at: Instant }

/** An id of which nothing is known. */
export const NOTHING_KNOWN: IdRecord = {}

/** Whether a record says nothing. */
export const isNothingKnown = (record: IdRecord): boolean => Object.values(record).every((value) => value === undefined)

/** Only so often the same pair is noted again. No number passes to another person and back in that time. */
export const CONFIRM_PAIR_MS = HOUR_MS

/**
 * A record after a fact; the same object where the fact changes nothing.
 *
 * Reports arrive in any order and more than once: the latest by the platform's moments counts, and of two in one moment the greater id. What the
 * platform reports counts before what a customer shared. Each report that contradicts the pair moves `since`, so that nothing that was recorded
 * for the person before counts for the one after.
 */
export const learnFact = (before: IdRecord, fact: CustomerFact): IdRecord => {
  switch (fact._tag) {
    case 'Paired': return paired(before.isShared ? withoutPair(before) : before, fact.other, fact.at)
    case 'Shared': return shared(before, fact.other, fact.at)
    case 'Ended': return ended(before.isShared ? withoutPair(before) : before, fact.at)
    case 'Named': return named(before, fact)
    case 'MarketingStopped': case 'MarketingResumed': return chosen(before, fact._tag === 'MarketingStopped', fact.at)
  }
}

const withoutPair = (before: IdRecord): IdRecord => ({ ...before, other: undefined, pairedAt: undefined, confirmedAt: undefined, isShared: undefined })

const shared = (before: IdRecord, other: CustomerId, at: Instant): IdRecord => {
  if (before.pairedAt !== undefined && !before.isShared) return before
  const after = paired(before, other, at)
  return after === before ? before : { ...after, isShared: true }
}

const paired = (before: IdRecord, other: CustomerId, at: Instant): IdRecord => {
  const { other: known, pairedAt, confirmedAt = pairedAt } = before
  if (pairedAt === undefined || confirmedAt === undefined) return { ...before, other, pairedAt: at }
  if (known !== undefined && recordKeyOf(known) === recordKeyOf(other)) {
    return at < confirmedAt + CONFIRM_PAIR_MS ? before : { ...before, confirmedAt: at }
  }
  const isLater = at > confirmedAt || (at === confirmedAt && (known === undefined || other > known))
  if (!isLater) return separated(before, at < pairedAt ? pairedAt : confirmedAt)
  return { ...before, other, pairedAt: at, confirmedAt: undefined, since: latest(before.since, at) }
}

const ended = (before: IdRecord, at: Instant): IdRecord => {
  const { other, pairedAt, confirmedAt = pairedAt } = before
  if (pairedAt === undefined || confirmedAt === undefined || at > confirmedAt) {
    return { ...before, other: undefined, pairedAt: at, confirmedAt: undefined, since: latest(before.since, at) }
  }
  return other === undefined && at === pairedAt ? before : separated(before, at < pairedAt ? pairedAt : confirmedAt)
}

const separated = (before: IdRecord, at: Instant): IdRecord =>
  before.since !== undefined && before.since >= at ? before : { ...before, since: at }

const named = (before: IdRecord, { name, username, at }: CustomerFact & { readonly _tag: 'Named' }): IdRecord => {
  if (before.namedAt !== undefined && before.namedAt > at) return before
  const after = { name: name ?? before.name, username: username ?? before.username }
  return after.name === before.name && after.username === before.username ? before : { ...before, ...after, namedAt: at }
}

const chosen = (before: IdRecord, optedOut: boolean, at: Instant): IdRecord =>
  before.optedOutAt !== undefined && before.optedOutAt >= at ? before : { ...before, optedOut, optedOutAt: at }

const latest = (a: Instant | undefined, b: Instant): Instant => Math.max(a ?? b, b)

/** What is known of an id, and of the id that its record names as the other one. */
export type KnownId = { readonly own: IdRecord; readonly other: IdRecord }

/** A customer: every id that is known, and what is known under them. */
export type Customer = CustomerIds & {
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly optedOut: boolean
  /** What was recorded for the phone number up to this moment does not count for this customer. */
  readonly numberSince?: Instant | undefined
}

/**
 * The customer whom an id names. Two ids are one customer only where the record of each names the other.
 *
 * Of the variants of a phone number, the one that the platform reported is given, where it is known.
 */
export const customerOf = (id: CustomerId, { own, other }: KnownId): Customer => {
  const isPair = own.other !== undefined && other.other !== undefined && recordKeyOf(other.other) === recordKeyOf(id)
  const ids = isPair ? [own.other, other.other] : [id]
  const [phoneNumber, userId] = [ids.find(isPhoneNumber), ids.find(isUserId)]
  const number = phoneNumber && (isUserId(id) ? other : own)
  const numberSince = number && sinceOf(number, isPair, isUserId(id) ? own : other)
  const known = isPair ? [own, other] : [own]
  const counted = (moment: 'namedAt' | 'optedOutAt'): ReadonlyArray<IdRecord> =>
    known.filter((record) => record !== number || numberSince === undefined || (record[moment] ?? 0) > numberSince)
      .sort((a, b) => (b[moment] ?? 0) - (a[moment] ?? 0))
  const names = counted('namedAt')
  return {
    phoneNumber, userId, numberSince,
    name: names.find(({ name }) => name !== undefined)?.name,
    username: names.find(({ username }) => username !== undefined)?.username,
    optedOut: counted('optedOutAt').find(({ optedOut }) => optedOut !== undefined)?.optedOut ?? false,
  }
}

const isPhoneNumber = (id: CustomerId): id is PhoneNumber => !isUserId(id)

/** What contradicts the pair of the other id contradicts this one, and so does another number of the other id: that customer has left this number. */
const sinceOf = (number: IdRecord, isPair: boolean, other: IdRecord): Instant | undefined => {
  const moments = number.other === undefined ? [number.since] : [number.since, other.since, isPair ? undefined : other.pairedAt]
  return moments.reduce((later, moment) => (moment === undefined ? later : latest(later, moment)), undefined)
}
