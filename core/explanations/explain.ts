import * as O from 'fp-ts/lib/Option.js'
import { nearestNames } from '../kernel/nearest.js'
import { CODES, ERROR_CODES, type ErrorCode } from './codes.js'
import { type Explanation, type Section, sectionsOf } from './explanation.js'
import { PLATFORM_ERRORS, platformErrorOf, type PlatformExplanation } from './platform-errors.js'

/**
 * An error as an entry of a list of errors, for programs: a code of the HTTP contract, or an error of the platform.
 * `cure` is the former name of `fix`, with the same text; the next release removes it.
 */
export type ErrorEntry =
  & Explanation & { readonly cure: string }
  & ({ readonly code: ErrorCode; readonly status: number } | { readonly number: number; readonly title: string })

/** The entry of a code of the HTTP contract. */
export const codeEntry = (code: ErrorCode) => ({ code, ...CODES[code], cure: CODES[code].fix }) satisfies ErrorEntry

/** The entry of an error of the platform. */
export const platformErrorEntry = (error: PlatformExplanation) => ({ ...error, cure: error.fix }) satisfies ErrorEntry

/** An explanation for readers, and the error as an entry of a list. */
export type Explained = {
  readonly title: string
  readonly about: string
  readonly sections: ReadonlyArray<Section>
  readonly entry: ErrorEntry
}

const isCode = (name: string): name is ErrorCode => Object.hasOwn(CODES, name)

/** Explains a code of the HTTP contract. */
export const explainCode = (code: string): O.Option<Explained> =>
  (isCode(code)
    ? O.some({ title: code, about: `HTTP status ${CODES[code].status}`, sections: sectionsOf(CODES[code]), entry: codeEntry(code) })
    : O.none)

const MAX_DIGITS = 9

/** Explains an error of the platform by its number. */
export const explainNumber = (number: string): O.Option<Explained> => {
  const found = /^(0|[1-9][0-9]*)$/.test(number) && number.length <= MAX_DIGITS ? platformErrorOf(Number(number)) : undefined
  if (found === undefined) return O.none
  return O.some({
    title: `Error ${number} of the platform`, about: found.title, sections: sectionsOf(found),
    entry: platformErrorEntry({ ...found, number: Number(number) }),
  })
}

const isNumber = (name: string): boolean => /^[0-9]+$/.test(name)

/** Explains a code of the HTTP contract, or an error of the platform by its number. */
export const explainError = (name: string): O.Option<Explained> => (isNumber(name) ? explainNumber(name) : explainCode(name))

/** The codes whose spelling is closest to another code, the nearest first; empty if no code is similar. */
export const nearestCodes = (code: string): ReadonlyArray<string> => nearestNames(code, ERROR_CODES)

/** A shorter number is similar to many others. */
const MIN_DIGITS = 5

/** The numbers that are most similar to another number, the nearest first; empty if no number is similar. */
export const nearestNumbers = (number: string): ReadonlyArray<string> =>
  (number.length < MIN_DIGITS ? [] : nearestNames(number, PLATFORM_ERRORS.map((error) => String(error.number))))

/** The codes or numbers that are most similar to the name of an error that does not exist. */
export const nearestErrors = (name: string): ReadonlyArray<string> => (isNumber(name) ? nearestNumbers(name) : nearestCodes(name))

/** An explanation as Markdown, which a terminal can show unchanged. */
export const markdownOf = ({ title, about, sections }: Explained): string =>
  [`# ${title}`, about, ...sections.flatMap(({ heading, text }) => [`## ${heading}`, text])].join('\n\n') + '\n'
