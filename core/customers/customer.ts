import * as E from 'fp-ts/lib/Either.js'
import { HOUR_MS, type Instant } from '../kernel/time.js'

/** The recipient of an authentication template is known only by a user id; the platform accepts such templates only for phone numbers. */
export type PhoneNumberRequired = { readonly _tag: 'PhoneNumberRequired' }

/** A number that is not E.164; `form` tells which notation was expected. */
export type InvalidPhoneNumber = {
  readonly _tag: 'InvalidPhoneNumber'
  readonly form: 'digits' | 'written'
  /** The number as digits, if only its notation is wrong. */
  readonly meant?: PhoneNumber
  /** The number has a zero in parentheses, which is dialled only within the country. Without it the number may be another one, so it is not repaired. */
  readonly hasTrunkZero?: true
}

/** The advice for a number that has a zero in parentheses. */
export const LEAVE_OUT_TRUNK_ZERO = 'Leave (0) out, because it is dialled only within the country'

/**
 * The calling codes of countries by ISO 3166, as ITU E.164 assigns them. For countries that share the code 1, the area code is included, so that
 * a rate card can distinguish them; if there are several area codes, it is the first. Source: <https://www.itu.int/pub/T-SP-E.164D>.
 */
const CODES = [
  'AC247 AD376 AE971 AF93 AG1268 AI1264 AL355 AM374 AO244 AR54 AS1684 AT43 AU61 AW297 AX358 AZ994 BA387 BB1246 BD880 BE32 BF226 BG359 BH973',
  'BI257 BJ229 BL590 BM1441 BN673 BO591 BQ599 BR55 BS1242 BT975 BW267 BY375 BZ501 CA1 CC61 CD243 CF236 CG242 CH41 CI225 CK682 CL56 CM237 CN86',
  'CO57 CR506 CU53 CV238 CW599 CX61 CY357 CZ420 DE49 DJ253 DK45 DM1767 DO1809 DZ213 EC593 EE372 EG20 EH212 ER291 ES34 ET251 FI358 FJ679 FK500',
  'FM691 FO298 FR33 GA241 GB44 GD1473 GE995 GF594 GG44 GH233 GI350 GL299 GM220 GN224 GP590 GQ240 GR30 GT502 GU1671 GW245 GY592 HK852 HN504',
  'HR385 HT509 HU36 ID62 IE353 IL972 IM44 IN91 IO246 IQ964 IR98 IS354 IT39 JE44 JM1876 JO962 JP81 KE254 KG996 KH855 KI686 KM269 KN1869 KP850',
  'KR82 KW965 KY1345 KZ7 LA856 LB961 LC1758 LI423 LK94 LR231 LS266 LT370 LU352 LV371 LY218 MA212 MC377 MD373 ME382 MF590 MG261 MH692 MK389',
  'ML223 MM95 MN976 MO853 MP1670 MQ596 MR222 MS1664 MT356 MU230 MV960 MW265 MX52 MY60 MZ258 NA264 NC687 NE227 NF672 NG234 NI505 NL31 NO47',
  'NP977 NR674 NU683 NZ64 OM968 PA507 PE51 PF689 PG675 PH63 PK92 PL48 PM508 PR1787 PS970 PT351 PW680 PY595 QA974 RE262 RO40 RS381 RU7 RW250',
  'SA966 SB677 SC248 SD249 SE46 SG65 SH290 SI386 SJ47 SK421 SL232 SM378 SN221 SO252 SR597 SS211 ST239 SV503 SX1721 SY963 SZ268 TA290 TC1649',
  'TD235 TG228 TH66 TJ992 TK690 TL670 TM993 TN216 TO676 TR90 TT1868 TV688 TW886 TZ255 UA380 UG256 US1 UY598 UZ998 VA39 VC1784 VE58 VG1284',
  'VI1340 VN84 VU678 WF681 WS685 XK383 YE967 YT262 ZA27 ZM260 ZW263',
].join(' ')

