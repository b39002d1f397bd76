import * as E from 'fp-ts/lib/Either.js'
import { isMediaKind, type MediaKind } from '../graph/free-form.js'
import { elementsOf, fieldOf } from '../graph/rules.js'
import { isObject, parseJson } from '../http.js'
import type { Attachment } from '../media.js'
import { readComponents, type SentComponent, type SentParameter } from '../templates/sent-components.js'
import { partOf, type TemplateButton, type TemplateComponent } from '../templates/template.js'
import type { CustomerMessage } from '../webhooks/customer-message.js'
import type { BusinessEntry } from './chat-log.js'

/** A message of the business as the customer reads it. */
export type Content = {
  /** The kind of the message, if its other parts do not show it. */
  readonly label: string | undefined
  readonly media: ShownMedia | undefined
  /** A text above the body, or the kind of its attachment. */
  readonly header: string | undefined
  readonly body: string
  readonly footer: string | undefined
  readonly place: ShownPlace | undefined
  readonly contacts: ReadonlyArray<ShownContact>
  readonly buttons: ReadonlyArray<ShownButton>
  readonly list: ShownList | undefined
  /** The cards of a carousel; a card itself has no cards. */
  readonly cards: ReadonlyArray<Content>
}

/** A medium: an upload that is still kept, or an address, which is never fetched. */
export type ShownMedia = {
  readonly kind: MediaKind
  readonly isVoice: boolean
  readonly name: string | undefined
  readonly file: Attachment | undefined
  readonly link: string | undefined
}

export type ShownPlace = { readonly name: string; readonly address: string; readonly degrees: string }

export type ShownContact = { readonly name: string; readonly lines: ReadonlyArray<string> }

/** A button or a row. A tap sends the answer if there is one, or opens the address if there is one; otherwise it does nothing here. */
export type ShownButton = {
  readonly sign: string
  readonly text: string
  readonly description?: string
  readonly answer?: CustomerMessage
  readonly url?: string
}

export type ShownList = {
  readonly label: string
  readonly sections: ReadonlyArray<{ readonly title: string; readonly rows: ReadonlyArray<ShownButton> }>
}

/** Finds a file that is still kept. */
export type FindFile = (id: string) => Attachment | undefined

const NOTHING: Content = {
  label: undefined, media: undefined, header: undefined, body: '', footer: undefined, place: undefined, contacts: [], buttons: [],
  list: undefined, cards: [],
}

const ATTACHED = { IMAGE: 'Photo', VIDEO: 'Video', DOCUMENT: 'Document', GIF: 'GIF', LOCATION: 'Location' } as const

/** The content of a message: one of the free-form types, or a template with its variables filled in. */
export const contentOfEntry = ({ body, template }: Pick<BusinessEntry, 'body' | 'template'>, find: FindFile): Content => {
  const request = parseJson(body)
  if (!isObject(request)) return { ...NOTHING, body: '(too long to show)' }
  if (template === undefined) return freeForm(textIn(request, 'type'), request, find)
  const sent = readComponents(fieldOf(request, 'template', 'components'))
  return filled(template.components, E.isRight(sent) ? sent.right : [], find)
}

/** The message that a message of the business quotes. A template never quotes, even if its request says so. */
export const quotedIn = ({ body, template }: BusinessEntry): string | undefined => {
  const id = template === undefined ? fieldOf(parseJson(body), 'context', 'message_id') : undefined
  return typeof id === 'string' ? id : undefined
}

/** The message that a message of the business reacts to, and the emoji; undefined if it is not a reaction. */
export const reactionIn = ({ body, template }: BusinessEntry): { readonly to: string; readonly emoji: string } | undefined => {
  const reaction = template === undefined ? fieldOf(parseJson(body), 'reaction') : undefined
  return reaction === undefined ? undefined : { to: textIn(reaction, 'message_id'), emoji: textIn(reaction, 'emoji') }
}

/** A few words for a quote. */
export const excerptOf = ({ body, header, label, media, place, contacts }: Content): string =>
  [body, header, media && (media.name ?? MEDIA_WORDS[media.kind]), place?.name, contacts[0]?.name, label]
    .find((words) => words !== undefined && words !== '')
  ?? 'Message'

/** The names of the kinds of media. */
export const MEDIA_WORDS: Readonly<Record<MediaKind, string>> = {
  image: 'Photo', video: 'Video', audio: 'Audio', document: 'Document', sticker: 'Sticker',
}

