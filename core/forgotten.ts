import type { CustomerId, CustomerIds, IdRecord } from './customer.js'
import type { Event } from './event.js'
import type { Json, JsonObject } from './json.js'
import type { PlatformId } from './message.js'
import { variantsOf } from './phone-number.js'
import type { Instant } from './time.js'

/** What stands in the place of a customer's id once the person is forgotten: `forgotten.` and 32 lowercase hexadecimal digits of a keyed digest. */
export type CustomerDigest = string & { readonly CustomerDigest: unique symbol }

/** The form of a customer's digest. No phone number and no user id has it. */
export const CUSTOMER_DIGEST_FORM = /^forgotten\.[0-9a-f]{32}$/

/** Whether a message's recipient is forgotten. */
export const isForgotten = (to: CustomerId | CustomerDigest): to is CustomerDigest => CUSTOMER_DIGEST_FORM.test(to)

/** The digest of at least 32 lowercase hexadecimal digits. */
export const customerDigestOf = (hex: string): CustomerDigest => `forgotten.${hex.slice(0, 32)}` as CustomerDigest

/** What stands in the place of the platform's id of a message, because the platform writes the recipient's number into it. */
export const FORGOTTEN_PLATFORM_ID = 'forgotten' as PlatformId

/** What is kept of an error of a forgotten message: its code, because its sentences may quote the recipient. */
export const forgottenError = (error: JsonObject | undefined): JsonObject | undefined =>
  typeof error?.['code'] === 'number' ? { code: error['code'] } : undefined

/** Every text by which data may name a customer: the user id, and every variant of the number. */
export const everyIdOf = ({ phoneNumber, userId }: CustomerIds): ReadonlyArray<CustomerId> =>
  [...(phoneNumber === undefined ? [] : variantsOf(phoneNumber)), ...(userId === undefined ? [] : [userId])]

/** Whether an event is about one of some ids: its subject is one, or a text of its data is. */
export const isEventAbout = (ids: ReadonlySet<string>, { subject, data }: Pick<Event, 'subject' | 'data'>): boolean => ids.has(subject) || hasText(ids, data)

const hasText = (texts: ReadonlySet<string>, json: Json): boolean =>
  typeof json === 'string' ? texts.has(json) : typeof json === 'object' && json !== null && Object.values(json).some((value: Json) => hasText(texts, value))

/** When the platform last reported something of an id; none where no report is dated. */
export const lastReportOf = ({ pairedAt, confirmedAt, since, namedAt, optedOutAt }: IdRecord): Instant | undefined =>
  [pairedAt, confirmedAt, since, namedAt, optedOutAt].reduce((latest, at) => (latest === undefined || (at ?? latest) > latest ? at : latest), undefined)

/**
 * What is left of the record of a customer who was not seen for long: nothing, or without the names where the customer stopped marketing messages.
 *
 * That choice, and the pair by which it counts for both ids, is kept because the customer would get such messages again without it.
 */
export const forgetRecord = (record: IdRecord): IdRecord | undefined =>
  record.optedOut === true ? { ...record, name: undefined, username: undefined, namedAt: undefined } : undefined
