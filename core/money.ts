import * as E from 'fp-ts/lib/Either.js'
import type { InvalidAmount } from './invalid.js'


/** An ISO 4217 code, such as `USD`. */
export type Currency = string & { readonly Currency: unique symbol }

/** An amount of one currency in micros: integer counts of 1e-6 of its unit. */
export type Money = { readonly micros: bigint; readonly currency: Currency }

/** What a wallet holds: spendable, and set aside for messages under way. `available` may be negative after a late charge. */
export type Balance = { readonly available: bigint; readonly held: bigint; readonly currency: Currency }

/** The most micros one amount or one balance may count: 1e12 units, far inside a signed 64-bit column. */
export const MAX_MICROS = 10n ** 18n

const MICROS_PER_UNIT = 1_000_000n
const DECIMALS = 6
const AMOUNT = /^(0|[1-9][0-9]{0,12})(?:\.([0-9]{1,6}))?$/
const CURRENCY = /^[A-Z]{3}$/

/** Reads a currency code of three capitals. */
export const parseCurrency = (text: string): E.Either<InvalidAmount, Currency> =>
  CURRENCY.test(text) ? E.right(text as Currency) : invalid('a currency is three capital letters, such as USD')

/** Reads a decimal string of at most six decimals, such as `12.34`, into micros. */
export const parseMicros = (text: string): E.Either<InvalidAmount, bigint> => {
  const match = AMOUNT.exec(text)
  if (match === null) return invalid('an amount is a decimal number with at most six decimals, such as 12.34')
  const micros = BigInt(match[1] ?? '0') * MICROS_PER_UNIT + BigInt((match[2] ?? '').padEnd(DECIMALS, '0'))
  return micros > MAX_MICROS ? invalid(`an amount is at most ${formatMicros(MAX_MICROS)}`) : E.right(micros)
}

/** Reads an amount of money to be added: a decimal string above zero. */
export const parseCredit = (text: string): E.Either<InvalidAmount, bigint> => E.flatMap(parseMicros(text), checkCredit)

/** Checks that an amount of money to be added is above zero. */
export const checkCredit = (micros: bigint): E.Either<InvalidAmount, bigint> =>
  micros > 0n ? E.right(micros) : invalid('an amount to be added is more than zero')

/** Reads an amount by which a wallet is corrected: a decimal string with or without a sign, and not zero. */
export const parseCorrection = (text: string): E.Either<InvalidAmount, bigint> =>
  E.flatMap(parseMicros(text.replace(/^[+-]/, '')), (micros) => checkCorrection(text.startsWith('-') ? -micros : micros))

/** Checks that an amount by which a wallet is corrected is not zero. */
export const checkCorrection = (micros: bigint): E.Either<InvalidAmount, bigint> =>
  micros === 0n ? invalid('a correction is more or less than zero') : E.right(micros)

/** Writes micros as a decimal string with all six decimals, such as `12.340000`. */
export const formatMicros = (micros: bigint): string => {
  const sign = micros < 0n ? '-' : ''
  const size = micros < 0n ? -micros : micros
  return `${sign}${size / MICROS_PER_UNIT}.${String(size % MICROS_PER_UNIT).padStart(DECIMALS, '0')}`
}

const invalid = (reason: string): E.Either<InvalidAmount, never> => E.left({ _tag: 'InvalidAmount', reason })
