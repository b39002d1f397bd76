import * as E from 'fp-ts/lib/Either.js'
import type { JsonObject } from './json.js'

/** A text that is not a valid amount, currency or rate; `reason` is a sentence for people. */
export type InvalidAmount = { readonly _tag: 'InvalidAmount'; readonly reason: string }

/** A wallet's balance as JSON; amounts are decimal strings. */
export type BalanceView = { readonly currency: string; readonly available: string; readonly held: string }

/** Shows a balance. */
export const balanceView = ({ currency, available, held }: Balance): BalanceView => ({
  currency, available: formatMicros(available), held: formatMicros(held),
})

/** The platform's categories of messages, by which it bills: <https://developers.facebook.com/docs/whatsapp/pricing>. */
export const CATEGORIES = ['service', 'marketing', 'marketing_lite', 'utility', 'authentication', 'authentication_international'] as const

/** A category of messages. */
export type Category = (typeof CATEGORIES)[number]

/** A category that is billed, at its own rate, for some messages of a general category. A rate card may leave it out. */
export type SpecialCategory = 'marketing_lite' | 'authentication_international'

/** A category whose default rate every card has. */
export type GeneralCategory = Exclude<Category, SpecialCategory>

/** The cost of a message, and the category by which it was priced. */
export type Price = Money & { readonly category: Category }

/** The category of templates that a category belongs to, such as `authentication` for `authentication_international`. */
export const generalCategory = (category: Category): GeneralCategory => {
  switch (category) {
    case 'marketing_lite': return 'marketing'
    case 'authentication_international': return 'authentication'
    case 'service': case 'marketing': case 'utility': case 'authentication': return category
  }
}

/** The category that a word of the platform names, in either spelling and in any letter case; `undefined` if it is not one of `CATEGORIES`. */
export const categoryNamed = (word: string): Category | undefined => CATEGORIES.find((category) => category === categoryWord(word))

/**
 * The category that the platform reports in a message's `pricing`, in lower case and with underscores; `undefined` if it names none. The platform
 * writes both `authentication-international` and `authentication_international`. A word that is not in `CATEGORIES` is kept.
 */
export const reportedCategory = (pricing: JsonObject | undefined): string | undefined => {
  const word = pricing?.['category']
  return typeof word === 'string' ? categoryWord(word) : undefined
}

const categoryWord = (word: string): string => word.toLowerCase().replaceAll('-', '_')

/** An ISO 4217 code, such as `USD`. */
export type Currency = string & { readonly Currency: unique symbol }

/** An amount of one currency in micros: integer counts of 1e-6 of its unit. */
export type Money = { readonly micros: bigint; readonly currency: Currency }

/** The money in a wallet: available, and held for messages under way. `available` may be negative after a late charge. */
export type Balance = { readonly available: bigint; readonly held: bigint; readonly currency: Currency }

/** The maximum of one amount or one balance, in micros: 1e12 units, far below the limit of a signed 64-bit column. */
export const MAX_MICROS = 10n ** 18n

const MICROS_PER_UNIT = 1_000_000n
const DECIMALS = 6
const AMOUNT = /^(0|[1-9][0-9]{0,12})(?:\.([0-9]{1,6}))?$/
const CURRENCY = /^[A-Z]{3}$/

/** Reads a currency code of three capitals. */
export const parseCurrency = (text: string): E.Either<InvalidAmount, Currency> =>
  CURRENCY.test(text) ? E.right(text as Currency) : invalid('a currency must be three capital letters, such as USD')

/** The currency of a text in the program itself, such as a constant. Throws a `TypeError` if it is not one; use `parseCurrency` for texts from outside. */
export const currencyOf = (text: string): Currency => {
  const currency = parseCurrency(text)
  if (E.isLeft(currency)) throw new TypeError(`${currency.left.reason}.`)
  return currency.right
}

/** Reads a decimal string of at most six decimals, such as `12.34`, into micros. */
export const parseMicros = (text: string): E.Either<InvalidAmount, bigint> => {
  const match = AMOUNT.exec(text)
  if (match === null) return invalid('an amount must be a decimal number with at most six decimals, such as 12.34')
  const micros = BigInt(match[1] ?? '0') * MICROS_PER_UNIT + BigInt((match[2] ?? '').padEnd(DECIMALS, '0'))
  return micros > MAX_MICROS ? invalid(`an amount must be at most ${formatMicros(MAX_MICROS)}`) : E.right(micros)
}

/** Reads an amount of money to be added: a decimal string above zero. */
export const parseCredit = (text: string): E.Either<InvalidAmount, bigint> => E.flatMap(parseMicros(text), checkCredit)

/** Checks that an amount of money to be added is above zero. */
export const checkCredit = (micros: bigint): E.Either<InvalidAmount, bigint> =>
  micros > 0n ? E.right(micros) : invalid('an amount to add must be more than zero')

/** Reads an amount by which a wallet is corrected: a decimal string with or without a sign, and not zero. */
export const parseCorrection = (text: string): E.Either<InvalidAmount, bigint> =>
  E.flatMap(parseMicros(text.replace(/^[+-]/, '')), (micros) => checkCorrection(text.startsWith('-') ? -micros : micros))

/** Checks that an amount by which a wallet is corrected is not zero. */
export const checkCorrection = (micros: bigint): E.Either<InvalidAmount, bigint> =>
  micros === 0n ? invalid('an adjustment must not be zero') : E.right(micros)

/** Writes micros as a decimal string with all six decimals, such as `12.340000`. */
export const formatMicros = (micros: bigint): string => {
  const sign = micros < 0n ? '-' : ''
  const size = micros < 0n ? -micros : micros
  return `${sign}${size / MICROS_PER_UNIT}.${String(size % MICROS_PER_UNIT).padStart(DECIMALS, '0')}`
}

const invalid = (reason: string): E.Either<InvalidAmount, never> => E.left({ _tag: 'InvalidAmount', reason })
