import type { WorkspaceId } from '../kernel/ids.js'
import { elementsOf, isJsonObject, type Json, type JsonObject } from '../kernel/json.js'
import type { NewEvent } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'

/**
 * A template as the platform lists it: <https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates>.
 *
 * A name may exist in several languages; each of these is a separate template.
 */
export type Template = {
  /** The platform's id. */
  readonly id: string
  readonly name: string
  readonly language: string
  /** The platform's word in lower case, such as `marketing`; `CATEGORIES` are those that a rate card can have. */
  readonly category: string
  /** The platform's word in lower case, such as `approved` or `paused`. */
  readonly status: string
  /** The platform's word in lower case: `green`, `yellow`, `red` or `unknown`; `undefined` if it reports none. */
  readonly quality: string | undefined
  /** How the variables of its texts are named; `undefined` if the platform reports no known format. */
  readonly parameterFormat: 'positional' | 'named' | undefined
  /** In the platform's form; `undefined` if they could not be read, so that the required parameters are unknown. */
  readonly components: ReadonlyArray<JsonObject> | undefined
}

/** Whether the platform sends a template. */
export const isApproved = ({ status }: Pick<Template, 'status'>): boolean => status === 'approved'

/** The states in which the platform does not send a template. */
const NOT_SENT = ['pending', 'rejected', 'paused', 'disabled', 'in_appeal', 'limit_exceeded', 'archived', 'pending_deletion', 'deleted']

/** The known states of templates. The platform may have others. */
export const TEMPLATE_STATUSES: ReadonlyArray<string> = ['approved', ...NOT_SENT]

/** Whether the platform may send a template: in an unknown state it may. */
export const isSendable = ({ status }: Pick<Template, 'status'>): boolean => !NOT_SENT.includes(status)

/** A template in the catalogue, with the time of each part that the platform can change by itself. */
export type TemplateRecord = Template & {
  /** When the platform last listed it. */
  readonly listedAt: Instant
  readonly statusAt: Instant
  readonly categoryAt: Instant
  readonly qualityAt: Instant
}

/** The parts of a template that the platform changes by itself. */
export type ChangedPart = { readonly status: string } | { readonly category: string } | { readonly quality: string }

/** A report of the platform on one template between two readings of its list. */
export type TemplateChange = { readonly name: string; readonly language: string; readonly at: Instant } & ChangedPart

/** A template of the catalogue before and after a write. */
export type TemplateDiff = { readonly before: TemplateRecord; readonly after: TemplateRecord }

/** Whether the platform has changed its status, its category or its quality. */
export const hasChanged = ({ before, after }: TemplateDiff): boolean =>
  before.status !== after.status || before.category !== after.category || before.quality !== after.quality

/** A record after the platform has listed the template at a given time: later reports on it stay. */
export const listedTemplate = (before: TemplateRecord | undefined, listed: Template, at: Instant): TemplateRecord => {
  if (before === undefined) return { ...listed, listedAt: at, statusAt: at, categoryAt: at, qualityAt: at }
  const after = at >= before.listedAt ? { ...before, ...listed, listedAt: at } : before
  return {
    ...after,
    ...(at >= before.statusAt ? { status: listed.status, statusAt: at } : { status: before.status }),
    ...(at >= before.categoryAt ? { category: listed.category, categoryAt: at } : { category: before.category }),
    ...(at >= before.qualityAt ? { quality: listed.quality, qualityAt: at } : { quality: before.quality }),
  }
}

/** A record after a change; a change that is older than the stored data changes nothing. */
export const changedTemplate = (before: TemplateRecord, change: TemplateChange): TemplateRecord => {
  const { at } = change
  if ('status' in change) return at >= before.statusAt ? { ...before, status: change.status, statusAt: at } : before
  if ('category' in change) return at >= before.categoryAt ? { ...before, category: change.category, categoryAt: at } : before
  return at >= before.qualityAt ? { ...before, quality: change.quality, qualityAt: at } : before
}

/** Whether a template is gone if the platform's whole list, read at a given time, does not contain it: it is, unless it was listed after that. */
export const isGone = ({ listedAt }: Pick<TemplateRecord, 'listedAt'>, at: Instant): boolean => listedAt <= at

/**
 * Whether a catalogue stores a template: the platform's names have at most 512 characters, and its languages at most 64. Not every database stores a NUL
 * or an unpaired surrogate.
 */
export const isCatalogued = ({ name, language }: Pick<Template, 'name' | 'language'>): boolean => NAME.test(name) && LANGUAGE.test(language)

const NAME = /^[^\0\p{Surrogate}]{1,512}$/u
const LANGUAGE = /^[^\0\p{Surrogate}]{1,64}$/u

/** A variable in a text of a template, such as `{{1}}` or `{{first_name}}`. */
const VARIABLE = /\{\{([^{}]*)\}\}/g

