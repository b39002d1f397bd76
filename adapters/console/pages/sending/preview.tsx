import type { VNode } from 'preact'
import { elementsOf, isJsonObject, type Json, type JsonObject } from '../../../../core/kernel/json.js'
import type { ContentType } from '../../../../core/messages/content.js'
import { previewOf, type TemplatePreview } from '../../../../core/templates/parts.js'
import type { Template } from '../../../../core/templates/template.js'
import { Icon, type IconName } from '../../icons.js'
import { TEXTS } from '../../texts.js'

const { send: { shown: texts } } = TEXTS

/** A message as a phone shows it. */
export type Bubble = TemplatePreview & {
  /** Whether the texts are those of a template without its values: its variables, such as `{{1}}`, are then shown muted. */
  readonly isPattern?: boolean
  /** The elements above the text: a file, a place, contacts. */
  readonly things?: ReadonlyArray<{
    readonly icon: IconName
    readonly name: string
    readonly detail?: string | undefined
    readonly isPicture?: boolean
  }>
  /** The choices that the button of a list opens. */
  readonly rows?: ReadonlyArray<{ readonly title: string; readonly description: string | undefined }>
  readonly cards?: ReadonlyArray<Bubble>
}

const BLANK: Bubble = { header: undefined, body: undefined, footer: undefined, buttons: [] }

/** Unreadable parts are left out. */
export const bubbleOf = (type: ContentType, content: Json): Bubble => {
  switch (type) {
    case 'text': return { ...BLANK, body: textAt(content, 'body') }
    case 'image': case 'video': case 'sticker': case 'document': return {
      ...BLANK, things: [fileOf(type, content)], body: textAt(content, 'caption'),
    }
    case 'audio': return { ...BLANK, things: [{ ...fileOf(type, content), ...(at(content, 'voice') === true && { name: texts.voice }) }] }
    case 'location': return { ...BLANK, things: [placeOf(content)] }
    case 'contacts': return { ...BLANK, things: (elementsOf(content) ?? []).map(contactOf) }
    case 'reaction': return { ...BLANK, body: textAt(content, 'emoji') || texts.takesBack }
    case 'interactive': return interactiveOf(content)
  }
}

const at = (value: Json | undefined, ...names: ReadonlyArray<string>): Json | undefined =>
  names.reduce<Json | undefined>((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), value)

const textAt = (value: Json | undefined, ...names: ReadonlyArray<string>): string | undefined => {
  const found = at(value, ...names)
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined
}

const itemsAt = (value: Json | undefined, ...names: ReadonlyArray<string>): ReadonlyArray<Json> => elementsOf(at(value, ...names)) ?? []

const fileOf = (
  type: 'image' | 'video' | 'audio' | 'sticker' | 'document', file: Json | undefined,
): NonNullable<Bubble['things']>[number] => {
  const [name, link] = [textAt(file, 'filename'), textAt(file, 'link')]
  return {
    icon: type,
    name: name ?? texts[type],
    detail: link ?? (at(file, 'id') === undefined ? texts.chosen : texts.uploaded),
    isPicture: type !== 'document' && type !== 'audio',
  }
}

const placeOf = (place: Json): NonNullable<Bubble['things']>[number] => {
  const degrees = `${textAt(place, 'latitude') ?? ''}, ${textAt(place, 'longitude') ?? ''}`
  const [name, address] = [textAt(place, 'name'), textAt(place, 'address')]
  return {
    icon: 'location',
    name: name ?? degrees,
    detail: [address, ...(name === undefined ? [] : [degrees])].filter((part) => part !== undefined).join('\n'),
  }
}

const contactOf = (contact: Json): NonNullable<Bubble['things']>[number] => ({
  icon: 'contact', name: textAt(contact, 'name', 'formatted_name') ?? '',
  detail: [
    textAt(contact, 'org', 'company'), ...itemsAt(contact, 'phones').map((one) => textAt(one, 'phone')),
    ...itemsAt(contact, 'emails').map((one) => textAt(one, 'email')),
  ]
    .filter((part) => part !== undefined).join('\n'),
})

const FILE_HEADERS = ['image', 'video', 'document'] as const

