import * as E from 'fp-ts/lib/Either.js'
import { parsePhoneNumber, parseWrittenPhoneNumber, type PhoneNumber, recordKeyOf } from '../../core/customers/customer.js'
import type { Inbound, NumberShared } from '../../core/reports/receive.js'
import { itemsOf, propertyOf } from './transport.js'

/**
 * The number in the answer to a request for the customer's number; empty if the message is not such an answer.
 *
 * `origin` is `contact_request` in an answer. Any other contact card, with the origin `other` or none, may belong to another person:
 * <https://developers.facebook.com/docs/whatsapp/business-scoped-user-ids>. A message that contains the number of its sender, or cards with several numbers, shares
 * none.
 */
export const readSharedNumber = ({ phoneNumberId, customer, at }: Inbound, message: unknown): ReadonlyArray<NumberShared> => {
  const { userId } = customer
  if (userId === undefined || customer.phoneNumber !== undefined) return []
  const cards = itemsOf(propertyOf(message, 'contacts'))
  const isAnswer = [message, ...cards].some((one) => REQUESTED.has(propertyOf(one, 'origin')))
  const numbers = cards.flatMap((card) => itemsOf(propertyOf(card, 'phones'))).flatMap(numberIn)
  const [phoneNumber] = numbers
  return isAnswer && phoneNumber !== undefined && new Set(numbers.map(recordKeyOf)).size === 1
    ? [{ _tag: 'NumberShared', phoneNumberId, userId, phoneNumber, at }]
    : []
}

/** The second form appears in a description of the field that others quote. */
const REQUESTED: ReadonlySet<unknown> = new Set(['contact_request', 'contact_request/other'])

const numberIn = (phone: unknown): ReadonlyArray<PhoneNumber> => {
  const [id, written] = [propertyOf(phone, 'wa_id'), propertyOf(phone, 'phone')]
  const known = typeof id === 'string' ? parsePhoneNumber(id) : undefined
  const number = known !== undefined && E.isRight(known) ? known
    : typeof written === 'string' ? parseWrittenPhoneNumber(written)
    : undefined
  return number !== undefined && E.isRight(number) ? [number.right] : []
}