const CODE_OF: ReadonlyMap<string, string> = new Map(CODES.split(' ').map((entry) => [entry.slice(0, 2), entry.slice(2)]))

/** The calling code of a country, as digits; `undefined` if none is known. */
export const callingCodeOf = (country: string): string | undefined => CODE_OF.get(country)

const CODES_DIALLED: ReadonlySet<string> = new Set(Array.from(CODE_OF.values(), (code) => (code.startsWith('1') ? '1' : code)))

/** The calling code that a number begins with; `undefined` if it is unknown. No code is the beginning of another code, and North America has a single one. */
export const callingCodeIn = (number: PhoneNumber): string | undefined =>
  [1, 2, 3].map((length) => number.slice(0, length)).find((code) => CODES_DIALLED.has(code))

/** An E.164 number as digits without `+`: country code first, 7 to 15 digits. */
export type PhoneNumber = string & { readonly PhoneNumber: unique symbol }

/** The form of a number as digits only. */
export const PHONE_NUMBER_FORM = /^[1-9][0-9]{6,14}$/

/** A zero alone in parentheses, as in `+49 (0) 151 23456789`. */
export const TRUNK_ZERO = /\([ .-]*0[ .-]*\)/

/** The form of a number as people write it. A number must not match `TRUNK_ZERO` either. */
export const WRITTEN_PHONE_NUMBER_FORM = /^[ .()-]*(?:\+[ .()-]*)?[1-9](?:[ .()-]*[0-9]){6,14}[ .()-]*$/

const NOT_A_DIGIT = /[^0-9]/g

/** Reads a number written as digits only. */
export const parsePhoneNumber = (text: string): E.Either<InvalidPhoneNumber, PhoneNumber> => {
  if (PHONE_NUMBER_FORM.test(text)) return E.right(text as PhoneNumber)
  const written = parseWrittenPhoneNumber(text)
  return E.left({ ...(E.isRight(written) ? { _tag: 'InvalidPhoneNumber', meant: written.right } : written.left), form: 'digits' })
}

/** Reads a number as people write it: a leading `+` and the separators space, `-`, `.`, `(` and `)` are removed. */
export const parseWrittenPhoneNumber = (text: string): E.Either<InvalidPhoneNumber, PhoneNumber> =>
  WRITTEN_PHONE_NUMBER_FORM.test(text) && !TRUNK_ZERO.test(text)
    ? E.right(text.replace(NOT_A_DIGIT, '') as PhoneNumber)
    : E.left({ _tag: 'InvalidPhoneNumber', form: 'written', ...(TRUNK_ZERO.test(text) && { hasTrunkZero: true }) })

/** The number of a text in the program itself, such as a constant. Throws a `TypeError` if it is not one; use `parsePhoneNumber` for texts from outside. */
export const phoneNumberOf = (text: string): PhoneNumber => {
  const number = parseWrittenPhoneNumber(text)
  if (E.isLeft(number)) throw new TypeError('A phone number has its country code and 7 to 15 digits.')
  return number.right
}

/**
 * Countries whose mobile numbers are written with or without an extra digit, and both forms reach the same customer.
 *
 * The platform may report a customer under a variant other than the one dialled, and documents this as intended:
 * <https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages>.
 */
const VARIANTS: ReadonlyArray<readonly [variant: RegExp, other: string]> = [
  [/^521([0-9]{10})$/, '52$1'], // Mexico: reported with a 1 after the country code
  [/^52([0-9]{10})$/, '521$1'],
  [/^549([0-9]{10})$/, '54$1'], // Argentina: reported with a 9 after the country code
  [/^54([0-9]{10})$/, '549$1'],
  [/^55([0-9]{2})9([0-9]{8})$/, '55$1$2'], // Brazil: older accounts lack the ninth digit after the area code
  [/^55([0-9]{2})([0-9]{8})$/, '55$19$2'],
]

