import { elementsOf, isJsonObject, type Json, type JsonObject } from './json.js'
import type { Placeholder } from './placeholder.js'
import type { Template } from './template.js'
import { hasOtherBraces, variablesIn } from './template-text.js'

/** What a part of a template takes from a send. */
export type Takes =
  /** A parameter for each variable of a text; `counts` are the numbers of parameters that the platform may expect, empty where that is not known. */
  | { readonly _tag: 'Variables'; readonly names: ReadonlyArray<string>; readonly counts: ReadonlyArray<number>; readonly named: boolean }
  /** One parameter of a type; `alsoTaken` are types of which it is not known that the platform refuses them. */
  | { readonly _tag: 'One'; readonly type: string; readonly alsoTaken: ReadonlyArray<string>; readonly optional: boolean }
  | { readonly _tag: 'Nothing' }
  | { readonly _tag: 'Unknown' }

/** A part of a template that a send may address, and, for a button of a known kind, the `sub_type` by which it does. */
export type TemplatePart = {
  readonly component: Placeholder['component']
  readonly button?: number
  readonly subType?: string
  readonly takes: Takes
}

/** The parts of a template or of a carousel's card; `cards` is `undefined` where there is no carousel, or one of which too little is known. */
export type TemplateParts = {
  readonly parts: ReadonlyArray<TemplatePart>
  /** The number of its buttons; `undefined` where it is not known. */
  readonly buttons: number | undefined
  readonly cards: ReadonlyArray<TemplateParts> | undefined
}

const unknown: Takes = { _tag: 'Unknown' }
const nothing: Takes = { _tag: 'Nothing' }
const one = (type: string, alsoTaken: ReadonlyArray<string> = []): Takes => ({ _tag: 'One', type, alsoTaken, optional: false })
/** The variable of an address is documented to take a text alone, but nothing says that the others are refused. */
const oneText = one('text', ['currency', 'date_time'])
const atMostOne = (type: string): Takes => ({ _tag: 'One', type, alsoTaken: [], optional: true })

/**
 * What each part of a template takes, by the platform's rules as far as they are known.
 *
 * A kind that is not known, a part that stands twice or has an unexpected shape takes something unknown, and nothing is ever refused on its account.
 */
export const partsOf = (template: Template): TemplateParts | undefined =>
  template.components === undefined ? undefined : partsIn(template.components, template)

/** A word of the platform, which is written in capitals or small letters, in small letters; empty for a value that is no word. */
export const wordOf = (value: Json | undefined): string => (typeof value === 'string' ? value.toLowerCase() : '')

const partsIn = (components: ReadonlyArray<Json>, template: Template): TemplateParts => {
  // Every template has a body, so a list without one is not all of it, and what it lacks may exist.
  const isWhole = ofKind(components, 'body').length > 0
  const buttons = buttonsIn(components, isWhole)
  return {
    parts: [
      { component: 'header', takes: takenBy(components, 'header', (header) => headerTakes(header, template), isWhole ? nothing : unknown) },
      { component: 'body', takes: takenBy(components, 'body', ({ text }) => textTakes(text, template.parameterFormat)) },
      { component: 'limited_time_offer', takes: takenBy(components, 'limited_time_offer', offerTakes) },
      ...(buttons ?? []).map((button, index) => buttonPart(button, index, template)),
    ],
    buttons: buttons?.length,
    cards: cardsIn(components, template),
  }
}

const takenBy = (
  components: ReadonlyArray<Json>, kind: string, takes: (component: JsonObject) => Takes, absent: Takes = unknown,
): Takes => {
  const [component, second] = ofKind(components, kind)
  if (second !== undefined) return unknown
  return component === undefined ? absent : takes(component)
}

const ofKind = (components: ReadonlyArray<Json>, kind: string): ReadonlyArray<JsonObject> =>
  components.filter(isJsonObject).filter(({ type }) => wordOf(type) === kind)

