import { type ComponentChildren, h, type VNode } from 'preact'
import { formatMicros } from '../../core/kernel/money.js'
import type { Instant } from '../../core/kernel/time.js'
import { Icon, type IconName } from './icons.js'
import { currentLanguage, dateFormat } from './language.js'
import { writeMoney } from './money.js'
import type { Sorting } from './sorting.js'
import { TEXTS } from './texts.js'

const { parts } = TEXTS
const WRITERS = {
  minute: dateFormat({ dateStyle: 'medium', timeStyle: 'short' }), second: dateFormat({ dateStyle: 'medium', timeStyle: 'medium' }),
  clock: dateFormat({ hour: '2-digit', minute: '2-digit' }), day: dateFormat({ day: 'numeric', month: 'short', year: 'numeric' }),
}

/** Typed as strings, because the types of the elements do not accept a type that is known only at run time, nor attributes of htmx. */
const INPUT: string = 'input'
const DIV: string = 'div'

/** An amount of money, never broken across lines; all its decimals are in the tooltip. */
export const Money = ({ micros, currency, isMovement = false }: {
  readonly micros: bigint
  readonly currency: string
  readonly isMovement?: boolean
}): VNode =>
  <span class={isMovement && micros > 0n ? 'money in' : 'money'} title={`${formatMicros(micros)} ${currency}`}>
    {writeMoney(micros, currency, isMovement)}
  </span>

/**
 * A timestamp, in the time zone of the page.
 *
 * A list shows how long ago it was, up to a day; a sentence always shows the timestamp itself, and below the name of a day only the time is shown. What comes next is shown by
 * its time alone if it comes today.
 */
export const Time = ({ at, as = 'minute' }: { readonly at: Instant; readonly as?: keyof typeof WRITERS | 'ago' | 'next' }): VNode =>
  <time dateTime={new Date(at).toISOString()} data-as={as}>{WRITERS[as === 'ago' || as === 'next' ? 'minute' : as](at)}</time>

/** How many characters of an id distinguish it in a list. */
const SHOWN_OF_ID = 6

