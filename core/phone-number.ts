import * as E from 'fp-ts/lib/Either.js'
import type { InvalidPhoneNumber } from './invalid.js'

/** An E.164 number as digits without `+`: country code first, 7 to 15 digits. */
export type PhoneNumber = string & { readonly PhoneNumber: unique symbol }

/** The form of a number as digits only. */
export const PHONE_NUMBER_FORM = /^[1-9][0-9]{6,14}$/

/** The form of a number as people write it. */
export const WRITTEN_PHONE_NUMBER_FORM = /^[ .()-]*(?:\+[ .()-]*)?[1-9](?:[ .()-]*[0-9]){6,14}[ .()-]*$/

const NOT_A_DIGIT = /[^0-9]/g

/** Reads a number written as digits only. */
export const parsePhoneNumber = (text: string): E.Either<InvalidPhoneNumber, PhoneNumber> =>
  PHONE_NUMBER_FORM.test(text) ? E.right(text as PhoneNumber) : E.left({ _tag: 'InvalidPhoneNumber', form: 'digits' })

/** Reads a number as people write it: a leading `+` and the separators space, `-`, `.`, `(` and `)` are dropped. */
export const parseWrittenPhoneNumber = (text: string): E.Either<InvalidPhoneNumber, PhoneNumber> =>
  WRITTEN_PHONE_NUMBER_FORM.test(text)
    ? E.right(text.replace(NOT_A_DIGIT, '') as PhoneNumber)
    : E.left({ _tag: 'InvalidPhoneNumber', form: 'written' })

/**
 * Countries whose mobile numbers are written with and without an extra digit, and both reach the same customer.
 *
 * The platform may report a customer under the other variant than the one that was dialled, and documents this as intended:
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
  // The codes of all these countries begin with 5; the windows of every customer are looked up by this.
  if (!number.startsWith('5')) return [number]
  const found = VARIANTS.find(([variant]) => variant.test(number))
  return found === undefined ? [number] : [number, number.replace(...found) as PhoneNumber]
}

/** One of the variants of a number, the same for each of them. */
export const canonicalOf = (number: PhoneNumber): PhoneNumber => {
  const [first = number, second = first] = variantsOf(number)
  return second < first ? second : first
}
