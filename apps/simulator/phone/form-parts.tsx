import type { ComponentChildren, VNode } from 'preact'
import { addressOf, type View } from './view.js'

/** What every form of the page belongs to: what is shown, and whose phone it is. */
export type Place = { readonly view: View; readonly customer?: string }

/** A form for one act. Without scripts it leads to the page again; with them, only what changed is changed. */
export const ActForm = ({ act, place: { view, customer }, hasFile = false, children, class: className }: {
  readonly act: string
  readonly place: Place
  readonly hasFile?: boolean
  readonly class?: string
  readonly children: ComponentChildren
}): VNode => {
  const address = addressOf(`/_simulator/phone/${act}`, view)
  return (
    <form class={className} method="post" action={address} {...(hasFile && { enctype: 'multipart/form-data' as const })} {...postsTo(address)}>
      <input type="hidden" name="business" value={view.business} />
      {customer !== undefined && <input type="hidden" name="customer" value={customer} />}
      {children}
    </form>
  )
}

/** Attributes of htmx, which the types of elements do not know. */
const postsTo = (address: string): object => ({ 'hx-post': address, 'hx-target': '#app', 'hx-swap': 'innerMorph' })

/** A choice between several values. */
export const Choice = ({ id, name, label, options, chosen }: {
  readonly id: string
  readonly name: string
  readonly label: string
  readonly options: ReadonlyArray<readonly [value: string, label: string]>
  readonly chosen?: string
}): VNode => (
  <div>
    <label for={id}>{label}</label>
    <select id={id} name={name}>
      {options.map(([value, text]) => <option key={value} value={value} selected={value === chosen}>{text}</option>)}
    </select>
  </div>
)

/** A line of text with a label. */
export const Line = ({ id, name, label, value, maxLength, isTel = false }: {
  readonly id: string; readonly name: string; readonly label: string; readonly value?: string; readonly maxLength: number; readonly isTel?: boolean
}): VNode => (
  <div>
    <label for={id}>{label}</label>
    <input id={id} name={name} value={value} maxlength={maxLength} autocomplete="off" required {...(isTel && { inputmode: 'tel' as const })} />
  </div>
)