/** An id: its last characters in a list, the whole id on its own page, and a button that copies it if scripts run. */
export const Id = ({ of, text = of, isWhole = false, href }: {
  readonly of: string
  /** The text for people, if it differs from the copied text. */
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
 * A sentence that Postern has only in English, such as the result of a check. A page in another language marks it as English, so a screen reader reads it
 * as English.
 */
export const English = ({ children }: { readonly children: ComponentChildren }): VNode =>
  currentLanguage() === 'en' ? <>{children}</> : <span lang="en">{children}</span>

/** What a state requires from people: nothing, patience, a look, or an action. */
export type Tone = 'good' | 'moving' | 'attention' | 'bad' | 'quiet'

/** A text with a capital first letter. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A state as a word, and as a colour for people who see colours. */
export const State = ({ text, tone }: { readonly text: string; readonly tone: Tone }): VNode => (
  <span class={`state ${tone}`}>{capitalised(text)}</span>
)

/**
 * A column of a table: numbers are aligned right, `fit` is as wide as its widest value, and the others of a compact table share the rest. `pick` has the
 * checkboxes that choose rows; the script chooses all of them. A column with `sort` links to the table in its order.
 */
export type Column =
  | string | { readonly text: string; readonly sort: string } | { readonly number: string; readonly sort?: string }
  | { readonly fit: string } | { readonly pick: string }

const headOf = (column: Column, sorting: Sorting | undefined): VNode => {
  if (typeof column === 'string') return <th scope="col" key={column}>{column}</th>
  if ('pick' in column) {
    const { pick } = column
    return <th scope="col" class="pick" key={pick}><span class="unseen">{pick}</span><input type="checkbox" aria-label={pick} /></th>
  }
  if ('fit' in column) return <th scope="col" class="fit" key={column.fit}>{column.fit}</th>
  const [text, look] = 'number' in column ? [column.number, { class: 'number' }] : [column.text, {}]
  const { sort } = column
  if (sort === undefined || sorting === undefined) return <th scope="col" {...look} key={text}>{text}</th>
  const order = sort !== sorting.by ? 'none' : sorting.isReverse ? 'descending' : 'ascending'
  return <th scope="col" {...look} key={text} aria-sort={order}><a href={sorting.addressOf(sort)}>{text}</a></th>
}

/**
 * A table that can be scrolled sideways, and becomes a list of cards on a narrow screen.
 *
 * In a compact table each row is one line: what is too long ends in an ellipsis. On a narrow screen a row has two lines of its cells `first` and `mark`, `what` and `sent`,
 * with `act` beside them; the others are hidden. `j` and `k` move through the links of `first`.
 */
export const Table = ({ label, columns, isCompact = false, sorting, children }: {
  readonly label: string; readonly columns: ReadonlyArray<Column>; readonly isCompact?: boolean; readonly sorting?: Sorting
  readonly children: ComponentChildren
}): VNode => (
  <div class="scroll card" role="region" aria-label={label} tabindex={0}>
    <table class={isCompact ? 'cards compact' : 'cards'}>
      <thead>
        <tr>
          {columns.map((column) => headOf(column, sorting))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)

/** An empty list: a sentence, and the next step. */
export const Empty = ({ sentence, icon = 'empty', children }: {
  readonly sentence: string
  readonly icon?: IconName
  readonly children?: ComponentChildren
}): VNode =>
  <div class="empty"><Icon name={icon} /><p>{sentence}</p>{children}</div>

/** A part of a page with its own title. */
export const Panel = ({ id, title, children }: {
  readonly id: string
  readonly title: ComponentChildren
  readonly children: ComponentChildren
}): VNode =>
  <section class="card panel" aria-labelledby={id}><h2 id={id}>{title}</h2>{children}</section>

/** A title, and next to it a link to more. */
export const Heading = ({ id, title, href, more }: {
  readonly id?: string
  readonly title: string
  readonly href: string
  readonly more: string
}): VNode =>
  <div class="heading"><h2 {...(id !== undefined && { id })}>{title}</h2><a href={href}>{more}</a></div>

/** The pages of one thing, next to each other above its content. */
export const Tabs = ({ label, tabs, current }: {
  readonly label: string
  readonly tabs: ReadonlyArray<{ readonly name: string; readonly text: string; readonly href: string }>
  readonly current: string
}): VNode => (
  <nav class="tabs" aria-label={label}>
    <ul>
      {tabs.map(({ name, text, href }) => (
        <li key={name}><a href={href} {...(name === current && { 'aria-current': 'page' })}>{text}</a></li>
      ))}
    </ul>
  </nav>
)

/** Figures next to each other. */
export const Stats = ({ children }: { readonly children: ComponentChildren }): VNode => <dl class="stats card">{children}</dl>

/** A figure, more prominent than its name; its course, and its link. */
export const Stat = ({ name, value, spark, href, children }: {
  readonly name: string
  readonly value: ComponentChildren
  readonly spark?: VNode
  readonly href?: string
  readonly children?: ComponentChildren
}): VNode => (
  <div {...(href !== undefined && { class: 'leads' })}>
    <dt>{href === undefined ? name : <a href={href}>{name}</a>}</dt>
    <dd><strong>{value}</strong>{children !== undefined && <span class="hint">{children}</span>}{spark}</dd>
  </div>
)

/** The facts about one object, by name. */
export const Facts = ({ facts }: {
  readonly facts: ReadonlyArray<readonly [name: ComponentChildren, value: ComponentChildren]>
}): VNode => (
  <dl class="facts card">
    {facts.map(([name, value], at) => <div key={at}><dt>{name}</dt><dd>{value}</dd></div>)}
  </dl>
)

/** An event in a timeline: its state, what happened, when, and further details. */
export type TimelineStep = {
  readonly key: string
  readonly tone: Tone
  readonly what: ComponentChildren
  readonly at: Instant
  readonly more?: ComponentChildren
}

/** Events in order, oldest first. */
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

/** The common properties of all fields. */
type Asked = {
  readonly id: string
  readonly label: string
  readonly value?: string | undefined
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  readonly required?: boolean
  /** Whether this field gets the focus, for example because it has a fault. */
  readonly isFirst?: boolean
  /** The maximum number of characters, if it is worth showing; the script counts them. */
  readonly counted?: string | undefined
}

/** A labelled field of a form. */
export const Field = ({
  id, name = id, label, value, hint, fault, type = 'text', required = true, isFirst, counted, autocomplete = 'off', inputmode, maxLength,
}: Asked
& {
  /** The id by default. */
  readonly name?: string
  readonly type?: 'text' | 'url' | 'search' | 'email' | 'password' | 'date' | 'datetime-local' | 'time'
  readonly autocomplete?: 'username' | 'email' | 'current-password' | 'new-password' | 'off'
  readonly inputmode?: 'decimal' | 'numeric'
  readonly maxLength?: number
}): VNode => (
  <Asking id={id} label={label} hint={hint} fault={fault} counted={counted}>
    {h(INPUT, {
      id, name, type, required, value, inputmode, maxlength: maxLength, autofocus: isFirst, autocomplete, spellcheck: false,
      class: inputmode === undefined ? undefined : 'short', ...describedBy(id, hint, fault),
    })}
  </Asking>
)

/** A labelled field for several lines of text. */
export const LinesField = ({ id, label, value, hint, fault, required, isFirst, counted, maxLength }: Asked & {
  readonly maxLength: number
}): VNode => (
  <Asking id={id} label={label} hint={hint} fault={fault} counted={counted}>
    <textarea
      id={id} name={id} required={required} maxLength={maxLength} {...(isFirst === true && { autofocus: true })}
      {...describedBy(id, hint, fault)}
    >{value}</textarea>
  </Asking>
)

/** A labelled field for one of several values; the children are its options. */
export const ChoiceField = ({ id, label, hint, fault, required = false, isFirst, children }: Omit<Asked, 'value'> & {
  readonly children: ComponentChildren
}): VNode => (
  <Asking id={id} label={label} hint={hint} fault={fault}>
    <select id={id} name={id} required={required} {...(isFirst === true && { autofocus: true })} {...describedBy(id, hint, fault)}>
      {children}
    </select>
  </Asking>
)

/** A labelled field for a file, which can also be dragged onto it. `most` is its maximum size in bytes. */
export const FileField = ({ id, label, hint, fault, isFirst, accept, most, tooLarge }: Omit<Asked, 'value' | 'required' | 'counted'> & {
  readonly accept: string | undefined
  readonly most: number
  readonly tooLarge: string
}): VNode => (
  <Asking id={id} label={label} hint={hint} fault={fault}>
    {h(INPUT, {
      id, name: id, type: 'file', required: true, accept, autofocus: isFirst, class: 'file', 'data-most': most, 'data-too-large': tooLarge,
      ...describedBy(id, hint, fault),
    })}
  </Asking>
)

const Asking = ({ id, label, hint, fault, counted, children }: Pick<Asked, 'id' | 'label' | 'hint' | 'fault' | 'counted'> & {
  readonly children: ComponentChildren
}): VNode => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
    {counted !== undefined && <div class="hint count">{counted}</div>}
    {hint !== undefined && <div class="hint" id={`${id}-hint`}>{hint}</div>}
    <Fault id={id} sentence={fault} />
  </div>
)

/** The fault of one field, shown under it and read out immediately by screen readers. */
export const Fault = ({ id, sentence }: { readonly id: string; readonly sentence: string | undefined }): VNode | null =>
  (sentence === undefined ? null : <p class="fault" id={`${id}-fault`} role="alert"><Icon name="alert" />{sentence}</p>)

/** Why a form was refused: a sentence, and the id of the field with the fault, if it is the fault of one field. */
export type Refused = { readonly problem?: string | undefined; readonly at?: string | undefined }

/** The fault of a field, which then gets the focus; nothing for every other field. */
export const faultAt = ({ problem, at }: Refused, id: string): { readonly fault?: string; readonly isFirst?: true } =>
  (at === id && problem !== undefined ? { fault: problem, isFirst: true } : {})

/** Links the hint and the fault of a field to it, so that screen readers read them with the field. */
const describedBy = (
  id: string, hint: string | undefined, fault: string | undefined,
): { readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: true } => {
  const ids = [...(hint === undefined ? [] : [`${id}-hint`]), ...(fault === undefined ? [] : [`${id}-fault`])]
  return { ...(ids.length > 0 && { 'aria-describedby': ids.join(' ') }), ...(fault !== undefined && { 'aria-invalid': true }) }
}

/** One of several checkboxes; a ticked checkbox sends `on`. */
export const Tick = ({ id, label, hint, fault, isFirst, isTicked }: Pick<Asked, 'id' | 'label' | 'hint' | 'fault' | 'isFirst'> & {
  readonly isTicked: boolean
}): VNode => (
  <div class="option">
    <input
      type="checkbox" id={id} name={id} checked={isTicked} {...(isFirst === true && { autofocus: true })}
      {...describedBy(id, undefined, fault)}
    />
    <label for={id}>{label}</label>
    {hint !== undefined && <span class="hint">{hint}</span>}
    <Fault id={id} sentence={fault} />
  </div>
)

/** The problem with a form, read out immediately by screen readers. The fault of one field is shown at the field instead. */
export const Problem = ({ sentence, at }: { readonly sentence: string | undefined; readonly at?: string | undefined }): VNode | null =>
  (sentence === undefined || at !== undefined ? null : <p class="note bad" role="alert">{sentence}</p>)

/** The parameter of an address that opens the side panel of a page. */
export const OPEN_PANEL = 'new'

/**
 * A form over the dimmed page, such as for something new. Its address opens it, so it needs no script. The script makes it modal, closes it with Escape and keeps what was
 * typed until the page is left.
 */
export const SidePanel = ({ id, title, close, children }: {
  readonly id: string; readonly title: string
  /** The address of the page without the panel. */
  readonly close: string
  readonly children: ComponentChildren
}): VNode => (
  <dialog class="side-panel" open aria-labelledby={id} data-close={close}>
    <div class="heading"><h2 id={id}>{title}</h2><a class="close" href={close} aria-label={parts.close}><Icon name="close" /></a></div>
    {children}
  </dialog>
)

/** The rare actions of a page or of a row, behind a button with three dots. The script closes it with Escape and with a click elsewhere. */
export const Menu = ({ label, isOpen = false, children }: {
  readonly label: string; readonly isOpen?: boolean; readonly children: ComponentChildren
}): VNode => (
  <details class="more" open={isOpen}>
    <summary aria-label={label} title={label}><Icon name="more" /></summary>
    <div class="card">{children}</div>
  </details>
)

/** Content that is shown only after it was opened: a title, a sentence about it, and the content. */
export const Behind = ({ title, label, sentence, children, isAct = false, isDangerous = false, isOpen = false }: {
  readonly title: string
  /** The text for screen readers if the title alone is not clear. */
  readonly label?: string
  readonly sentence?: string
  readonly children: ComponentChildren
  /** Whether it is an action, whose title looks like a button. */
  readonly isAct?: boolean
  readonly isDangerous?: boolean
  readonly isOpen?: boolean
}): VNode => (
  <details class={['behind', ...(isAct ? ['opens'] : []), ...(isDangerous ? ['danger'] : [])].join(' ')} open={isOpen}>
    <summary {...(label !== undefined && { 'aria-label': label })}>{title}</summary>
    {sentence !== undefined && <p class="soft">{sentence}</p>}
    {children}
  </details>
)

/** An action that is possible only after its line was opened and read: its effect, its further fields, and a button that repeats the action. */
export const Confirm = ({ title, label, sentence, action, verb, verbLabel, children, isDangerous = false, isOpen = false }: {
  readonly title: string
  readonly label?: string
  readonly sentence?: string
  readonly action: string
  readonly verb: string
  /** The text for screen readers if the button alone is not clear. */
  readonly verbLabel?: string
  readonly children?: ComponentChildren
  readonly isDangerous?: boolean
  readonly isOpen?: boolean
}): VNode => (
  <Behind
    title={title} {...(label !== undefined && { label })} {...(sentence !== undefined && { sentence })} isAct isDangerous={isDangerous}
    isOpen={isOpen}
  >
    <form method="post" action={action}>
      {children}
      <div>
        <button {...(isDangerous && { class: 'danger' })} {...(verbLabel !== undefined && { 'aria-label': verbLabel })}>{verb}</button>
      </div>
    </form>
  </Behind>
)

/** A secret that is shown only once: its name, and what to do with it. */
export const Once = ({ sentence, secret, children }: {
  readonly sentence: string
  readonly secret: string
  readonly children?: ComponentChildren
}): VNode => (
  <div class="note" role="status">
    <p>{sentence}</p>
    <Secret secret={secret} label={parts.secret} />
    {children}
  </div>
)

/** A secret in one line, with a button that copies it if scripts run. */
export const Secret = ({ secret, label }: { readonly secret: string; readonly label: string }): VNode =>
  <Copied text={secret} label={label}><code class="secret">{secret}</code></Copied>

/** A secret or a command, by default as several lines, with a button that copies it if scripts run. */
export const Copied = ({ text, label, children }: {
  readonly text: string; readonly label: string; readonly children?: ComponentChildren
}): VNode => (
  <div class="command">
    {children ?? <pre class="secret" tabindex={0} aria-label={label}>{text}</pre>}
    <button type="button" class="copy" data-copy={text} aria-label={parts.copy(label)}><Icon name="copy" /></button>
  </div>
)

/**
 * The live part of a page: its current content and, if scripts run, its later content. The stream at `address` sends this part.
 *
 * It replaces only what changed, so that the keyboard focus stays where it is.
 */
export const Live = ({ address, children }: { readonly address: string; readonly children: ComponentChildren }): VNode =>
  h(DIV, liveAt(address), children)

/** Attributes of htmx, which are missing from the types of elements. */
const liveAt = (address: string): object => ({ 'hx-sse:connect': address, 'hx-swap': 'innerMorph' })
