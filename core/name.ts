import * as E from 'fp-ts/lib/Either.js'
import type { InvalidName, InvalidNote } from './invalid.js'

/** The longest name of a workspace or an API key, in UTF-16 units. */
export const MAX_NAME_LENGTH = 200

/** The longest note that an operator leaves in the books, in UTF-16 units. */
export const MAX_NOTE_LENGTH = 1_000

const CONTROL_CHARACTER = /\p{Cc}/u

/** Reads a name for people: one line of text; spaces around it are dropped. */
export const parseName = (text: string): E.Either<InvalidName, string> =>
  isLine(text, MAX_NAME_LENGTH)
    ? E.right(text.trim())
    : E.left({ _tag: 'InvalidName', reason: `a name has 1 to ${MAX_NAME_LENGTH} characters on one line` })

/** Reads a note of an operator: one line of text; spaces around it are dropped. */
export const parseNote = (text: string): E.Either<InvalidNote, string> =>
  isLine(text, MAX_NOTE_LENGTH) ? E.right(text.trim()) : E.left({ _tag: 'InvalidNote' })

const isLine = (text: string, most: number): boolean => {
  const line = text.trim()
  return line !== '' && line.length <= most && !CONTROL_CHARACTER.test(line)
}
