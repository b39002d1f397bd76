import { type ComponentChildren, h, type VNode } from 'preact'
import { formatMicros } from '../../core/kernel/money.js'
import type { Instant } from '../../core/kernel/time.js'
import { Icon, type IconName } from './icons.js'
import { currentLanguage, dateFormat } from './language.js'
import { writeMoney } from './money.js'
import { TEXTS } from './texts.js'

const { parts } = TEXTS
const [writeMinute, writeSecond] = [dateFormat({ dateStyle: 'medium', timeStyle: 'short' }), dateFormat({ dateStyle: 'medium', timeStyle: 'medium' })]

/** Typed as texts, because the types of the elements do not take a type that is known at run time only, nor attributes of htmx. */
const INPUT: string = 'input'
const DIV: string = 'div'

/** An amount of money, never broken over two lines; all its decimals are in the tooltip. */
export const Money = ({ micros, currency, isMovement = false }: { readonly micros: bigint; readonly currency: string; readonly isMovement?: boolean }): VNode =>
  <span class={isMovement && micros > 0n ? 'money in' : 'money'} title={`${formatMicros(micros)} ${currency}`}>{writeMoney(micros, currency, isMovement)}</span>

/**
 * A moment, in the time zone of the page.
 *
 * In a list it is how long ago that was, up to a day; in a sentence always the moment itself.
 */
export const Time = ({ at, as = 'minute' }: { readonly at: Instant; readonly as?: 'minute' | 'second' | 'ago' }): VNode => {
  const write = as === 'second' ? writeSecond : writeMinute
  return <time dateTime={new Date(at).toISOString()} data-as={as}>{write(at)}</time>
}

/** How many characters of an id people can tell it by in a list. */
const SHOWN_OF_ID = 6

/** An id: its last characters in a list, the whole of it on its own page, and a button that copies it, where scripts run. */
export const Id = ({ of, text = of, isWhole = false, href }: {
  readonly of: string
  /** How it is written for people, where that is another way than it is copied. */
  readonly text?: string
  readonly isWhole?: boolean
  readonly href?: string
}): VNode => {
  const isShort = !isWhole && of.length > SHOWN_OF_ID
  const shown = isShort ? `…${of.slice(-SHOWN_OF_ID)}` : text
  const code = <code title={of} {...(isShort && { class: 'whole' })}>{shown}</code>
  return (
    <span class="id">
      {href === undefined ? code : <a href={href}>{code}</a>}
      <button type="button" class="copy" data-copy={of} aria-label={parts.copy(shown)}><Icon name="copy" /></button>
    </span>
  )
}

/**
 * A sentence that Postern has in English alone, such as what a check has found. On a page in another language it says so, and a screen reader reads it
 * as English.
 */
export const English = ({ children }: { readonly children: ComponentChildren }): VNode => (currentLanguage() === 'en' ? <>{children}</> : <span lang="en">{children}</span>)

/** What a state asks of people: nothing, patience, a look, or an act. */
export type Tone = 'good' | 'moving' | 'attention' | 'bad' | 'quiet'

/** How things stand, in a word, and for who sees colours in a colour. */
export const State = ({ text, tone }: { readonly text: string; readonly tone: Tone }): VNode => <span class={`state ${tone}`}>{text.charAt(0).toUpperCase() + text.slice(1)}</span>

/** A column of a table; one of numbers stands at the right. */
export type Column = string | { readonly number: string }

/** A table that can be scrolled sideways, and becomes a list of cards on a narrow screen. */
export const Table = ({ label, columns, children }: {
  readonly label: string; readonly columns: ReadonlyArray<Column>; readonly children: ComponentChildren
}): VNode => (
  <div class="scroll card" role="region" aria-label={label} tabindex={0}>
    <table class="cards">
      <thead>
        <tr>{columns.map((column) => (typeof column === 'string' ? <th scope="col" key={column}>{column}</th> : <th scope="col" class="number" key={column.number}>{column.number}</th>))}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)

/** A list that has nothing: a sentence, and what to do about it. */
export const Empty = ({ sentence, icon = 'empty', children }: { readonly sentence: string; readonly icon?: IconName; readonly children?: ComponentChildren }): VNode =>
  <div class="empty"><Icon name={icon} /><p>{sentence}</p>{children}</div>

