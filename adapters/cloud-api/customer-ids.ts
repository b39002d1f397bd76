import * as O from 'fp-ts/lib/Option.js'
import { recordKeyOf, type CustomerId, type CustomerIds } from '../../core/customer.js'
import { parsePhoneNumber } from '../../core/phone-number.js'
import { parseUserId } from '../../core/user-id.js'

/**
 * The ids of a customer in fields of the platform; `undefined` where none of them has one.
 *
 * Either may be missing, and a user id has been seen in a field for the phone number, so every value is read as what it is.
 */
export const idsIn = (...values: ReadonlyArray<unknown>): CustomerIds | undefined => {
  const texts = values.filter((value) => typeof value === 'string')
  const phoneNumber = texts.map((text) => O.toUndefined(O.fromEither(parsePhoneNumber(text)))).find((number) => number !== undefined)
  const userId = texts.map(parseUserId).find((id) => id !== undefined)
  return phoneNumber === undefined && userId === undefined ? undefined : { phoneNumber, userId }
}

/** The ids by which a customer is named, variants of one phone number as one of them. */
export const keysOf = ({ phoneNumber, userId }: CustomerIds): ReadonlyArray<CustomerId> => {
  const number = phoneNumber && recordKeyOf(phoneNumber)
  if (number === undefined) return userId === undefined ? [] : [userId]
  return userId === undefined ? [number] : [number, userId]
}