const headerTakes = ({ format, text }: JsonObject, { parameterFormat }: Template): Takes => {
  switch (wordOf(format)) {
    case 'text': return textTakes(text, parameterFormat)
    case 'image': return one('image')
    case 'video': return one('video')
    case 'document': return one('document')
    case 'location': return one('location')
    case 'gif': return one('gif', ['video', 'image'])
    default: return unknown
  }
}

const NUMBER = /^[1-9][0-9]{0,2}$/
const NAME = /^[a-z_][a-z0-9_]*$/

const textTakes = (text: Json | undefined, format: Template['parameterFormat']): Takes => {
  if (typeof text !== 'string' || hasOtherBraces(text)) return unknown
  const written = variablesIn(text)
  if (written.length === 0) return nothing
  const names = [...new Set(written)]
  const named = format === 'named' || !names.every((name) => NUMBER.test(name))
  if (named) {
    const isKnown = format === 'named' && names.every((name) => NAME.test(name))
    return { _tag: 'Variables', named, names, counts: isKnown ? [names.length, written.length] : [] }
  }
  // Whether a repeated or left-out number counts is not documented: any of these counts may be the expected one.
  const inOrder = names.sort((a, b) => Number(a) - Number(b))
  return { _tag: 'Variables', named, names: inOrder, counts: format === 'positional' ? [names.length, written.length, Number(inOrder.at(-1))] : [] }
}

const offerTakes = ({ limited_time_offer: offer }: JsonObject): Takes =>
  isJsonObject(offer) && offer['has_expiration'] === true ? one('limited_time_offer') : unknown

const buttonsIn = (components: ReadonlyArray<Json>, isWhole: boolean): ReadonlyArray<Json> | undefined => {
  const [component, second] = ofKind(components, 'buttons')
  if (component === undefined) return isWhole ? [] : undefined
  return second === undefined ? elementsOf(component['buttons']) : undefined
}

const buttonPart = (button: Json, index: number, { category }: Template): TemplatePart => {
  const at = { component: 'button', button: index } as const
  if (!isJsonObject(button)) return { ...at, takes: unknown }
  const isAuthentication = category === 'authentication'
  switch (wordOf(button['type'])) {
    case 'url': return { ...at, subType: 'url', takes: urlTakes(button['url'], isAuthentication) }
    case 'quick_reply': return { ...at, subType: 'quick_reply', takes: atMostOne('payload') }
    case 'flow': return { ...at, subType: 'flow', takes: atMostOne('action') }
    case 'phone_number': return { ...at, takes: nothing }
    // The button that copies a one-time password is one of these to whoever makes the template, and a URL button to whoever sends it.
    case 'otp': return { ...at, takes: oneText }
    case 'copy_code': return isAuthentication ? { ...at, takes: unknown } : { ...at, subType: 'copy_code', takes: one('coupon_code', ['text']) }
    default: return { ...at, takes: unknown }
  }
}

const urlTakes = (url: Json | undefined, isAuthentication: boolean): Takes => {
  if (typeof url !== 'string' || hasOtherBraces(url)) return unknown
  const variables = variablesIn(url).length
  if (variables === 0) return isAuthentication ? unknown : nothing
  return variables === 1 ? oneText : unknown
}

const cardsIn = (components: ReadonlyArray<Json>, template: Template): TemplateParts['cards'] => {
  const [carousel, second] = ofKind(components, 'carousel')
  const cards = second === undefined ? elementsOf(carousel?.['cards']) : undefined
  const parts = cards?.map((card) => cardParts(card, template))
  return parts && parts.length > 0 && parts.every((card) => card !== undefined) ? parts : undefined
}

/** The parts of a card with a picture or a video. Others, such as cards of products, may be more or fewer than the template has. */
const cardParts = (card: Json, template: Template): TemplateParts | undefined => {
  const components = isJsonObject(card) ? elementsOf(card['components']) : undefined
  if (components === undefined || ofKind(components, 'carousel').length > 0) return undefined
  const parts = partsIn(components, template)
  const header = parts.parts.find(({ component }) => component === 'header')
  return header?.takes._tag === 'One' ? parts : undefined
}
