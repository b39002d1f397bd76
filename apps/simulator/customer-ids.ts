import { createHash } from 'node:crypto'

const SEPARATORS = /[ \-.()]/g
const E164 = /^[1-9][0-9]{6,14}$/
const BRAZIL_MOBILE = /^55[1-9][0-9]9[0-9]{8}$/
const MEXICO = /^52[2-9][0-9]{9}$/
const ARGENTINA = /^54[1-8][0-9]{9}$/

const COUNTRIES: ReadonlyArray<readonly [callingCode: string, country: string]> = [
  ['55', 'BR'], ['54', 'AR'], ['52', 'MX'], ['49', 'DE'], ['44', 'GB'], ['33', 'FR'], ['91', 'IN'], ['1', 'US'],
]

/** The digits of a phone number without a leading `+` and separators; undefined if it is not an E.164 number. */
export const digitsOf = (to: string): string | undefined => {
  const digits = to.replace(SEPARATORS, '').replace(/^\+/, '')
  return E164.test(digits) ? digits : undefined
}

/** The platform's id (`wa_id`) of a number: Brazil loses its ninth digit, Mexico gains a 1, Argentina a 9. */
export const waIdOf = (digits: string): string => {
  if (BRAZIL_MOBILE.test(digits)) return `${digits.slice(0, 4)}${digits.slice(5)}`
  if (MEXICO.test(digits)) return `521${digits.slice(2)}`
  if (ARGENTINA.test(digits)) return `549${digits.slice(2)}`
  return digits
}

/** The business-scoped user id of a customer, `CC.` and digits; always the same one for a number. */
export const userIdOf = (waId: string): string => {
  const country = COUNTRIES.find(([callingCode]) => waId.startsWith(callingCode))?.[1] ?? 'ZZ'
  const digest = createHash('sha256').update(waId).digest()
  return `${country}.${digest.readBigUInt64BE(0)}`
}
