import * as E from 'fp-ts/lib/Either.js'
import { type ComponentChildren, Fragment, type VNode } from 'preact'
import { formatMicros, parseMicros } from '../../core/kernel/money.js'
import { writeMoney } from './money.js'
import { TEXTS } from './texts.js'

const { parts } = TEXTS

/** An ambiguous amount such as 2.500 or 2,500: it means two and a half in one language, and two thousand five hundred in another. */
const TWO_READINGS = /^([+-]?)([1-9]\d{0,2})[.,](\d{3})$/

/** Both amounts that a text may mean, in micros, the smaller one first; empty if the text has at most one meaning. */
export const readingsOf = (typed: string): ReadonlyArray<bigint> => {
  const [, sign, before, after] = TWO_READINGS.exec(typed.trim()) ?? []
  const readings = [`${before}.${after}`, `${before}${after}`].map(parseMicros)
  return readings.flatMap((one) => (E.isRight(one) ? [sign === '-' ? -one.right : one.right] : []))
}

/** Asks which of two amounts a text means. Each button submits the form again with one of them; `change` leads back to the form. */
export const WhichAmount = ({ action, typed, readings, currency, values, field, verb = (amount) => amount, children }: {
  readonly action: string; readonly typed: string; readonly readings: ReadonlyArray<bigint>; readonly currency: string
  /** The fields of the form that are submitted again. */
  readonly values: Readonly<Record<string, string>>
  /** The field in which a button submits its amount. */
  readonly field: string
  /** The text of a button for its amount. */
  readonly verb?: (amount: string, micros: bigint) => string
  readonly children?: ComponentChildren
}): VNode => (
  <>
    <p>{parts.whichAmount(typed.trim())}</p>
    {children}
    <form method="post" action={action}>
      {Object.entries(values)
        .filter(([name]) => name !== field)
        .map(([name, value]) => <input type="hidden" key={name} name={name} value={value} />)}
      {readings.map((micros) => (
        <Fragment key={String(micros)}>
          <button name={field} value={formatMicros(micros)}>{verb(writeMoney(micros < 0n ? -micros : micros, currency), micros)}</button>
          {' '}
        </Fragment>
      ))}
      <button name="change" value="on" class="plain">{parts.changeAmount}</button>
    </form>
  </>
)
