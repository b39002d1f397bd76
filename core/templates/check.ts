import * as E from 'fp-ts/lib/Either.js'
import { hasUsableHost, USABLE_HOST } from '../kernel/address.js'
import { isJsonObject, type Json, type JsonObject } from '../kernel/json.js'
import { buttonsGiven, cardsGiven, carouselForm, componentForm, givenFor } from './parts.js'
import {
  partsOf, type Placeholder, placeholdersOf, type Takes, type Template, type TemplatePart, type TemplateParts, wordOf,
} from './template.js'

/** The business account has no template with that name in that language; `languages` are those in which the name is approved, `nearest` other names with a similar spelling. */
export type TemplateNotFound = {
  readonly _tag: 'TemplateNotFound'
  readonly name: string
  readonly language: string
  readonly languages: ReadonlyArray<string>
  readonly nearest: ReadonlyArray<string>
}

/** The template is in a state in which the platform does not send it, such as `paused`; `languages` are those in which the name is approved. */
export type TemplateNotApproved = {
  readonly _tag: 'TemplateNotApproved'
  readonly name: string
  readonly language: string
  readonly status: string
  readonly languages: ReadonlyArray<string>
}

/**
 * The problem with the parameters of a template: their number, a missing required parameter, the name of a variable, the type of a value, or something else.
 * The platform has an error code for each of these.
 */
export type TemplateMismatch = 'count' | 'missing' | 'name' | 'format' | 'other'

/** The components do not fill the template. The sentence describes the given components, `expected` the required ones. `mismatch` is the first problem. */
export type TemplateParameters = {
  readonly _tag: 'TemplateParameters'
  readonly mismatch: TemplateMismatch
  readonly sentence: string
  readonly expected: ReadonlyArray<Placeholder>
}

type Fault = { readonly mismatch: TemplateMismatch; readonly sentence: string }

const fault = (mismatch: TemplateMismatch, sentence: string): Fault => ({ mismatch, sentence })

type Variables = Extract<Takes, { readonly _tag: 'Variables' }>
type One = Extract<Takes, { readonly _tag: 'One' }>
type Nothing = Extract<Takes, { readonly _tag: 'Nothing' }>
type Component = TemplatePart['component']

/** The known types of the platform's parameters. A parameter of another type may be new, so it is never refused. */
const TYPES = [
  'text', 'currency', 'date_time', 'image', 'video', 'document', 'gif', 'location', 'product', 'payload', 'coupon_code', 'action',
  'limited_time_offer', 'order_status',
]
const TEXT_TYPES = ['text', 'currency', 'date_time']
/** The types for which it is unknown whether the platform refuses several parameters if it needs one. */
const SEVERAL_TAKEN = ['coupon_code', 'action']
const MEDIA_TYPES = ['image', 'video', 'document', 'gif']

/** Why parameters do not fill the variables of a text: the rest of a sentence that begins with the name of the part; `undefined` if they do. */
const faultOfVariables = ({ names, counts, named, longest }: Variables, parameters: ReadonlyArray<Json>): Fault | undefined => {
  if (counts.length === 0) return undefined
  const needs = (): string => named
    ? `needs ${numberOf(names.length)} of type text, each with its parameter_name (${names.join(', ')})`
    : `needs ${numberOf(names.length)} of type text (${names.map((name) => `{{${name}}}`).join(', ')})`
  if (!counts.includes(parameters.length)) return fault('count', `${needs()}; ${were(parameters.length)} given`)
  const wrong = named ? namesMissing(names, parameters) : namesGiven(parameters)
  const found = wrong === undefined
    ? faultOfEach(parameters, TEXT_TYPES, longest)
    : fault(named ? 'name' : 'format', `${needs()}; ${wrong}`)
  // A variable that the text repeats may be given once or several times. The platform checks the number of parameters first.
  return found !== undefined && parameters.length !== names.length ? { ...found, mismatch: 'count' } : found
}

/** The same for a part that needs one parameter of a type. For a header without its parameter the platform reports that the format does not match. */
const faultOfOne = (
  { type, alsoTaken, optional, longest }: One, component: Component, parameters: ReadonlyArray<Json>,
): Fault | undefined => {
  if (parameters.length === 0 ? optional : parameters.length > 1 && SEVERAL_TAKEN.includes(type)) return undefined
  const mismatch = parameters.length > 0 ? 'count' : component === 'header' ? 'format' : 'missing'
  if (parameters.length !== 1) return fault(mismatch, `needs 1 parameter of type ${type}; ${were(parameters.length)} given`)
  return faultOfEach(parameters, [type, ...alsoTaken], longest)
}