/** Every variant under which the platform may know a customer's number, the given one first. */
export const variantsOf = (number: PhoneNumber): ReadonlyArray<PhoneNumber> => {
  // The codes of all these countries begin with 5. Every lookup of a customer's window runs this check.
  if (!number.startsWith('5')) return [number]
  const found = VARIANTS.find(([variant]) => variant.test(number))
  return found === undefined ? [number] : [number, number.replace(...found) as PhoneNumber]
}

/** One of the variants of a number, the same for each of them. */
export const canonicalOf = (number: PhoneNumber): PhoneNumber => {
  const [first = number, second = first] = variantsOf(number)
  return second < first ? second : first
}

/**
 * The platform's id of a person, scoped to the business portfolio that sends: the ISO 3166 code of a country, a dot, and up to 128 letters and
 * digits. A parent id has `ENT.` after the dot. Letter case counts.
 *
 * Source: <https://developers.facebook.com/docs/whatsapp/business-scoped-user-ids>.
 */
export type UserId = string & { readonly UserId: unique symbol }

/** The form of a user id. */
export const USER_ID_FORM = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/

/** Reads a user id; `undefined` if the value is not one. */
export const parseUserId = (value: unknown): UserId | undefined =>
  typeof value === 'string' && USER_ID_FORM.test(value) ? (value as UserId) : undefined

/** The country of a user id, as two letters of ISO 3166. */
export const countryOf = (id: UserId): string => id.slice(0, 2)

/** The id of a customer: a phone number or a user id. */
export type CustomerId = PhoneNumber | UserId

/** The ids under which one report names one customer; at least one of them. */
export type CustomerIds = { readonly phoneNumber?: PhoneNumber | undefined; readonly userId?: UserId | undefined }

/** The id for which a message counts: the user id if there is one. A number can pass to another person; a user id cannot. */
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
 * The data about one id within a workspace. A customer who is known by two ids has a record for each.
 *
 * Timestamps are those that the platform states in its reports.
 */
export type IdRecord = {
  /** The other id of the same customer by the latest report; absent if no report named one, or if the pair has ended. */
  readonly other?: CustomerId | undefined
  /** The timestamp of the report that named the pair, or that ended it. */
  readonly pairedAt?: Instant | undefined
  /** The latest timestamp of a report that repeated the same pair, to within an hour. */
  readonly confirmedAt?: Instant | undefined
  /** The customer named the other id, not the platform; any report of the platform replaces it. */
  readonly isShared?: true | undefined
  /** Up to this time the id may have belonged to another person. */
  readonly since?: Instant | undefined
  /** The number by which the platform knows the customer who is dialled under this one; absent if it is the same number. */
  readonly knownAs?: PhoneNumber | undefined
  /** The timestamp of the report that named that number, or that named the dialled number itself again. */
  readonly knownAsAt?: Instant | undefined
  /** The latest timestamp of a report that repeated the same number, to within an hour. */
  readonly knownAsConfirmedAt?: Instant | undefined
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly namedAt?: Instant | undefined
  /** Whether the customer stopped marketing messages. */
  readonly optedOut?: boolean | undefined
  readonly optedOutAt?: Instant | undefined
}

/** The contents of a report about one id. */
export type CustomerFact =
  /** The platform named both ids of one customer. */
  | { readonly _tag: 'Paired'; readonly other: CustomerId; readonly at: Instant }
  /** A customer shared a phone number; it is used only if no pair is known, because it is only the customer's own statement. */
  | { readonly _tag: 'Shared'; readonly other: CustomerId; readonly at: Instant }
  /** The id no longer belongs to the customer who had it. */
  | { readonly _tag: 'Ended'; readonly at: Instant }
  /** The platform named the customer who is dialled under this number by another number, or by this number itself if `number` is absent. */
  | { readonly _tag: 'KnownAs'; readonly number?: PhoneNumber | undefined; readonly at: Instant }
  | { readonly _tag: 'Named'; readonly name?: string | undefined; readonly username?: string | undefined; readonly at: Instant }
  | { readonly _tag: 'MarketingStopped' | 'MarketingResumed'; readonly at: Instant }

