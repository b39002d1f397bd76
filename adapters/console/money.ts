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

/** An amount in the parts that a column aligns at the decimal point: up to the usual decimals of its currency, the further decimals, and what follows. */
export const moneyParts = (
  micros: bigint, currency: string, isMovement = false,
): { readonly whole: string; readonly below: string; readonly after: string } => {
  const format = formatOf(currency, isMovement)()
  const [parts, usual] = [format.formatToParts(formatMicros(micros) as `${number}`), format.resolvedOptions().minimumFractionDigits ?? 0]
  const at = parts.findIndex(({ type }) => type === 'fraction')
  const text = (some: typeof parts): string => some.map(({ value }) => value).join('').replace('-', '\u2212')
  if (at < 0) {
    const last = parts.findLastIndex(({ type }) => type === 'integer') + 1
    return { whole: text(parts.slice(0, last)), below: '', after: text(parts.slice(last)) }
  }
  const decimals = parts[at]?.value ?? ''
  return { whole: text(parts.slice(0, at)) + decimals.slice(0, usual), below: decimals.slice(usual), after: text(parts.slice(at + 1)) }
}

/** Creating a formatter costs more than using it a hundred times, and a page has hundreds of amounts. */
const formatOf = (currency: string, isMovement: boolean): (() => Intl.NumberFormat) => {
  const key = `${currency} ${isMovement}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = numberFormat({ style: 'currency', currency, maximumFractionDigits: 6, signDisplay: isMovement ? 'exceptZero' : 'negative' })
  formats.set(key, made)
  return made
}