/** The same for a part that needs no parameters. The platform counts the parameters of a text only if the template has the text. */
const faultOfNone = ({ isAbsent }: Nothing, component: Component, parameters: ReadonlyArray<Json>): Fault | undefined => {
  const isCounted = (component === 'body' || component === 'header') && isAbsent !== true
  return parameters.length === 0 ? undefined : fault(isCounted ? 'count' : 'other', `takes no parameters; ${were(parameters.length)} given`)
}

const numberOf = (count: number): string => (count === 1 ? '1 parameter' : `${count} parameters`)

const were = (count: number): string => (count === 0 ? 'none was' : count === 1 ? '1 was' : `${count} were`)

const namesMissing = (names: ReadonlyArray<string>, parameters: ReadonlyArray<Json>): string | undefined => {
  const given = parameters.filter(isJsonObject).map((parameter) => parameter['parameter_name'])
  if (given.some((name) => typeof name !== 'string' || name === '')) return 'one was given without a parameter_name'
  const missing = names.filter((name) => !given.includes(name))
  return given.length < parameters.length || missing.length === 0 ? undefined : `none was given with the parameter_name ${missing.join(', ')}`
}

const namesGiven = (parameters: ReadonlyArray<Json>): string | undefined =>
  parameters.filter(isJsonObject).some(({ parameter_name: name }) => typeof name === 'string' && name !== '')
    ? 'one was given with a parameter_name, which only a template with named variables takes'
    : undefined

const faultOfEach = (parameters: ReadonlyArray<Json>, types: ReadonlyArray<string>, longest: number): Fault | undefined => {
  const faults = parameters.map((parameter) => (isJsonObject(parameter) ? faultOfValue(parameter, types, longest) : undefined))
  const at = faults.findIndex((found) => found !== undefined)
  const first = faults[at]
  const which = parameters.length === 1 ? 'its parameter' : `parameter ${at + 1} of ${parameters.length}`
  return first && { ...first, sentence: `does not take what was given: ${which} ${first.sentence}` }
}

const faultOfValue = (parameter: JsonObject, types: ReadonlyArray<string>, longest: number): Fault | undefined => {
  const type = wordOf(parameter['type'])
  if (!TYPES.includes(type)) return undefined
  if (!types.includes(type)) return fault('format', `is of type ${type}; ${types[0] ?? 'another'} is expected`)
  const value = parameter[type]
  if (type === 'text') return faultOfText(value, longest)
  if (value === undefined || value === null || value === '') return fault(type === 'payload' ? 'other' : 'missing', `has no ${type}`)
  if (MEDIA_TYPES.includes(type)) return faultOfMedia(value, type)
  return undefined
}

/** The platform may accept a number or a boolean as text, so it is not refused. */
const faultOfText = (text: Json | undefined, longest: number): Fault | undefined => {
  if (text === undefined || text === null || text === '') return fault('missing', 'has no text')
  if (typeof text === 'object') return fault('format', 'has a text that is not a string')
  const written = String(text)
  if (/[\n\r\t]| {5}/.test(written)) {
    return fault('other', 'has a text with a newline, a tab or more than four spaces in a row, which a parameter cannot have')
  }
  return [...written].length > longest
    ? fault('other', `has a text of more than ${longest} characters, the most in an authentication template`)
    : undefined
}

const faultOfMedia = (media: Json, type: string): Fault | undefined => {
  if (!hasSource(media)) return fault('other', `has neither an id nor a link in its ${type}`)
  const given = isJsonObject(media) ? media['link'] : undefined
  return typeof given === 'string' && /^https?:\/\//i.test(given) && !hasUsableHost(given)
    ? fault('other', `has a link in its ${type} that needs ${USABLE_HOST}`)
    : undefined
}

const hasSource = (media: Json): boolean =>
  !isJsonObject(media) || [media['id'], media['link']].some((source) => source !== undefined && source !== null && source !== '')

/** The number of faults that a sentence describes; further ones are only counted. */
const FAULTS_SPELT_OUT = 3

/**
 * Checks that the components of a request fill a template, before money is held for it.
 *
 * Only components that the platform is known to refuse are refused here: a wrong refusal would be worse than the platform's own. Parts of the template that are
 * unknown, or that cannot be read in the request, are left to the platform. The sentence describes the expected and the given components; it contains no value of the request.
 */
