import { h, type ComponentChildren, type VNode } from 'preact'

/** Typed as a text, because the types of the elements do not take a type that is known at run time only. */
const INPUT: string = 'input'

/** A labelled field for a line of text. */
export const TextField = ({ id, name = id, label, value, hint, fault, type = 'text', required = true, inputmode, maxLength }: {
  readonly id: string
  /** The id, if nothing else is said. */
  readonly name?: string
  readonly label: string
  readonly value?: string | undefined
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  readonly type?: 'text' | 'url' | 'search' | 'password' | 'datetime-local'
  readonly required?: boolean
  readonly inputmode?: 'decimal' | 'numeric'
  readonly maxLength?: number
}): VNode => (
  <div>
    <label for={id}>{label}</label>
    {hint !== undefined && <div class="hint" id={`${id}-hint`}>{hint}</div>}
    {h(INPUT, {
      id, name, type, required, value, inputmode, maxlength: maxLength, autocomplete: 'off', spellcheck: false, ...describedBy(id, hint, fault),
    })}
    <Fault id={id} sentence={fault} />
  </div>
)

/** A labelled field for several lines of text. */
export const LinesField = ({ id, label, value, hint, fault, required, maxLength }: {
  readonly id: string; readonly label: string; readonly value: string; readonly hint: string | undefined; readonly fault: string | undefined
  readonly required: boolean; readonly maxLength: number
}): VNode => (
  <div>
    <label for={id}>{label}</label>
    {hint !== undefined && <div class="hint" id={`${id}-hint`}>{hint}</div>}
    <textarea id={id} name={id} required={required} maxLength={maxLength} {...describedBy(id, hint, fault)}>{value}</textarea>
    <Fault id={id} sentence={fault} />
  </div>
)

/** What is wrong with one field, under it, and read out by screen readers at once. */
export const Fault = ({ id, sentence }: { readonly id: string; readonly sentence: string | undefined }): VNode | null =>
  (sentence === undefined ? null : <p class="fault" id={`${id}-fault`} role="alert">{sentence}</p>)

/** Names the hint and the fault of a field to screen readers, which read them with the field. */
export const describedBy = (id: string, hint: string | undefined, fault: string | undefined): { readonly 'aria-describedby'?: string; readonly 'aria-invalid'?: true } => {
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

/** What is done only after it was opened and read: a title, a sentence on what happens, and the form. */
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

/** Something secret, shown this once: what it is, and what to do with it. */
export const Once = ({ sentence, secret, children }: { readonly sentence: string; readonly secret: string; readonly children?: ComponentChildren }): VNode => (
  <div class="note" role="status">
    <p>{sentence}</p>
    <code class="secret">{secret}</code>
    {children}
  </div>
)

/** What is known of one thing, name by name. */
export const Facts = ({ facts }: { readonly facts: ReadonlyArray<readonly [name: string, value: ComponentChildren]> }): VNode => (
  <dl class="pairs">
    {facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
  </dl>
)

/** How things stand, in a word, and for who sees colours in a colour. */
export const Badge = ({ text, tone = 'plain' }: { readonly text: string; readonly tone?: 'good' | 'bad' | 'plain' }): VNode =>
  <span class={`badge ${tone}`}>{text}</span>