/** An id without any known data. */
export const NOTHING_KNOWN: IdRecord = {}

/** Whether a record contains no data. */
export const isNothingKnown = (record: IdRecord): boolean => Object.values(record).every((value) => value === undefined)

/** How often the same pair is recorded again at most. No number passes to another person and back in that time. */
export const CONFIRM_PAIR_MS = HOUR_MS

/**
 * A record after a fact; the same object if the fact changes nothing.
 *
 * Reports arrive in any order and more than once. The latest by the platform's timestamps counts; of two with the same timestamp, the greater id. A report of
 * the platform precedes an id shared by a customer. Each report that contradicts the pair moves `since`, so that nothing recorded
 * for the previous person counts for the next one.
 */
export const recordFact = (before: IdRecord, fact: CustomerFact): IdRecord => {
  switch (fact._tag) {
    case 'Paired': return paired(before.isShared ? withoutPair(before) : before, fact.other, fact.at)
    case 'Shared': return shared(before, fact.other, fact.at)
    case 'Ended': return ended(before.isShared ? withoutPair(before) : before, fact.at)
    case 'KnownAs': return knownAs(before, fact)
    case 'Named': return named(before, fact)
    case 'MarketingStopped': case 'MarketingResumed': return chosen(before, fact._tag === 'MarketingStopped', fact.at)
  }
}

const withoutPair = (before: IdRecord): IdRecord => ({
  ...before, other: undefined, pairedAt: undefined, confirmedAt: undefined, isShared: undefined,
})

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

/** Usually the dialled number is the platform's own number, so this is stored only if another number was known. */
const knownAs = (before: IdRecord, { number, at }: CustomerFact & { readonly _tag: 'KnownAs' }): IdRecord => {
  const { knownAs: known, knownAsAt, knownAsConfirmedAt: confirmedAt = knownAsAt } = before
  if (knownAsAt === undefined || confirmedAt === undefined) {
    return number === undefined ? before : { ...before, knownAs: number, knownAsAt: at }
  }
  if (isSameNumber(known, number)) return at < confirmedAt + CONFIRM_PAIR_MS ? before : { ...before, knownAsConfirmedAt: at }
  // Both reports have the same timestamp, and data recorded at that time may be about either person.
  if (at === confirmedAt) {
    return separated(known === undefined || (number !== undefined && number > known) ? renumbered(before, number, at) : before, at)
  }
  // The later report is about the person whom the number leads to from then on, and data from that time counts for that person.
  return at > confirmedAt
    ? separated(renumbered(before, number, at), at - 1)
    : separated(before, (at < knownAsAt ? knownAsAt : confirmedAt) - 1)
}

const renumbered = (before: IdRecord, number: PhoneNumber | undefined, at: Instant): IdRecord =>
  ({ ...before, knownAs: number, knownAsAt: at, knownAsConfirmedAt: undefined })

const isSameNumber = (a: PhoneNumber | undefined, b: PhoneNumber | undefined): boolean => (a && canonicalOf(a)) === (b && canonicalOf(b))

const named = (before: IdRecord, { name, username, at }: CustomerFact & { readonly _tag: 'Named' }): IdRecord => {
  if (before.namedAt !== undefined && before.namedAt > at) return before
  const after = { name: name ?? before.name, username: username ?? before.username }
  return after.name === before.name && after.username === before.username ? before : { ...before, ...after, namedAt: at }
}

const chosen = (before: IdRecord, optedOut: boolean, at: Instant): IdRecord =>
  before.optedOutAt !== undefined && before.optedOutAt >= at ? before : { ...before, optedOut, optedOutAt: at }

const latest = (a: Instant | undefined, b: Instant): Instant => Math.max(a ?? b, b)

