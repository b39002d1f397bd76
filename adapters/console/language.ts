import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import { type Language, LANGUAGES, parseLanguage } from '../../core/kernel/language.js'
import { currentZone } from './zone.js'

/** The name of each language in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English', de: 'Deutsch', es: 'Español', 'pt-BR': 'Português (Brasil)',
}

const FIRST: Language = 'en'

/** The cookie of the language that a person chose. It is not a secret and gives no rights, so it has no prefix. */
export const LANGUAGE_COOKIE = 'postern_lang'

/** The language of the response: the one that the person chose, otherwise the best match for the browser's languages, otherwise English. */
export const languageOf = (
  { cookie = '', 'accept-language': accepted = '' }: Pick<IncomingHttpHeaders, 'cookie' | 'accept-language'>,
): Language =>
  parseLanguage(CHOSEN.exec(cookie)?.[1]) ?? negotiate(accepted)

const CHOSEN = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=([A-Za-z-]+)\\s*(?:;|$)`)

/** Browsers never send more languages; further entries of a header are ignored. */
const MAX_RANGES = 20

/**
 * The best language for an `Accept-Language` (RFC 9110, 12.5.4): the supported language with the highest weight; the first one if weights are equal. An unsupported region
 * falls back to another region of the same language, so `de-AT` is German and `pt` is Brazilian Portuguese.
 */
export const negotiate = (accepted: string): Language => {
  const ranges = accepted.split(',', MAX_RANGES).flatMap((part) => {
    const [, tag = '', weight = '1'] = RANGE.exec(part) ?? []
    const language = spokenFor(tag.toLowerCase())
    return language === undefined || Number(weight) === 0 ? [] : [{ language, weight: Number(weight) }]
  })
  return ranges.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? FIRST
}

const RANGE = /^\s*([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*|\*)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/

const spokenFor = (tag: string): Language | undefined =>
  tag === '*' ? FIRST : LANGUAGES.find((language) => primaryOf(language) === primaryOf(tag))

const primaryOf = (tag: string): string => tag.replace(/-.*$/, '')

const spoken = new AsyncLocalStorage<Language>()

/** Runs work in a language: everything that it calls and awaits uses it, and other requests do not. */
export const inLanguage = <Result>(language: Language, work: () => Result): Result => spoken.run(language, work)

/** The language of the current request; English outside a request. */
export const currentLanguage = (): Language => spoken.getStore() ?? FIRST

/** A value that is created once for each language, when it is first used. */
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

/** English uses the numbers of the United States, because most amounts are in its currency, and the dates of Britain, which are unambiguous. */
const NUMBERS: Readonly<Record<Language, string>> = { en: 'en-US', de: 'de-DE', es: 'es', 'pt-BR': 'pt-BR' }

/** How dates are written in each language. */
export const DATES: Readonly<Record<Language, string>> = { ...NUMBERS, en: 'en-GB' }

/** A formatter of numbers in the language of the request. Creating one costs more than using it a hundred times. */
export const numberFormat = (options: Intl.NumberFormatOptions): (() => Intl.NumberFormat) =>
  perLanguage(() => new Intl.NumberFormat(NUMBERS[currentLanguage()], options))

const MAX_FORMATS = 1_000

/** Formats timestamps in the language and the time zone of the request. */
export const dateFormat = (options: Intl.DateTimeFormatOptions): ((at: number) => string) => {
  const made = new Map<string, Intl.DateTimeFormat>()
  return (at) => {
    const [language, zone] = [currentLanguage(), currentZone()]
    const known = made.get(`${language} ${zone}`) ?? new Intl.DateTimeFormat(DATES[language], { timeZone: zone, ...options })
    if (made.size < MAX_FORMATS) made.set(`${language} ${zone}`, known)
    return known.format(at)
  }
}

const days = perLanguage(() => new Intl.DateTimeFormat(DATES[currentLanguage()], { day: 'numeric', month: 'short', timeZone: 'UTC' }))

/** Days of UTC in words: `24 Nov`, or `1–8 Nov`. */
export const writeDays = (first: number, last: number): string => days().formatRange(first, last)