/** A part of a page with a title of its own. */
export const Panel = ({ id, title, children }: { readonly id: string; readonly title: ComponentChildren; readonly children: ComponentChildren }): VNode =>
  <section class="card panel" aria-labelledby={id}><h2 id={id}>{title}</h2>{children}</section>

/** A title, and beside it where more is. */
export const Heading = ({ id, title, href, more }: { readonly id?: string; readonly title: string; readonly href: string; readonly more: string }): VNode =>
  <div class="heading"><h2 {...(id !== undefined && { id })}>{title}</h2><a href={href}>{more}</a></div>

/** Figures beside each other. */
export const Stats = ({ children }: { readonly children: ComponentChildren }): VNode => <dl class="stats card">{children}</dl>

/** A figure, louder than its name; how it went, and where it leads. */
export const Stat = ({ name, value, spark, href, children }: {
  readonly name: string; readonly value: ComponentChildren; readonly spark?: VNode; readonly href?: string; readonly children?: ComponentChildren
}): VNode => (
  <div {...(href !== undefined && { class: 'leads' })}>
    <dt>{href === undefined ? name : <a href={href}>{name}</a>}</dt>
    <dd><strong>{value}</strong>{children !== undefined && <span class="hint">{children}</span>}{spark}</dd>
  </div>
)

/** What is known of one thing, name by name. */
export const Facts = ({ facts }: { readonly facts: ReadonlyArray<readonly [name: string, value: ComponentChildren]> }): VNode => (
  <dl class="facts card">
    {facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
  </dl>
)

/** Something that happened: how it stands, what it was, when, and what else there is to say of it. */
export type TimelineStep = { readonly key: string; readonly tone: Tone; readonly what: ComponentChildren; readonly at: Instant; readonly more?: ComponentChildren }

/** What happened one after the other, oldest first. */
export const Timeline = ({ label, steps }: { readonly label: string; readonly steps: ReadonlyArray<TimelineStep> }): VNode => (
  <ol class="timeline" aria-label={label}>
    {steps.map(({ key, tone, what, at, more }) => (
      <li key={key} data-tone={tone}>
        <div><strong>{what}</strong><Time at={at} as="second" /></div>
        {more !== undefined && <div class="soft">{more}</div>}
      </li>
    ))}
  </ol>
)

/** What a field has in common with all others. */
type Asked = {
  readonly id: string
  readonly label: string
  readonly value?: string | undefined
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  readonly required?: boolean
  /** Whether a person types here first, such as where something is wrong. */
  readonly isFirst?: boolean
  /** How many characters it may have, where that is worth saying; the script counts them. */
  readonly counted?: string | undefined
}

/** A labelled field of a form. */
export const Field = ({ id, name = id, label, value, hint, fault, type = 'text', required = true, isFirst, counted, autocomplete = 'off', inputmode, maxLength }: Asked & {
  /** The id, if nothing else is said. */
  readonly name?: string
  readonly type?: 'text' | 'url' | 'search' | 'email' | 'password' | 'date' | 'datetime-local'
  readonly autocomplete?: 'username' | 'email' | 'current-password' | 'new-password' | 'off'
  readonly inputmode?: 'decimal' | 'numeric'
  readonly maxLength?: number
}): VNode => (
  <Asking id={id} label={label} hint={hint} fault={fault} counted={counted}>
    {h(INPUT, {
      id, name, type, required, value, inputmode, maxlength: maxLength, autofocus: isFirst, autocomplete, spellcheck: false, class: inputmode === undefined ? undefined : 'short', ...describedBy(id, hint, fault),
    })}
  </Asking>
)

/** A labelled field for several lines of text. */
export const LinesField = ({ id, label, value, hint, fault, required, isFirst, counted, maxLength }: Asked & { readonly maxLength: number }): VNode => (
  <Asking id={id} label={label} hint={hint} fault={fault} counted={counted}>
    <textarea id={id} name={id} required={required} maxLength={maxLength} {...(isFirst === true && { autofocus: true })} {...describedBy(id, hint, fault)}>{value}</textarea>
  </Asking>
)

/** A labelled field for one of several values; the children are its options. */
export const ChoiceField = ({ id, label, hint, fault, required = false, children }: Omit<Asked, 'value'> & { readonly children: ComponentChildren }): VNode => (
  <Asking id={id} label={label} hint={hint} fault={fault}>
    <select id={id} name={id} required={required} {...describedBy(id, hint, fault)}>{children}</select>
  </Asking>
)

/** A labelled field for a file, which can be dragged onto it, too. `most` is how many bytes it may have. */
export const FileField = ({ id, label, hint, fault, isFirst, accept, most, tooLarge }: Omit<Asked, 'value' | 'required' | 'counted'> & { readonly accept: string | undefined; readonly most: number; readonly tooLarge: string }): VNode => (
  <Asking id={id} label={label} hint={hint} fault={fault}>
    {h(INPUT, { id, name: id, type: 'file', required: true, accept, autofocus: isFirst, class: 'file', 'data-most': most, 'data-too-large': tooLarge, ...describedBy(id, hint, fault) })}
  </Asking>
)

const Asking = ({ id, label, hint, fault, counted, children }: Pick<Asked, 'id' | 'label' | 'hint' | 'fault' | 'counted'> & { readonly children: ComponentChildren }): VNode => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
    {counted !== undefined && <div class="hint count">{counted}</div>}
    {hint !== undefined && <div class="hint" id={`${id}-hint`}>{hint}</div>}
    <Fault id={id} sentence={fault} />
  </div>
)

