import type { WorkspaceId } from '../kernel/ids.js'
import { elementsOf, isJsonObject, type Json, type JsonObject } from '../kernel/json.js'
import type { NewEvent } from '../kernel/outbox.js'
import type { Instant } from '../kernel/time.js'

/**
 * A template as the platform lists it: <https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account/message_templates>.
 *
 * A name may exist in several languages, each of which is a template of its own.
 */
export type Template = {
  /** The platform's id. */
  readonly id: string
  readonly name: string
  readonly language: string
  /** The platform's word in lower case, such as `marketing`; `CATEGORIES` are the ones that a rate card can have. */
  readonly category: string
  /** The platform's word in lower case, such as `approved` or `paused`. */
  readonly status: string
  /** The platform's word in lower case: `green`, `yellow`, `red` or `unknown`; `undefined` where it says nothing. */
  readonly quality: string | undefined
  /** How the variables of its texts are named; `undefined` where the platform says nothing that is known. */
  readonly parameterFormat: 'positional' | 'named' | undefined
  /** As the platform has them; `undefined` where they could not be read, so that nothing can be said of what fills them. */
  readonly components: ReadonlyArray<JsonObject> | undefined
}

/** Whether the platform sends a template. */
export const isApproved = ({ status }: Pick<Template, 'status'>): boolean => status === 'approved'

/** The states in which the platform sends no template. */
const NOT_SENT = ['pending', 'rejected', 'paused', 'disabled', 'in_appeal', 'limit_exceeded', 'archived', 'pending_deletion', 'deleted']

/** The states of templates that are known here. The platform may have others. */
export const TEMPLATE_STATUSES: ReadonlyArray<string> = ['approved', ...NOT_SENT]

/** Whether the platform may send a template: it may in a state that is not known here. */
export const isSendable = ({ status }: Pick<Template, 'status'>): boolean => !NOT_SENT.includes(status)

/** A template in the catalogue, with the moment of each part that the platform can change by itself. */
export type TemplateRecord = Template & {
  /** When the platform last listed it. */
  readonly listedAt: Instant
  readonly statusAt: Instant
  readonly categoryAt: Instant
  readonly qualityAt: Instant
}

/** What of a template the platform changes by itself. */
export type ChangedPart = { readonly status: string } | { readonly category: string } | { readonly quality: string }

/** What the platform reports of one template between two readings of its list. */
export type TemplateChange = { readonly name: string; readonly language: string; readonly at: Instant } & ChangedPart

/** A template of the catalogue before and after a write. */
export type TemplateDiff = { readonly before: TemplateRecord; readonly after: TemplateRecord }

/** Whether the platform has changed its status, its category or its quality. */
export const hasChanged = ({ before, after }: TemplateDiff): boolean =>
  before.status !== after.status || before.category !== after.category || before.quality !== after.quality

/** A record after the platform has listed the template at a moment: what was said of it later than that stays. */
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

/** A record after a change; one that is older than what is known changes nothing. */
export const changedTemplate = (before: TemplateRecord, change: TemplateChange): TemplateRecord => {
  const { at } = change
  if ('status' in change) return at >= before.statusAt ? { ...before, status: change.status, statusAt: at } : before
  if ('category' in change) return at >= before.categoryAt ? { ...before, category: change.category, categoryAt: at } : before
  return at >= before.qualityAt ? { ...before, quality: change.quality, qualityAt: at } : before
}

/** Whether a template that the platform's whole list, read at a moment, does not have is gone: it is, unless it was listed after that. */
export const isGone = ({ listedAt }: Pick<TemplateRecord, 'listedAt'>, at: Instant): boolean => listedAt <= at

/**
 * Whether a catalogue keeps a template: the platform's names have at most 512 characters, and its languages at most 64. A NUL and half of a surrogate
 * pair are no characters that every database stores.
 */
export const isCatalogued = ({ name, language }: Pick<Template, 'name' | 'language'>): boolean => NAME.test(name) && LANGUAGE.test(language)

const NAME = /^[^\0\p{Surrogate}]{1,512}$/u
const LANGUAGE = /^[^\0\p{Surrogate}]{1,64}$/u

/** A variable in a text of a template, such as `{{1}}` or `{{first_name}}`. */
const VARIABLE = /\{\{([^{}]*)\}\}/g

/** What stands between the braces of each variable of a text, in the order of the text and as often as it appears. */
export const variablesIn = (text: string): ReadonlyArray<string> => [...text.matchAll(VARIABLE)].map(([, name]) => (name ?? '').trim())

/** Whether a text has braces that are no variable as far as this reads them, so that its variables cannot be known. */
export const hasOtherBraces = (text: string): boolean => text.replace(VARIABLE, '').includes('{{')

/** A text with its variables filled in; one without a value stays as it is. */
export const filledText = (text: string, valueOf: (variable: string) => string | undefined): string =>
  text.replace(VARIABLE, (written: string, name: string) => valueOf(name.trim()) ?? written)

/** The places that a send of a template fills, as far as they are known; `undefined` where the template's components are not. */
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
 * A place of a template that a send fills.
 *
 * `index` counts from 1 in its component for a variable of a text, `name` names it where the template's variables are named. `button` is the position
 * of the button, counted from 0 as the platform does; `card` is that of the carousel's card, counted from 0.
 */
export type Placeholder = {
  readonly component: 'header' | 'body' | 'button' | 'limited_time_offer'
  /** What fills it: the type of the parameter, such as `text`, `image`, `location`, `coupon_code`, `payload` or `action`. */
  readonly type: string
  readonly index?: number
  readonly name?: string
  readonly button?: number
  readonly card?: number
  /** Set where a send may leave it out: the payload of a quick reply, the action of a flow. */
  readonly optional?: true
}

/** What a part of a template takes from a send; `longest` is the number of characters that a text may have. */
export type Takes =
  /** A parameter for each variable of a text; `counts` are the numbers of parameters that the platform may expect, empty where that is not known. */
  | { readonly _tag: 'Variables'; readonly names: ReadonlyArray<string>; readonly counts: ReadonlyArray<number>; readonly named: boolean; readonly longest: number }
  /** One parameter of a type, or none where it is optional; `alsoTaken` are types of which it is not known that the platform refuses them. */
  | { readonly _tag: 'One'; readonly type: string; readonly alsoTaken: ReadonlyArray<string>; readonly optional: boolean; readonly longest: number }
  /** Nothing; `isAbsent` if the template does not have the part at all. */
  | { readonly _tag: 'Nothing'; readonly isAbsent?: true }
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
const absent: Takes = { _tag: 'Nothing', isAbsent: true }
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

/** A template of the catalogue as JSON; components that could not be read are null, and so are placeholders that cannot be known. */
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

/** Templates of a business account have another status, category or quality. Each workspace that is named gets every event, in the order of the templates. */
export const templatesChanged = (workspaces: ReadonlyArray<WorkspaceId>, accountId: string) => (diffs: ReadonlyArray<TemplateDiff>): ReadonlyArray<NewEvent> =>
  workspaces.flatMap((workspace) => diffs.map(({ before: { status, category, quality = null }, after }) => ({
    type: 'template.changed', workspace, subject: accountId, data: { ...templateView(after), previous: { status, category, quality } },
  })))