const freeForm = (type: string, request: Readonly<Record<string, unknown>>, find: FindFile): Content => {
  const given = request[type]
  if (isMediaKind(type)) return { ...NOTHING, media: mediaIn(type, given, find), body: textIn(given, 'caption') }
  switch (type) {
    case 'text': return { ...NOTHING, body: textIn(given, 'body') }
    case 'location': return { ...NOTHING, place: placeIn(given) }
    case 'contacts': return { ...NOTHING, contacts: elementsOf(given).map(contactIn) }
    case 'reaction': return {
      ...NOTHING, label: textIn(given, 'emoji') === '' ? 'Took a reaction back' : 'Reacted with', body: textIn(given, 'emoji'),
    }
    case 'interactive': return interactive(given, find)
    default: return NOTHING
  }
}

const mediaIn = (kind: MediaKind, given: unknown, find: FindFile): ShownMedia => ({
  kind, isVoice: fieldOf(given, 'voice') === true, name: nonEmpty(textIn(given, 'filename')), file: find(textIn(given, 'id')),
  link: nonEmpty(textIn(given, 'link')),
})

const placeIn = (given: unknown): ShownPlace =>
  ({ name: textIn(given, 'name'), address: textIn(given, 'address'), degrees: `${Number(fieldOf(given, 'latitude'))}, ${Number(fieldOf(given, 'longitude'))}` })

const contactIn = (given: unknown): ShownContact => ({
  name: textIn(fieldOf(given, 'name'), 'formatted_name'),
  lines: [
    textIn(fieldOf(given, 'org'), 'company'), ...elementsOf(fieldOf(given, 'phones')).map((phone) => textIn(phone, 'phone')),
    ...elementsOf(fieldOf(given, 'emails')).map((email) => textIn(email, 'email')),
    ...elementsOf(fieldOf(given, 'urls')).map((url) => textIn(url, 'url')),
    ...elementsOf(fieldOf(given, 'addresses')).map((address) =>
      ['street', 'city', 'country'].map((part) => textIn(address, part)).filter((part) => part !== '').join(', ')),
    textIn(given, 'birthday'),
  ].filter((line) => line !== ''),
})

const interactive = (given: unknown, find: FindFile): Content => {
  const [header, action] = [fieldOf(given, 'header'), fieldOf(given, 'action')]
  const kind = textIn(header, 'type')
  return {
    ...NOTHING, header: nonEmpty(textIn(header, 'text')), media: isMediaKind(kind) ? mediaIn(kind, fieldOf(header, kind), find) : undefined,
    body: textIn(fieldOf(given, 'body'), 'text'), footer: nonEmpty(textIn(fieldOf(given, 'footer'), 'text')),
    ...actionIn(textIn(given, 'type'), action, find),
  }
}

const actionIn = (type: string, action: unknown, find: FindFile): Partial<Content> => {
  const parameters = fieldOf(action, 'parameters')
  const offers = (label: string, sign: string, text: string): Partial<Content> => ({ label, buttons: [{ sign, text }] })
  switch (type) {
    case 'button': case 'cta_url': return { buttons: actionButtons(action) }
    case 'list': return { list: { label: textIn(action, 'button'), sections: sectionsIn(action, 'rows', rowIn) } }
    case 'carousel': return {
      cards: elementsOf(fieldOf(action, 'cards')).map((card) => ({
        ...interactive(card, find), buttons: actionButtons(fieldOf(card, 'action')),
      })),
    }
    case 'location_request_message': return {
      label: 'Asks where you are', buttons: [{ sign: '◎', text: 'Send my location', answer: { type: 'location' } }],
    }
    case 'request_contact_info': return {
      label: 'Asks for your number', buttons: [{ sign: '☺', text: 'Share my number', answer: { type: 'contacts' } }],
    }
    case 'flow': return offers('Flow', '☰', textIn(parameters, 'flow_cta'))
    case 'product': return offers(`Product ${textIn(action, 'product_retailer_id')}`, '▤', 'View')
    case 'product_list': return {
      label: 'Products', list: { label: 'View items', sections: sectionsIn(action, 'product_items', productIn) },
    }
    case 'catalog_message': return offers('Catalog', '▤', 'View catalog')
    case 'call_permission_request': return offers('Asks whether it may call you', '✆', 'Choose')
    case 'voice_call': return offers('Call', '✆', nonEmpty(textIn(parameters, 'display_text')) ?? 'Call now')
    case 'address_message': return offers('Asks for an address', '⌂', 'Provide address')
    default: return {}
  }
}

