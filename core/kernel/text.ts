import * as E from 'fp-ts/lib/Either.js'

/** A name of a workspace or an API key that is empty, too long or misleading; `reason` is a sentence for people. */
export type InvalidName = { readonly _tag: 'InvalidName'; readonly reason: string }

/** A reference of a top-up that is not 1 to 255 printable ASCII characters, or that begins or ends with a space. */
export type InvalidReference = { readonly _tag: 'InvalidReference' }

/** A note that is empty, too long or has control characters. */
export type InvalidNote = { readonly _tag: 'InvalidNote' }

/** The maximum length of the name of a workspace or an API key, in UTF-16 units. */
export const MAX_NAME_LENGTH = 200

/** The maximum length of an operator's note in the books, in UTF-16 units. */
export const MAX_NOTE_LENGTH = 1_000

/**
 * The maximum length of the text of a message, in UTF-16 units. It is unconfirmed whether the platform counts these or code points; this is the safe choice, and every limit
 * of a message uses it.
 */
export const MAX_TEXT_LENGTH = 4096

const CONTROL_CHARACTER = /\p{Cc}/u

/** Reads a name for people: one line of text. Spaces around it are removed. */
export const parseName = (text: string): E.Either<InvalidName, string> =>
  isLine(text, MAX_NAME_LENGTH)
    ? E.right(text.trim())
    : E.left({ _tag: 'InvalidName', reason: `a name must have 1 to ${MAX_NAME_LENGTH} characters on one line` })

/** Reads an operator's note: one line of text. Spaces around it are removed. */
export const parseNote = (text: string): E.Either<InvalidNote, string> =>
  isLine(text, MAX_NOTE_LENGTH) ? E.right(text.trim()) : E.left({ _tag: 'InvalidNote' })

const isLine = (text: string, most: number): boolean => {
  const line = text.trim()
  return line !== '' && line.length <= most && !CONTROL_CHARACTER.test(line)
}

/** Whether every database stores a text unchanged: it has 1 to `most` UTF-16 units, no control characters and no unpaired surrogates. */
export const isStorable = (text: string, most: number): boolean => text !== '' && text.length <= most && !/[\p{Cc}\p{Cs}]/u.test(text)

const PRINTABLE_ASCII = /^[!-~](?:[ -~]{0,253}[!-~])?$/

/** Whether a text is 1 to 255 printable ASCII characters that neither begin nor end with a space. */
export const isPrintableAscii = (text: string): boolean => PRINTABLE_ASCII.test(text)

/** Reads the reference of a top-up, such as the number of an invoice. */
export const parseReference = (text: string): E.Either<InvalidReference, string> =>
  isPrintableAscii(text) ? E.right(text) : E.left({ _tag: 'InvalidReference' })

/** The beginning of a text, at most `most` UTF-16 units. It does not end in the middle of a character. */
export const beginningOf = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')

/** The end of a text, at most `most` UTF-16 units. It does not begin in the middle of a character. */
export const endOf = (text: string, most: number): string => text.slice(-most).replace(/^[\uDC00-\uDFFF]/, '')

/** Letters that Unicode does not decompose into ASCII letters, each with the spelling that people use if their keyboard lacks it. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŧ: 't', ŋ: 'n', ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ə: 'e', ɓ: 'b', ɗ: 'd', ƙ: 'k',
  ƴ: 'y',
}

/** A text in the form in which names are compared: without case and accents, and with letters such as `ł` and `ß` as people type them on a plain keyboard. */
export const foldedOf = (text: string): string => plainOf(text.normalize('NFKD').replace(/\p{M}/gu, ''))

/** A text in lower case, with letters such as `ł` and `ß` as people type them on a plain keyboard. Accents must be removed before. */
export const plainOf = (text: string): string =>
  text.toLowerCase().replace(/[^\0-\x7f]/gu, (letter) => PLAIN_LETTERS[letter] ?? letter)