/** What is wrong with one field, under it, and read out by screen readers at once. */
export const Fault = ({ id, sentence }: { readonly id: string; readonly sentence: string | undefined }): VNode | null =>
  (sentence === undefined ? null : <p class="fault" id={`${id}-fault`} role="alert"><Icon name="alert" />{sentence}</p>)

/** Names the hint and the fault of a field to screen readers, which read them with the field. */
const describedBy = (id: string, hint: string | undefined, fault: string | undefined): { readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: true } => {
  const ids = [...(hint === undefined ? [] : [`${id}-hint`]), ...(fault === undefined ? [] : [`${id}-fault`])]
  return { ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }), ...(fault !== undefined && { 'aria-invalid': true }) }
}

/** One of several boxes to tick; a box that is ticked sends `on`. */
export const Tick = ({ id, label, hint, isTicked }: {
  readonly id: string; readonly label: string; readonly hint?: string | undefined; readonly isTicked: boolean
}): VNode => (
  <div class="option">
    <input type="checkbox" id={id} name={id} checked={isTicked} />
    <label for={id}>{label}</label>
    {hint !== undefined && <span class="hint">{hint}</span>}
  </div>
)

/** What went wrong with a form, read out by screen readers at once. */
export const Problem = ({ sentence }: { readonly sentence: string | undefined }): VNode | null =>
  (sentence === undefined ? null : <p class="note bad" role="alert">{sentence}</p>)

/** What is shown only after it was opened: a title, a sentence on it, and what there is. */
export const Behind = ({ title, label, sentence, children, isDangerous = false, isOpen = false }: {
  readonly title: string
  /** What a screen reader says where the title alone does not say of what. */
  readonly label?: string
  readonly sentence?: string
  readonly children: ComponentChildren
  readonly isDangerous?: boolean
  readonly isOpen?: boolean
}): VNode => (
  <details class={isDangerous ? 'behind danger' : 'behind'} open={isOpen}>
    <summary {...(label !== undefined && { 'aria-label': label })}>{title}</summary>
    {sentence !== undefined && <p class="soft">{sentence}</p>}
    {children}
  </details>
)

/** An act that is done only after its line was opened and read: what will happen, what else it needs, and a button that says the act again. */
export const Confirm = ({ title, label, sentence, action, verb, verbLabel, children, isDangerous = false, isOpen = false }: {
  readonly title: string
  readonly label?: string
  readonly sentence?: string
  readonly action: string
  readonly verb: string
  /** What a screen reader says where the button alone does not say of what. */
  readonly verbLabel?: string
  readonly children?: ComponentChildren
  readonly isDangerous?: boolean
  readonly isOpen?: boolean
}): VNode => (
  <Behind title={title} {...(label !== undefined && { label })} {...(sentence !== undefined && { sentence })} isDangerous={isDangerous} isOpen={isOpen}>
    <form method="post" action={action}>
      {children}
      <div><button {...(isDangerous && { class: 'danger' })} {...(verbLabel !== undefined && { 'aria-label': verbLabel })}>{verb}</button></div>
    </form>
  </Behind>
)

/** Something secret, shown this once: what it is, and what to do with it. */
export const Once = ({ sentence, secret, children }: { readonly sentence: string; readonly secret: string; readonly children?: ComponentChildren }): VNode => (
  <div class="note" role="status">
    <p>{sentence}</p>
    <code class="secret">{secret}</code>
    {children}
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