/** The name between the braces of each variable of a text, in the order of the text and as often as it occurs. */
export const variablesIn = (text: string): ReadonlyArray<string> => [...text.matchAll(VARIABLE)].map(([, name]) => (name ?? '').trim())

/** Whether a text has braces that are not readable as a variable, so that its variables cannot be known. */
export const hasOtherBraces = (text: string): boolean => text.replace(VARIABLE, '').includes('{{')

/** A text with its variables filled in; a variable without a value stays unchanged. */
export const filledText = (text: string, valueOf: (variable: string) => string | undefined): string =>
  text.replace(VARIABLE, (written: string, name: string) => valueOf(name.trim()) ?? written)

/** The placeholders that a send of a template fills, as far as they are known; `undefined` if the template's components are unknown. */
export const placeholdersOf = (template: Template): ReadonlyArray<Placeholder> | undefined => {
  const parts = partsOf(template)
  return parts === undefined ? undefined : [...ofParts(parts), ...(parts.cards ?? []).flatMap((card, index) => ofParts(card, index))]
}

const ofParts = ({ parts }: TemplateParts, card?: number): ReadonlyArray<Placeholder> => parts.flatMap((part) => ofPart(part, card))

const ofPart = ({ component, button, takes }: TemplatePart, card: number | undefined): ReadonlyArray<Placeholder> => {
  const at = { component, ...(button === undefined ? {} : { button }), ...(card === undefined ? {} : { card }) }
  switch (takes._tag) {
    case 'Variables': return takes.names.map((name) => ({ ...at, type: 'text', ...(takes.named ? { name } : { index: Number(name) }) }))
    case 'One': return [{ ...at, type: takes.type, ...(takes.optional ? { optional: true } : {}) }]
    case 'Nothing': case 'Unknown': return []
  }
}

/**
 * A placeholder of a template that a send fills.
 *
 * `index` counts from 1 in its component for a variable of a text; `name` is its name if the template's variables have names. `button` is the position
 * of the button, counted from 0 as on the platform; `card` is the position of the carousel's card, counted from 0.
 */
export type Placeholder = {
  readonly component: 'header' | 'body' | 'button' | 'limited_time_offer'
  /** The type of the parameter that fills it, such as `text`, `image`, `location`, `coupon_code`, `payload` or `action`. */
  readonly type: string
  readonly index?: number
  readonly name?: string
  readonly button?: number
  readonly card?: number
  /** Set if a send may leave it out: the payload of a quick reply, the action of a flow. */
  readonly optional?: true
}

/** The parameters that a part of a template accepts from a send; `longest` is the maximum number of characters of a text. */
export type Takes =
  /** A parameter for each variable of a text; `counts` are the numbers of parameters that the platform may expect, empty if that is unknown. */
  | {
      readonly _tag: 'Variables'
      readonly names: ReadonlyArray<string>
      readonly counts: ReadonlyArray<number>
      readonly named: boolean
      readonly longest: number
    }
  /** One parameter of a type, or none if it is optional; `alsoTaken` are types for which it is unknown whether the platform refuses them. */
  | {
      readonly _tag: 'One'
      readonly type: string
      readonly alsoTaken: ReadonlyArray<string>
      readonly optional: boolean
      readonly longest: number
    }
  /** No parameters; `isAbsent` if the template does not have the part at all. */
  | { readonly _tag: 'Nothing'; readonly isAbsent?: true }
  | { readonly _tag: 'Unknown' }

/** A part of a template that a send may address, and, for a button of a known kind, the `sub_type` with which it does so. */
export type TemplatePart = {
  readonly component: Placeholder['component']
  readonly button?: number
  readonly subType?: string
  readonly takes: Takes
}

/** The parts of a template or of a carousel's card. */
export type TemplateParts = {
  readonly parts: ReadonlyArray<TemplatePart>
  /** The number of its buttons; `undefined` if it is unknown. */
  readonly buttons: number | undefined
  /** The cards of its carousel, empty if it has no carousel; `undefined` if too little is known of them. */
  readonly cards: ReadonlyArray<TemplateParts> | undefined
}

const unknown: Takes = { _tag: 'Unknown' }
const nothing: Takes = { _tag: 'Nothing' }
const absent: Takes = { _tag: 'Nothing', isAbsent: true }
const one = (type: string, alsoTaken: ReadonlyArray<string> = []): Takes =>
  ({ _tag: 'One', type, alsoTaken, optional: false, longest: Infinity })
const atMostOne = (type: string): Takes => ({ _tag: 'One', type, alsoTaken: [], optional: true, longest: Infinity })
/** The variable of an address is documented to accept only a text, but nothing documents that other types are refused. */
const oneText = ({ category }: Template): Takes =>
  ({ _tag: 'One', type: 'text', alsoTaken: ['currency', 'date_time'], optional: false, longest: longestText(category) })
