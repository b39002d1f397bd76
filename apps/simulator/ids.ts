import { createHash, randomBytes } from 'node:crypto'
import { callingCodeOf, USER_ID_FORM } from '../../core/customers/customer.js'

const SEPARATORS = /[ \-.()]/g
const E164 = /^[1-9][0-9]{6,14}$/
const BRAZIL_MOBILE = /^55[1-9][0-9]9[0-9]{8}$/
const MEXICO = /^52[2-9][0-9]{9}$/
const ARGENTINA = /^54[1-8][0-9]{9}$/

/** For a calling code that several countries share, the country with the largest population. */
const COUNTRIES = [
  'AE AR AT AU BD BE BG BO BR CH CL CM CN CO CR CY CZ DE DK DO DZ EC EE EG ES ET FI FR GB GE GH GR GT HK HN HR HU ID IE IL IN IQ IR IS IT JM',
  'JO JP KE KR KW LB LK LT LU LV MA MM MX MY NG NI NL NO NP NZ OM PA PE PH PK PL PR PT PY QA RO RS RU SA SE SG SI SK SN SV TH TN TR TT TW TZ',
  'UA UG US UY UZ VE VN ZA ZM ZW',
].join(' ').split(' ')

const byCallingCode: ReadonlyMap<string, string> = new Map(COUNTRIES.map((country) => [callingCodeOf(country) ?? '', country]))

/** The digits of a phone number without a leading `+` and separators; undefined if it is not an E.164 number. */
export const digitsOf = (to: string): string | undefined => {
  const digits = to.replace(SEPARATORS, '').replace(/^\+/, '')
  return E164.test(digits) ? digits : undefined
}

/** Numbers as they are dialled since Ivory Coast and Benin have ten digits. People known to the platform before the change keep their eight digits. */
const IVORY_COAST = /^225(?:01|05|07|21|25|27)([0-9]{8})$/
const BENIN = /^22901([0-9]{8})$/

/**
 * The platform's id (`wa_id`) of a number: Brazil loses its ninth digit, Mexico gains a 1, Argentina a 9, and Ivory Coast and Benin lose the two digits
 * that were added when they were renumbered.
 */
export const waIdOf = (digits: string): string => {
  if (BRAZIL_MOBILE.test(digits)) return `${digits.slice(0, 4)}${digits.slice(5)}`
  if (MEXICO.test(digits)) return `521${digits.slice(2)}`
  if (ARGENTINA.test(digits)) return `549${digits.slice(2)}`
  if (IVORY_COAST.test(digits)) return digits.replace(IVORY_COAST, '225$1')
  if (BENIN.test(digits)) return digits.replace(BENIN, '229$1')
  return digits
}

/** Whether a recipient is written as a user id. */
export const isUserId = (text: string): boolean => USER_ID_FORM.test(text)

/** The country of a number by its calling code; `US` if the code is not listed. */
export const countryOfNumber = (number: string): string =>
  [4, 3, 2, 1].map((length) => byCallingCode.get(number.slice(0, length))).find((country) => country !== undefined) ?? 'US'

/** The user id of a person within a portfolio; the same portfolio and person always give the same id. `person` begins with a number or a user id. */
export const makeUserId = (portfolio: string, person: string): string => {
  const [id = ''] = person.split(' ')
  const country = isUserId(id) ? id.slice(0, 2) : countryOfNumber(id)
  return `${country}.${createHash('sha256').update(`${portfolio} ${person}`).digest().readBigUInt64BE(0)}`
}

/** A new id of a message from the business to this wa_id, in the observed format of the platform's ids. */
export const outboundWamid = (waId: string): string => wamid(waId, FROM_BUSINESS, randomBytes(9).toString('hex').toUpperCase())

/** A new id of a message from this wa_id to the business; its key starts with `3A`, as in ids made by phones. */
export const inboundWamid = (waId: string): string =>
  wamid(waId, FROM_CUSTOMER, `3A${randomBytes(9).toString('hex').toUpperCase()}`)

const FROM_BUSINESS = 0x11
const FROM_CUSTOMER = 0x12

/** A Thrift compact struct: the customer's number, the number 1, whether the business wrote, and the message's key. */
const wamid = (waId: string, direction: number, key: string): string =>
  `wamid.${Buffer.concat([
    Buffer.from([0x1c, 0x18, waId.length]), Buffer.from(waId, 'ascii'),
    Buffer.from([0x15, 0x02, 0x00, direction, 0x18, key.length]), Buffer.from(key, 'ascii'),
    Buffer.from([0x00]),
  ]).toString('base64')}`
