import * as E from 'fp-ts/lib/Either.js'
import type { ValueProblem } from '../kernel/lines.js'
import { beginningOf } from '../kernel/text.js'
import { type CustomerId, type InvalidPhoneNumber, LEAVE_OUT_TRUNK_ZERO, parseWrittenCustomerId } from './customer.js'

/** Marks of the direction of text, and spaces without width. Address books put them around numbers that are copied from them. */
const INVISIBLE = /[\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g

/** A number as a spreadsheet writes it if its cell is not a text, such as `4.91512E+12`; a German one writes a comma. */
const SCIENTIFIC = /^[+-]?[0-9]+(?:[.,][0-9]+)?e[+-]?[0-9]+$/i

/** A number with decimals, such as `4915123456789.0`. `.` also separates digits, so its zero would become a digit of the phone number. */
const DECIMAL = /^[0-9]{7,}[.,]0+$/

const FORMAT_AS_TEXT = 'format the column as text in the spreadsheet, enter the numbers again, and export the file again'

/** The maximum number of characters of a value that is reported with its problem, in UTF-16 units. */
export const MAX_REPORTED = 255

/**
 * Reads the id of a customer from a file, as spreadsheets and address books write it: a user id, or a phone number with its country code after `+`, `00` or nothing. Spaces,
 * dashes, dots and parentheses in it are removed, and so is the apostrophe that makes a cell a text.
 */
export const parseCellCustomerId = (cell: string, column = 'to'): E.Either<ValueProblem, CustomerId> => {
  const text = plainOf(cell)
  const refuse = (code: ValueProblem['code'], message: string): E.Either<ValueProblem, never> =>
    E.left({ column, code, message, ...(cell !== '' && { to: beginningOf(cell, MAX_REPORTED) }) })
  if (text === '') return refuse('missing_parameters', `${column} is empty; every line needs the phone number or the user id of a customer`)
  if (SCIENTIFIC.test(text)) {
    return refuse('number_in_scientific_notation', `${column} is a number such as 4.91512E+12, in which the last digits are lost; ${FORMAT_AS_TEXT}`)
  }
  if (DECIMAL.test(text)) return refuse('invalid_phone_number', `${column} is a number with decimals; ${FORMAT_AS_TEXT}`)
  const parsed = parseWrittenCustomerId(text.replace(/^([ (]*)00/, '$1+'))
  return E.isRight(parsed) ? parsed : refuse('invalid_phone_number', `${column} ${adviceOn(text, parsed.left)}`)
}

const plainOf = (cell: string): string =>
  cell.replace(INVISIBLE, '').replace(/\p{Zs}|\t/gu, ' ').replace(/[\u2010-\u2015\u2212]/g, '-').trim().replace(/^'/, '').trim()

const adviceOn = (text: string, { hasTrunkZero }: InvalidPhoneNumber): string => {
  if (hasTrunkZero === true) return `has a (0). ${LEAVE_OUT_TRUNK_ZERO}`
  return /^[ (]*0/.test(text)
    ? 'begins with 0, so its country is not known; write the country code instead of the 0, as in +49 151 23456789'
    : 'is neither a phone number with its country code, as in +49 151 23456789, nor a user id of the platform'
}
