import type { PhoneNumber } from './message.js'

/**
 * Countries whose mobile numbers are spelled with and without an extra digit.
 *
 * The platform may report a customer under the other spelling than the one that was dialled, and says that this is no
 * bug: <https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages>.
 */
const EXTRA_DIGITS: ReadonlyArray<readonly [long: RegExp, short: string]> = [
  [/^521([0-9]{10})$/, '52$1'], // Mexico: reported with a 1 after the country code
  [/^549([0-9]{10})$/, '54$1'], // Argentina: reported with a 9 after the country code
  [/^55([0-9]{2})9([0-9]{8})$/, '55$1$2'], // Brazil: older accounts lack the ninth digit after the area code
]

/** The one spelling by which a customer's window is kept, whichever one was dialled or reported. */
export const windowNumber = (number: PhoneNumber): PhoneNumber => {
  for (const [long, short] of EXTRA_DIGITS) {
    if (long.test(number)) return number.replace(long, short) as PhoneNumber
  }
  return number
}