/** In a template of this category the platform accepts only a code. */
const longestText = (category: string): number => (category === 'authentication' ? 15 : Infinity)

/**
 * The parameters that each part of a template accepts, by the platform's rules as far as they are known.
 *
 * The parameters of an unknown kind of part, or of a part that occurs twice or has an unexpected shape, are unknown, and nothing is ever refused because of them.
 */
export const partsOf = (template: Template): TemplateParts | undefined =>
  template.components === undefined ? undefined : partsIn(template.components, template)

/** A word of the platform, which may use capitals or small letters, in small letters; empty if the value is not a word. */
export const wordOf = (value: Json | undefined): string => (typeof value === 'string' ? value.toLowerCase() : '')

const partsIn = (components: ReadonlyArray<Json>, template: Template): TemplateParts => {
  // Every template has a body, so a list without one is incomplete, and the missing parts may exist.
  const isWhole = ofKind(components, 'body').length > 0
  const buttons = buttonsIn(components, isWhole)
  return {
    parts: [
      { component: 'header', takes: takenBy(components, 'header', (header) => headerTakes(header, template), isWhole ? absent : unknown) },
      { component: 'body', takes: takenBy(components, 'body', ({ text }) => textTakes(text, template)) },
      { component: 'limited_time_offer', takes: takenBy(components, 'limited_time_offer', offerTakes, isWhole ? absent : unknown) },
      ...(buttons ?? []).map((button, index) => buttonPart(button, index, template)),
    ],
    buttons: buttons?.length,
    cards: cardsIn(components, template, isWhole),
  }
}

const takenBy = (
  components: ReadonlyArray<Json>, kind: string, takes: (component: JsonObject) => Takes, otherwise: Takes = unknown,
): Takes => {
  const [component, second] = ofKind(components, kind)
  if (second !== undefined) return unknown
  return component === undefined ? otherwise : takes(component)
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
const PARAMETER_NAME = /^[a-z_][a-z0-9_]*$/

const textTakes = (text: Json | undefined, { parameterFormat: format, category }: Template): Takes => {
  if (typeof text !== 'string' || hasOtherBraces(text)) return unknown
  const written = variablesIn(text)
  if (written.length === 0) return nothing
  const names = [...new Set(written)]
  const longest = longestText(category)
  const named = format === 'named' || !names.every((name) => NUMBER.test(name))
  if (named) {
    const isKnown = format === 'named' && names.every((name) => PARAMETER_NAME.test(name))
    return { _tag: 'Variables', named, longest, names, counts: isKnown ? [names.length, written.length] : [] }
  }
  // It is not documented whether a repeated or omitted number counts: any of these counts may be the expected one.
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
    case 'copy_code':
      return isAuthentication ? { ...at, takes: unknown } : { ...at, subType: 'copy_code', takes: one('coupon_code', ['text']) }
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
 * The parts of a card with a picture or a video. A request may have more or fewer of other cards, such as product cards, than the template. It is unknown
 * how the platform treats an offer in a card.
 */
const cardParts = (card: Json, template: Template): TemplateParts | undefined => {
  const components = isJsonObject(card) ? elementsOf(card['components']) : undefined
  if (components === undefined || ofKind(components, 'carousel').length > 0) return undefined
  const { parts, ...rest } = partsIn(components, template)
  const header = parts.find(({ component }) => component === 'header')
  return header?.takes._tag === 'One' ? { ...rest, parts: parts.filter(({ component }) => component !== 'limited_time_offer') } : undefined
}

/** A template of the catalogue as JSON; components that could not be read are null, and so are unknown placeholders. */
export type TemplateView = {
  readonly name: string
  readonly language: string
  readonly category: string
  readonly status: string
  readonly quality: string | null
  readonly components: ReadonlyArray<JsonObject> | null
  readonly placeholders: ReadonlyArray<Placeholder> | null
  readonly synced_at: string
}

/** Shows a template of the catalogue. */
export const templateView = (template: TemplateRecord): TemplateView => ({
  name: template.name,
  language: template.language,
  category: template.category,
  status: template.status,
  quality: template.quality ?? null,
  components: template.components ?? null,
  placeholders: placeholdersOf(template) ?? null,
  synced_at: new Date(template.listedAt).toISOString(),
})

/** Templates of a business account have another status, category or quality. Each given workspace gets every event, in the order of the templates. */
export const templatesChanged =
  (workspaces: ReadonlyArray<WorkspaceId>, accountId: string) =>
  (diffs: ReadonlyArray<TemplateDiff>): ReadonlyArray<NewEvent> =>
    workspaces.flatMap((workspace) => diffs.map(({ before: { status, category, quality = null }, after }) => ({
      type: 'template.changed', workspace, subject: accountId, data: { ...templateView(after), previous: { status, category, quality } },
    })))
