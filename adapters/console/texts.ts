import type { Language } from '../../core/kernel/language.js'
import { currentLanguage } from './language.js'
import { german } from './texts/de/catalogue.js'
import { english } from './texts/en/catalogue.js'
import { spanish } from './texts/es/catalogue.js'
import { portuguese } from './texts/pt-BR/catalogue.js'
import type { Translated } from './texts/translating.js'

/** The texts of a language: the same texts as in English, with the same parameters. A language that lacks one does not compile. */
export type Texts = Translated<typeof english>

/** The texts of every language. */
export const CATALOGUES: Readonly<Record<Language, Texts>> = { en: english, de: german, es: spanish, 'pt-BR': portuguese }

/** The value at a path, in the language of the request. */
type Reading = () => unknown

const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A group of texts; each is looked up when it is used, and not before. */
const readingOf = (shape: Readonly<Record<string, unknown>>, groupIn: Reading): object =>
  Object.defineProperties({}, Object.fromEntries(Object.entries(shape).map(([name, value]) => {
    const read = (): unknown => {
      const group = groupIn()
      return isGroup(group) ? group[name] : undefined
    }
    return [name, { enumerable: true, ...(isGroup(value) ? { value: readingOf(value, read) } : { get: read }) }]
  })))

/**
 * Every text that a person reads, by page, in the language of the request.
 *
 * A module may keep a group of texts when it is loaded (`const { wallet: texts } = TEXTS`), but no single text of a group: that text would stay English forever.
 */
export const TEXTS = readingOf(english, () => CATALOGUES[currentLanguage()]) as Texts
