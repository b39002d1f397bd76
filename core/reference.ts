import * as E from 'fp-ts/lib/Either.js'
import type { InvalidReference } from './invalid.js'

const PRINTABLE_ASCII = /^[!-~](?:[ -~]{0,253}[!-~])?$/

/** Whether a text is 1 to 255 printable ASCII characters that neither begin nor end with a space. */
export const isPrintableAscii = (text: string): boolean => PRINTABLE_ASCII.test(text)

/** Reads the reference of a top-up, such as the number of an invoice. */
export const parseReference = (text: string): E.Either<InvalidReference, string> =>
  isPrintableAscii(text) ? E.right(text) : E.left({ _tag: 'InvalidReference' })
