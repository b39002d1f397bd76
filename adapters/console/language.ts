import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import { currentZone } from './zone.js'

/** The languages of the console, by their tags of BCP 47. English comes first: it is spoken where no other one is asked for. */
export const LANGUAGES = ['en', 'de', 'es', 'pt-BR'] as const

/** A language of the console. */
export type Language = (typeof LANGUAGES)[number]

/** What each language calls itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch', es: 'Español', 'pt-BR': 'Português (Brasil)' }

const FIRST: Language = 'en'

/** The cookie of the language that a person chose. It is no secret and gives no right, so it has no prefix. */
export const LANGUAGE_COOKIE = 'postern_lang'

/** Reads the name of a language, as our own forms and the cookie have it. */
export const parseLanguage = (tag: string | undefined): Language | undefined => LANGUAGES.find((language) => language === tag)

/** The language that a request is answered in: the one that the person chose, else the best of those that the browser asks for, else English. */
export const languageOf = ({ cookie = '', 'accept-language': accepted = '' }: Pick<IncomingHttpHeaders, 'cookie' | 'accept-language'>): Language =>
  parseLanguage(CHOSEN.exec(cookie)?.[1]) ?? negotiate(accepted)

const CHOSEN = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=([A-Za-z-]+)\\s*(?:;|$)`)

/** No browser asks for more languages; a longer header is read this far. */
const MOST_RANGES = 20

/**
 * The best language for an `Accept-Language` (RFC 9110, 12.5.4): of those with the most weight the first that the console speaks. A region that it does not have
 * gets the language of another one, so that `de-AT` is German and `pt` the Portuguese of Brazil.
 */
export const negotiate = (accepted: string): Language => {
  const ranges = accepted.split(',', MOST_RANGES).flatMap((part) => {
    const [, tag = '', weight = '1'] = RANGE.exec(part) ?? []
    const language = spokenFor(tag.toLowerCase())
    return language === undefined || Number(weight) === 0 ? [] : [{ language, weight: Number(weight) }]
  })
  return ranges.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? FIRST
}

const RANGE = /^\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\*)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/

const spokenFor = (tag: string): Language | undefined => (tag === '*' ? FIRST : LANGUAGES.find((language) => primaryOf(language) === primaryOf(tag)))

const primaryOf = (tag: string): string => tag.replace(/-.*$/, '')

const spoken = new AsyncLocalStorage<Language>()

/** Does some work in a language: everything that it calls and awaits, and no other request, speaks it. */
export const inLanguage = <Result>(language: Language, work: () => Result): Result => spoken.run(language, work)

/** The language of the request that is being answered; English outside of one. */
export const currentLanguage = (): Language => spoken.getStore() ?? FIRST

/** What is made once for each language, when it is first asked for. */
export const perLanguage = <Made>(make: () => Made): (() => Made) => {
  const made = new Map<Language, Made>()
  return () => {
    const language = currentLanguage()
    const known = made.get(language)
    if (known !== undefined) return known
    const value = make()
    made.set(language, value)
    return value
  }
}

/** English has the numbers of the United States, whose currency most amounts are in, and the dates of Britain, which cannot be taken for other ones. */
const NUMBERS: Readonly<Record<Language, string>> = { en: 'en-US', de: 'de-DE', es: 'es', 'pt-BR': 'pt-BR' }

/** How dates are written in each language. */
export const DATES: Readonly<Record<Language, string>> = { ...NUMBERS, en: 'en-GB' }

/** A formatter of numbers in the language of the request. To make one costs more than to use it a hundred times. */
export const numberFormat = (options: Intl.NumberFormatOptions): (() => Intl.NumberFormat) => perLanguage(() => new Intl.NumberFormat(NUMBERS[currentLanguage()], options))

const MAX_FORMATS = 1_000

/** Writes moments in the language and the time zone of the request. */
export const dateFormat = (options: Intl.DateTimeFormatOptions): ((at: number) => string) => {
  const made = new Map<string, Intl.DateTimeFormat>()
  return (at) => {
    const [language, zone] = [currentLanguage(), currentZone()]
    const known = made.get(`${language} ${zone}`) ?? new Intl.DateTimeFormat(DATES[language], { timeZone: zone, ...options })
    if (made.size < MAX_FORMATS) made.set(`${language} ${zone}`, known)
    return known.format(at)
  }
}