const interactiveOf = (content: Json): Bubble => {
  const header = at(content, 'header')
  const file = FILE_HEADERS.find((kind) => at(header, 'type') === kind)
  const action = at(content, 'action')
  return {
    header: textAt(header, 'text'), body: textAt(content, 'body', 'text'), footer: textAt(content, 'footer', 'text'),
    buttons: buttonsOf(textAt(content, 'type'), action),
    ...(file !== undefined && { things: [fileOf(file, at(header, file))] }),
    rows: itemsAt(action, 'sections').flatMap((section) => itemsAt(section, 'rows')).map((row) => ({
      title: textAt(row, 'title') ?? '', description: textAt(row, 'description'),
    })),
    cards: itemsAt(action, 'cards').map(interactiveOf),
  }
}

const buttonsOf = (type: string | undefined, action: Json | undefined): ReadonlyArray<string> => {
  if (type === 'location_request_message') return [texts.location]
  if (type === 'request_contact_info') return [texts.number]
  const [label, url] = [textAt(action, 'parameters', 'display_text'), textAt(action, 'parameters', 'url')]
  const labels = [
    ...itemsAt(action, 'buttons').map((button) => textAt(button, 'reply', 'title') ?? textAt(button, 'quick_reply', 'title')),
    textAt(action, 'button'), textAt(action, 'parameters', 'flow_cta'),
    label === undefined || url === undefined ? label : `${label}: ${url}`,
  ]
  return labels.filter((one) => one !== undefined)
}

/** The characters around a value that was filled in; they are of the private use area, and are removed from values. */
const [OPEN, CLOSE] = ['\uE000', '\uE001']
const PARTS = /(\uE000[^\uE001]*\uE001|\{\{[^{}]*\}\})/

/** A template with the values of a request, each of which is marked. */
export const markedPreview = (template: Template, components: ReadonlyArray<JsonObject> | undefined): Bubble =>
  ({ ...previewOf(template, components?.map(markedComponent)), isPattern: true })

const markedComponent = (component: JsonObject): JsonObject => ({
  ...component, parameters: (elementsOf(component['parameters']) ?? []).map((parameter) => {
    const text = at(parameter, 'text')
    return isJsonObject(parameter) && typeof text === 'string'
      ? { ...parameter, text: `${OPEN}${text.replaceAll(OPEN, '').replaceAll(CLOSE, '')}${CLOSE}` }
      : parameter
  }),
})

/** A text of a message. Values that are marked are highlighted, and the variables of a pattern are muted. */
const Words = ({ text, isPattern }: { readonly text: string; readonly isPattern: boolean }): VNode => (
  <>
    {text.split(PARTS).map((part, index) => (index % 2 === 0 ? part
      : part.startsWith(OPEN) ? <mark key={index}>{part.slice(1, -1)}</mark>
      : isPattern ? <span class="unfilled" key={index}>{part}</span>
      : part))}
  </>
)

/** A message as the customer would see it. */
export const Preview = ({ preview: { header, body, footer, buttons, things = [], rows = [], cards = [], isPattern = false } }: {
  readonly preview: Bubble
}): VNode => (
  <div class="bubble">
    {things.map(({ icon, name, detail, isPicture = false }, index) => (
      <div class={isPicture ? 'thing picture' : 'thing'} key={index}>
        <Icon name={icon} /><div><strong>{name}</strong>{detail !== undefined && detail !== '' && <p>{detail}</p>}</div>
      </div>
    ))}
    {header !== undefined && header !== '' && <p><strong><Words text={header} isPattern={isPattern} /></strong></p>}
    {body !== undefined && body !== '' && <p><Words text={body} isPattern={isPattern} /></p>}
    {footer !== undefined && <p class="soft"><Words text={footer} isPattern={isPattern} /></p>}
    {buttons.length > 0 && (
      <ul>{buttons.map((button, index) => <li key={index}><Words text={button} isPattern={isPattern} /></li>)}</ul>
    )}
    {rows.length > 0 && (
      <ul class="rows">
        {rows.map(({ title, description }, index) => (
          <li key={index}>{title}{description !== undefined && <span class="hint">{description}</span>}</li>
        ))}
      </ul>
    )}
    {cards.length > 0 && (
      <div class="deck" role="group" aria-label={texts.cards} tabindex={0}>
        {cards.map((card, index) => <Preview key={index} preview={card} />)}
      </div>
    )}
  </div>
)
