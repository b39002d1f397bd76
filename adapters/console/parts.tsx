import { type ComponentChildren, h, type VNode } from 'preact'
import { formatMicros } from '../../core/kernel/money.js'
import type { Instant } from '../../core/kernel/time.js'
import { TEXTS } from './texts.js'

const { parts } = TEXTS

/** Typed as texts, because the types of the elements do not take a type that is known at run time only, nor attributes of htmx. */
const INPUT: string = 'input'
const DIV: string = 'div'

/** A labelled field of a form. */
export const Field = ({ id, label, type, autocomplete, value, hint, required = true }: {
  readonly id: string
  readonly label: string
  readonly type: 'email' | 'password' | 'date'
  readonly autocomplete?: 'username' | 'email' | 'current-password' | 'new-password' | 'off'
  readonly value?: string | undefined
  readonly hint?: string | undefined
  readonly required?: boolean
}): VNode => (
  <div>
    <label for={id}>{label}</label>
    {hint !== undefined && <div class="hint" id={`${id}-hint`}>{hint}</div>}
    {h(INPUT, {
      id, name: id, type, required, autocomplete: autocomplete ?? 'off', value, 'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
    })}
  </div>
)

/** What went wrong with a form, read out by screen readers at once. */
export const Problem = ({ sentence }: { readonly sentence: string | undefined }): VNode | null =>
  (sentence === undefined ? null : <p class="note bad" role="alert">{sentence}</p>)

/** A moment, in UTC, to the minute or to the second. */
export const Moment = ({ at, seconds = false }: { readonly at: Instant; readonly seconds?: boolean }): VNode => {
  const iso = new Date(at).toISOString()
  return <time dateTime={iso}>{parts.utc(iso.slice(0, seconds ? 19 : 16).replace('T', ' '))}</time>
}

/** An amount of money, which no line break parts. It is bare in a table whose currency is said elsewhere. */
export const Amount = ({ micros, currency, isSigned = false }: { readonly micros: bigint; readonly currency?: string | undefined; readonly isSigned?: boolean }): VNode => {
  const sign = micros < 0n ? '\u2212' : isSigned && micros > 0n ? '+' : ''
  return <span class="amount">{sign}{formatMicros(micros < 0n ? -micros : micros)}{currency === undefined ? '' : ` ${currency}`}</span>
}

/** A table that can be scrolled sideways, and becomes a list on a narrow screen. */
export const Table = ({ label, columns, children }: {
  readonly label: string; readonly columns: ReadonlyArray<string>; readonly children: ComponentChildren
}): VNode => (
  <div class="scroll" role="region" aria-label={label} tabindex={0}>
    <table class="cards">
      <thead><tr>{columns.map((column) => <th scope="col" key={column}>{column}</th>)}</tr></thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)

/**
 * The live part of a page: what it shows now, and, where scripts run, what it shows from then on. It is the part that the stream at `address` sends.
 *
 * It takes over what changed and leaves the rest, so that the keyboard focus stays where it is.
 */
export const Live = ({ address, children }: { readonly address: string; readonly children: ComponentChildren }): VNode =>
  h(DIV, liveAt(address), children)

/** Attributes of htmx, which the types of elements do not know. */
const liveAt = (address: string): object => ({ 'hx-sse:connect': address, 'hx-swap': 'innerMorph' })