/** The data about an id, and about the id that its record names as the other one. */
export type KnownId = {
  readonly own: IdRecord
  readonly other: IdRecord
  /** The data about the number that the record names as the platform's; absent if it names none. */
  readonly platform?: KnownId | undefined
  /** The numbers whose records name the number of this id as the platform's; absent if there are none. */
  readonly dialled?: ReadonlyArray<DialledNumber> | undefined
}

/** A number under which a customer is dialled, and its record. */
export type DialledNumber = { readonly number: PhoneNumber; readonly record: IdRecord }

/** The numbers under which a customer is dialled, other than the platform's. Data recorded for one of them up to its `since` belongs to another person. */
export type DialledNumbers = {
  readonly dialled?: ReadonlyArray<{ readonly number: PhoneNumber; readonly since?: Instant | undefined }> | undefined
}

/** A customer: every known id, and the data known under them. */
export type Customer = CustomerIds & DialledNumbers & {
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly optedOut: boolean
  /** Data recorded for the phone number up to this time does not count for this customer. */
  readonly numberSince?: Instant | undefined
}

/**
 * The customer whom an id names. Two ids belong to one customer only if the record of each names the other.
 *
 * Of the variants of a phone number, the result has the variant that the platform reported, if it is known. If the platform knows a number by another number,
 * the number names the customer of that other number.
 */
export const customerOf = (id: CustomerId, known: KnownId): Customer => {
  const { own: { knownAs: number }, platform = { own: NOTHING_KNOWN, other: NOTHING_KNOWN } } = known
  if (number === undefined || isUserId(id)) return personOf(id, known)
  const others = (platform.dialled ?? []).filter((one) => !isSameNumber(one.number, id))
  return personOf(number, { ...platform, dialled: [{ number: id, record: known.own }, ...others] })
}

const personOf = (id: CustomerId, { own, other, dialled: numbers = [] }: KnownId): Customer => {
  // If the platform knows a number by another number, it does not belong to any user id.
  const isPair = own.other !== undefined && other.other !== undefined && recordKeyOf(other.other) === recordKeyOf(id)
    && other.knownAs === undefined
  const ids = isPair ? [own.other, other.other] : [id]
  const [phoneNumber, userId] = [ids.find(isPhoneNumber), ids.find(isUserId)]
  const number = phoneNumber && (isUserId(id) ? other : own)
  const numberSince = number && sinceOf(number, isPair, isUserId(id) ? own : other)
  const leading = phoneNumber === undefined ? [] : numbers.filter(({ record }) => isSameNumber(record.knownAs, phoneNumber))
    .map((one) => ({ ...one, since: dialledSince(one.record, userId) }))
  const known = [
    { record: own, since: own === number ? numberSince : undefined },
    ...(isPair ? [{ record: other, since: other === number ? numberSince : undefined }] : []), ...leading,
  ]
  const counted = (moment: 'namedAt' | 'optedOutAt'): ReadonlyArray<IdRecord> =>
    known.filter(({ record, since }) => since === undefined || (record[moment] ?? 0) > since).map(({ record }) => record)
      .sort((a, b) => (b[moment] ?? 0) - (a[moment] ?? 0))
  const names = counted('namedAt')
  return {
    phoneNumber, userId, numberSince,
    name: names.find(({ name }) => name !== undefined)?.name,
    username: names.find(({ username }) => username !== undefined)?.username,
    optedOut: counted('optedOutAt').find(({ optedOut }) => optedOut !== undefined)?.optedOut ?? false,
    ...(leading.length > 0 && { dialled: leading.map(({ number, since }) => ({ number, since })) }),
  }
}

/** When a report last named two ids of a customer together; `-Infinity` if none did. */
export const linkedAtIn = ({ own, other, platform, dialled = [] }: KnownId): Instant => Math.max(
  ...[own, other, ...dialled.map(({ record }) => record)].flatMap(({ pairedAt, confirmedAt, knownAsAt, knownAsConfirmedAt }) =>
    [pairedAt, confirmedAt, knownAsAt, knownAsConfirmedAt].map((at) => at ?? -Infinity)),
  platform === undefined ? -Infinity : linkedAtIn(platform),
)

