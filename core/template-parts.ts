import { elementsOf, isJsonObject, type Json, type JsonObject } from './json.js'
import type { Placeholder } from './placeholder.js'
import type { Template } from './template.js'
import { hasOtherBraces, variablesIn } from './template-text.js'

/** What a part of a template takes from a send; `longest` is the number of characters that a text may have. */
export type Takes =
  /** A parameter for each variable of a text; `counts` are the numbers of parameters that the platform may expect, empty where that is not known. */
  | { readonly _tag: 'Variables'; readonly names: ReadonlyArray<string>; readonly counts: ReadonlyArray<number>; readonly named: boolean; readonly longest: number }
  /** One parameter of a type, or none where it is optional; `alsoTaken` are types of which it is not known that the platform refuses them. */
  | { readonly _tag: 'One'; readonly type: string; readonly alsoTaken: ReadonlyArray<string>; readonly optional: boolean; readonly longest: number }
  | { readonly _tag: 'Nothing' }
  | { readonly _tag: 'Unknown' }

/** A part of a template that a send may address, and, for a button of a known kind, the `sub_type` by which it does. */
export type TemplatePart = {
  readonly component: Placeholder['component']
  readonly button?: number
  readonly subType?: string
  readonly takes: Takes
}

/** The parts of a template or of a carousel's card. */
export type TemplateParts = {
  readonly parts: ReadonlyArray<TemplatePart>
  /** The number of its buttons; `undefined` where it is not known. */
  readonly buttons: number | undefined
  /** The cards of its carousel, none where it has no carousel; `undefined` where too little is known of them. */
  readonly cards: ReadonlyArray<TemplateParts> | undefined
}

const unknown: Takes = { _tag: 'Unknown' }
const nothing: Takes = { _tag: 'Nothing' }
const one = (type: string, alsoTaken: ReadonlyArray<string> = []): Takes => ({ _tag: 'One', type, alsoTaken, optional: false, longest: Infinity })
const atMostOne = (type: string): Takes => ({ _tag: 'One', type, alsoTaken: [], optional: true, longest: Infinity })
/** The variable of an address is documented to take a text alone, but nothing says that the others are refused. */
const oneText = ({ category }: Template): Takes =>
  ({ _tag: 'One', type: 'text', alsoTaken: ['currency', 'date_time'], optional: false, longest: longestText(category) })
/** The platform takes nothing but a code in a template of this category. */
const longestText = (category: string): number => (category === 'authentication' ? 15 : Infinity)

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
      { component: 'body', takes: takenBy(components, 'body', ({ text }) => textTakes(text, template)) },
      { component: 'limited_time_offer', takes: takenBy(components, 'limited_time_offer', offerTakes, isWhole ? nothing : unknown) },
      ...(buttons ?? []).map((button, index) => buttonPart(button, index, template)),
    ],
    buttons: buttons?.length,
    cards: cardsIn(components, template, isWhole),
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

const headerTakes = ({ format, text }: JsonObject, template: Template): Takes => {
  switch (wordOf(format)) {
    case 'text': return textTakes(text, template)
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

const textTakes = (text: Json | undefined, { parameterFormat: format, category }: Template): Takes => {
  if (typeof text !== 'string' || hasOtherBraces(text)) return unknown
  const written = variablesIn(text)
  if (written.length === 0) return nothing
  const names = [...new Set(written)]
  const longest = longestText(category)
  const named = format === 'named' || !names.every((name) => NUMBER.test(name))
  if (named) {
    const isKnown = format === 'named' && names.every((name) => NAME.test(name))
    return { _tag: 'Variables', named, longest, names, counts: isKnown ? [names.length, written.length] : [] }
  }
  // Whether a repeated or left-out number counts is not documented: any of these counts may be the expected one.
  const inOrder = names.sort((a, b) => Number(a) - Number(b))
  const counts = format === 'positional' ? [names.length, written.length, Number(inOrder.at(-1))] : []
  return { _tag: 'Variables', named, longest, names: inOrder, counts }
}

const offerTakes = ({ limited_time_offer: offer }: JsonObject): Takes =>
  isJsonObject(offer) && offer['has_expiration'] === true ? one('limited_time_offer') : unknown

const buttonsIn = (components: ReadonlyArray<Json>, isWhole: boolean): ReadonlyArray<Json> | undefined => {
  const [component, second] = ofKind(components, 'buttons')
  if (component === undefined) return isWhole ? [] : undefined
  return second === undefined ? elementsOf(component['buttons']) : undefined
}

const buttonPart = (button: Json, index: number, template: Template): TemplatePart => {
  const at = { component: 'button', button: index } as const
  if (!isJsonObject(button)) return { ...at, takes: unknown }
  const isAuthentication = template.category === 'authentication'
  switch (wordOf(button['type'])) {
    case 'url': return { ...at, subType: 'url', takes: urlTakes(button['url'], template) }
    case 'quick_reply': return { ...at, subType: 'quick_reply', takes: atMostOne('payload') }
    case 'flow': return { ...at, subType: 'flow', takes: atMostOne('action') }
    case 'phone_number': return { ...at, takes: nothing }
    // The creator of a template gives the button that copies a one-time password one of these types; a send fills it as a URL button.
    case 'otp': return { ...at, subType: 'url', takes: oneText(template) }
    case 'copy_code': return isAuthentication ? { ...at, takes: unknown } : { ...at, subType: 'copy_code', takes: one('coupon_code', ['text']) }
    default: return { ...at, takes: unknown }
  }
}

const urlTakes = (url: Json | undefined, template: Template): Takes => {
  if (typeof url !== 'string' || hasOtherBraces(url)) return unknown
  const variables = variablesIn(url).length
  if (variables === 0) return template.category === 'authentication' ? unknown : nothing
  return variables === 1 ? oneText(template) : unknown
}

const cardsIn = (components: ReadonlyArray<Json>, template: Template, isWhole: boolean): TemplateParts['cards'] => {
  const [carousel, second] = ofKind(components, 'carousel')
  if (carousel === undefined) return isWhole ? [] : undefined
  const parts = second === undefined ? elementsOf(carousel['cards'])?.map((card) => cardParts(card, template)) : undefined
  return parts && parts.length > 0 && parts.every((card) => card !== undefined) ? parts : undefined
}

/**
 * The parts of a card with a picture or a video. Others, such as cards of products, may be more or fewer than the template has. It is not known
 * what the platform makes of an offer in a card.
 */
const cardParts = (card: Json, template: Template): TemplateParts | undefined => {
  const components = isJsonObject(card) ? elementsOf(card['components']) : undefined
  if (components === undefined || ofKind(components, 'carousel').length > 0) return undefined
  const { parts, ...rest } = partsIn(components, template)
  const header = parts.find(({ component }) => component === 'header')
  return header?.takes._tag === 'One' ? { ...rest, parts: parts.filter(({ component }) => component !== 'limited_time_offer') } : undefined
}