/** The replies of an action, or its address. */
const actionButtons = (action: unknown): ReadonlyArray<ShownButton> => {
  const replies = elementsOf(fieldOf(action, 'buttons')).map((button): ShownButton => {
    const reply = fieldOf(button, textIn(button, 'type'))
    const [id, title] = [textIn(reply, 'id'), textIn(reply, 'title')]
    return { sign: '↩', text: title, answer: { type: 'interactive', interactive: 'button_reply', text: title, payload: id } }
  })
  const parameters = fieldOf(action, 'parameters')
  return replies.length > 0 ? replies : [{ sign: '↗', text: textIn(parameters, 'display_text'), url: textIn(parameters, 'url') }]
}

const sectionsIn = (action: unknown, rows: string, rowOf: (row: unknown) => ShownButton): ShownList['sections'] =>
  elementsOf(fieldOf(action, 'sections')).map((section) => ({
    title: textIn(section, 'title'), rows: elementsOf(fieldOf(section, rows)).map(rowOf),
  }))

const rowIn = (row: unknown): ShownButton => {
  const [id, title, description] = [textIn(row, 'id'), textIn(row, 'title'), textIn(row, 'description')]
  const chosen = { id, title, ...(description !== '' && { description }) }
  return {
    sign: '↩', text: title, description,
    answer: {
      type: 'interactive', interactive: 'list_reply', text: title, fields: { interactive: { type: 'list_reply', list_reply: chosen } },
    },
  }
}

const productIn = (product: unknown): ShownButton => ({ sign: '▤', text: textIn(product, 'product_retailer_id') })

const filled = (components: ReadonlyArray<TemplateComponent>, sent: ReadonlyArray<SentComponent>, find: FindFile): Content => {
  const of = (type: string): ReadonlyArray<SentParameter> => sent.find((one) => one.type === type)?.parameters ?? []
  const [header, body, offer] = [partOf(components, 'HEADER'), partOf(components, 'BODY'), partOf(components, 'LIMITED_TIME_OFFER')]
  const cards = sent.find(({ type }) => type === 'carousel')?.cards ?? []
  const [attached] = of('header')
  const media = attached !== undefined && isMediaKind(attached.type) ? mediaIn(attached.type, attached[attached.type], find) : undefined
  const place = attached?.type === 'location' ? placeIn(attached['location']) : undefined
  const named = media === undefined && place === undefined ? header : undefined
  return {
    ...NOTHING, media, place,
    header: header?.format === 'TEXT' ? fill(header.text, of('header'))
      : named && named.format !== 'TEXT' ? ATTACHED[named.format]
      : undefined,
    body: [...(offer === undefined ? [] : [offer.limited_time_offer.text]), fill(body?.text ?? '', of('body'))].join('\n'),
    footer: partOf(components, 'FOOTER')?.text,
    buttons: (partOf(components, 'BUTTONS')?.buttons ?? []).map((button, index) =>
      shown(button, sent.find((one) => one.type === 'button' && one.index === index))),
    cards: (partOf(components, 'CAROUSEL')?.cards ?? []).map((card, index) =>
      filled(card.components, cards.find((one) => one.index === index)?.components ?? [], find)),
  }
}

const SIGNS: Partial<Record<TemplateButton['type'], string>> = { QUICK_REPLY: '↩', URL: '↗', PHONE_NUMBER: '✆', COPY_CODE: '⧉', FLOW: '☰' }

const shown = ({ type, text }: TemplateButton, sent: SentComponent | undefined): ShownButton => {
  const given = sent?.parameters[0]?.['payload']
  const answer: CustomerMessage = { type: 'button', text, payload: typeof given === 'string' ? given : text }
  return { sign: SIGNS[type] ?? '▸', text, ...(type === 'QUICK_REPLY' && { answer }) }
}

/** Fills the variables of a text, by their numbers or names; a variable without a parameter stays unchanged. */
const fill = (text: string, parameters: ReadonlyArray<SentParameter>): string =>
  text.replace(/\{\{\s*([a-z0-9_]+)\s*\}\}/g, (variable, name: string) => {
    const parameter = parameters.find((one) => one['parameter_name'] === name) ?? parameters[Number(name) - 1]
    return parameter === undefined ? variable : valueOf(parameter)
  })

const valueOf = (parameter: SentParameter): string => {
  const value = parameter[parameter.type]
  return typeof value === 'string' ? value : textIn(value, 'fallback_value')
}

const textIn = (value: unknown, key: string): string => {
  const text = fieldOf(value, key)
  return typeof text === 'string' ? text : ''
}

const nonEmpty = (text: string): string | undefined => (text === '' ? undefined : text)