/** A number that was paired with a user id belonged to that customer until the platform named it by another number. */
const dialledSince = ({ other, since, knownAsAt }: IdRecord, userId: UserId | undefined): Instant | undefined =>
  other === undefined || other === userId || knownAsAt === undefined ? since : latest(since, knownAsAt - 1)

/** The time up to which data recorded for an id of a customer belongs to another person; a user id never belongs to another person. */
export const othersUpTo = (
  { phoneNumber, numberSince, dialled = [] }: CustomerIds & DialledNumbers & Pick<Customer, 'numberSince'>, id: CustomerId,
): Instant | undefined => {
  if (isUserId(id)) return undefined
  return isSameNumber(phoneNumber, id) ? numberSince : dialled.find(({ number }) => isSameNumber(number, id))?.since
}

const isPhoneNumber = (id: CustomerId): id is PhoneNumber => !isUserId(id)

/** A report that contradicts the pair of the other id contradicts this pair too. So does another number of the other id: that customer has left this number. */
const sinceOf = (number: IdRecord, isPair: boolean, other: IdRecord): Instant | undefined => {
  const moments = number.other === undefined ? [number.since] : [number.since, other.since, isPair ? undefined : other.pairedAt]
  return moments.reduce((later, moment) => (moment === undefined ? later : latest(later, moment)), undefined)
}

/** Replaces a customer's id once the person is forgotten: `forgotten.` and 32 lowercase hexadecimal digits of a keyed digest. */
export type CustomerDigest = string & { readonly CustomerDigest: unique symbol }

/** The form of a customer's digest. No phone number and no user id has it. */
export const CUSTOMER_DIGEST_FORM = /^forgotten\.[0-9a-f]{32}$/

/** Whether a message's recipient is forgotten. */
export const isForgotten = (to: CustomerId | CustomerDigest): to is CustomerDigest => CUSTOMER_DIGEST_FORM.test(to)

/** The digest of at least 32 lowercase hexadecimal digits. */
export const customerDigestOf = (hex: string): CustomerDigest => `forgotten.${hex.slice(0, 32)}` as CustomerDigest

/** The ids of a customer, with one variant of each number. */
export const idsOf = ({ phoneNumber, userId, dialled = [] }: CustomerIds & DialledNumbers): ReadonlyArray<CustomerId> =>
  [...(phoneNumber === undefined ? [] : [phoneNumber]), ...dialled.map(({ number }) => number), ...(userId === undefined ? [] : [userId])]

/** Every text that may name a customer in stored data: the user id, and every variant of the numbers. */
export const everyIdOf = (customer: CustomerIds & DialledNumbers): ReadonlyArray<CustomerId> =>
  idsOf(customer).flatMap((id): ReadonlyArray<CustomerId> => (isUserId(id) ? [id] : variantsOf(id)))

/** When the platform last reported an id; absent if no report has a date. */
export const lastReportOf = ({
  pairedAt, confirmedAt, since, knownAsAt, knownAsConfirmedAt, namedAt, optedOutAt,
}: IdRecord): Instant | undefined =>
  [pairedAt, confirmedAt, since, knownAsAt, knownAsConfirmedAt, namedAt, optedOutAt]
    .reduce((latest, at) => (latest === undefined || (at ?? latest) > latest ? at : latest), undefined)

/**
 * The rest of the record of a customer who was not seen for long: nothing, or, if the customer stopped marketing messages, the record without the names.
 *
 * That choice is kept, with the records through which it applies to every id of the customer. Otherwise the customer would get such messages again.
 * `leadsToStopped` means that this record belongs to a customer who stopped them under another id.
 */
export const forgetRecord = (record: IdRecord, leadsToStopped = false): IdRecord | undefined =>
  record.optedOut === true || leadsToStopped ? { ...record, name: undefined, username: undefined, namedAt: undefined } : undefined
