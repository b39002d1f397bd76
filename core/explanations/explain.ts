import * as O from 'fp-ts/lib/Option.js'
import { nearestNames } from '../kernel/nearest.js'
import { CODES, ERROR_CODES, type ErrorCode } from './codes.js'
import { type Section, sectionsOf } from './explanation.js'
import { PLATFORM_ERRORS, platformErrorOf } from './platform-errors.js'

/** An explanation as it is read. */
export type Explained = { readonly title: string; readonly about: string; readonly sections: ReadonlyArray<Section> }

const isCode = (name: string): name is ErrorCode => Object.hasOwn(CODES, name)

/** Explains a code of the HTTP contract. */
export const explainCode = (code: string): O.Option<Explained> =>
  (isCode(code) ? O.some({ title: code, about: `HTTP status ${CODES[code].status}`, sections: sectionsOf(CODES[code]) }) : O.none)

const MAX_DIGITS = 9

/** Explains an error of the platform by its number. */
export const explainNumber = (number: string): O.Option<Explained> => {
  const found = /^(0|[1-9][0-9]*)$/.test(number) && number.length <= MAX_DIGITS ? platformErrorOf(Number(number)) : undefined
  return found === undefined ? O.none : O.some({ title: `Error ${number} of the platform`, about: found.title, sections: sectionsOf(found) })
}

/** The code that is written most like another one; none where none is much like it. */
export const nearestCode = (code: string): string | undefined => nearestNames(code, ERROR_CODES)[0]

/** Of shorter numbers each is near to another. */
const MIN_DIGITS = 5

/** The number that is written most like another one; none where none is much like it. */
export const nearestNumber = (number: string): string | undefined =>
  (number.length < MIN_DIGITS ? undefined : nearestNames(number, PLATFORM_ERRORS.map((error) => String(error.number)))[0])

/** An explanation as Markdown, which a terminal shows as it is. */
export const markdownOf = ({ title, about, sections }: Explained): string =>
  [`# ${title}`, about, ...sections.flatMap(({ heading, text }) => [`## ${heading}`, text])].join('\n\n') + '\n'
