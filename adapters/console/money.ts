import { formatMicros } from '../../core/kernel/money.js'
import { numberFormat } from './language.js'

/** An amount for a form field: with two decimals, and more only up to the last non-zero digit. */
export const typedAmount = (micros: bigint): string => formatMicros(micros).replace(/(\.\d\d\d*?)0+$/, '$1')

const formats = new Map<string, () => Intl.NumberFormat>()

/**
 * An amount for people: `$12.50`, `$0.0077`, `−$5.00`, and in German `12,50 $`. It has the usual decimals of its currency, and more only up to the last non-zero digit.
 *
 * A movement always has a sign, so that incoming money cannot be mistaken for outgoing money.
 */
export const writeMoney = (micros: bigint, currency: string, isMovement = false): string =>
  // The formatter accepts a decimal string exactly; a number would round large amounts.
  formatOf(currency, isMovement)().format(formatMicros(micros) as `${number}`).replace('-', '\u2212')

/** Creating a formatter costs more than using it a hundred times, and a page has hundreds of amounts. */
const formatOf = (currency: string, isMovement: boolean): (() => Intl.NumberFormat) => {
  const key = `${currency} ${isMovement}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = numberFormat({ style: 'currency', currency, maximumFractionDigits: 6, signDisplay: isMovement ? 'exceptZero' : 'negative' })
  formats.set(key, made)
  return made
}