export const checkTemplate = (
  template: Template, components: ReadonlyArray<JsonObject> | undefined,
): E.Either<TemplateParameters, void> => {
  const parts = partsOf(template)
  const faults = parts === undefined ? [] : [...faultsIn(parts, components ?? []), ...faultsOfCards(parts, components ?? [])]
  const [first] = faults
  if (first === undefined) return E.right(undefined)
  const more = faults.length > FAULTS_SPELT_OUT ? [`and ${faults.length - FAULTS_SPELT_OUT} more`] : []
  const sentence = [...faults.slice(0, FAULTS_SPELT_OUT).map((one) => one.sentence), ...more].join('. ')
  return E.left({ _tag: 'TemplateParameters', mismatch: first.mismatch, sentence, expected: placeholdersOf(template) ?? [] })
}

const faultsIn = ({ parts, buttons }: TemplateParts, components: ReadonlyArray<Json>): ReadonlyArray<Fault> => [
  ...parts.flatMap((part) => faultsOfPart(part, components)),
  ...(buttons === undefined ? [] : faultsOfSurplus(buttons, components)),
]

const faultsOfSurplus = (buttons: number, components: ReadonlyArray<Json>): ReadonlyArray<Fault> => {
  const range = buttons === 0 ? 'no buttons' : `buttons from index 0 to ${buttons - 1}`
  return buttonsGiven(components).filter((button) => button >= buttons).map((button) =>
    fault('other', `button at index ${button} does not exist; the template has ${range}`))
}

const faultsOfPart = (part: TemplatePart, components: ReadonlyArray<Json>): ReadonlyArray<Fault> => {
  const given = givenFor(components, part)
  if (given === undefined) return []
  const name = part.button === undefined ? part.component : `button at index ${part.button}`
  if (isOfOtherKind(part.subType, given.subType)) {
    return [fault('other', `${name} has the sub_type ${part.subType}; ${given.subType} was given`)]
  }
  const found = faultOfParameters(part, given.parameters)
  if (found === undefined) return []
  return [{ ...found, sentence: `${name} ${found.sentence}${given.parameters.length === 0 ? `: add ${JSON.stringify(componentForm(part))}` : ''}` }]
}

/** The kinds of buttons that the platform is known to distinguish by `sub_type`. */
const SUB_TYPES = [
  'url', 'quick_reply', 'copy_code', 'flow', 'catalog', 'mpm', 'order_details', 'voice_call', 'booking_confirmation', 'reminder',
]

const isOfOtherKind = (wanted: string | undefined, given: string): wanted is string =>
  wanted !== undefined && given !== wanted && SUB_TYPES.includes(given)

/** The platform compares the types of a header before it checks anything else in it. */
const faultOfParameters = (part: TemplatePart, parameters: ReadonlyArray<Json>): Fault | undefined => {
  const found = firstFault(part, parameters)
  return found !== undefined && part.component === 'header' && hasOtherType(part.takes, parameters)
    ? { ...found, mismatch: 'format' }
    : found
}

/** Whether a parameter has a type that a header of the template does not accept; in a header with media, the platform checks only the first parameter. */
const hasOtherType = (takes: Takes, parameters: ReadonlyArray<Json>): boolean => {
  if (takes._tag === 'Nothing' && takes.isAbsent === true) return false
  const [types, compared] = takes._tag === 'One' ? [[takes.type, ...takes.alsoTaken], parameters.slice(0, 1)] : [TEXT_TYPES, parameters]
  return compared.filter(isJsonObject).some(({ type }) => !types.includes(wordOf(type)))
}

const firstFault = ({ component, takes }: TemplatePart, parameters: ReadonlyArray<Json>): Fault | undefined => {
  switch (takes._tag) {
    case 'Variables': return faultOfVariables(takes, parameters)
    case 'One': return faultOfOne(takes, component, parameters)
    case 'Nothing': return faultOfNone(takes, component, parameters)
    case 'Unknown': return undefined
  }
}

/** For a wrong number of cards the platform reports that the format of a header does not match. */
const faultsOfCards = ({ cards }: TemplateParts, components: ReadonlyArray<Json>): ReadonlyArray<Fault> => {
  const given = cardsGiven(components)
  if (cards === undefined || given === undefined) return []
  const [first] = cards
  const range = cards.length === 0 ? 'no cards' : `cards from card_index 0 to ${cards.length - 1}`
  if (first !== undefined && given.size === 0) {
    return [fault('format', `carousel has ${range}; none was given: add ${JSON.stringify(carouselForm(first.parts))}`)]
  }
  return [
    ...cards.flatMap((card, index) => faultsIn(card, given.get(index) ?? []).map(({ mismatch, sentence }) =>
      fault(mismatch, `card with card_index ${index}: ${sentence}`))),
    ...[...given.keys()].filter((index) => index >= cards.length).map((index) =>
      fault(cards.length === 0 ? 'other' : 'format', `card with card_index ${index} does not exist; the template has ${range}`)),
  ]
}
