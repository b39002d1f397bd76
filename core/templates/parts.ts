import { elementsOf, isJsonObject, type Json, type JsonObject } from '../kernel/json.js'
import {
  filledText, partsOf, type Placeholder, placeholdersOf, type Template, type TemplatePart, type TemplateParts, wordOf,
} from './template.js'

/** The parameters in a request for a part of a template; `subType` is that of its button, empty if it names none. */
export type GivenPart = { readonly subType: string; readonly parameters: ReadonlyArray<Json> }

const NOT_GIVEN: GivenPart = { subType: '', parameters: [] }

/**
 * The parameters in the components of a request for a part of a template; empty if they do not name it.
 *
 * `undefined` if the platform's reading of them cannot be known: the part is listed twice, its parameters are not an array, or a button's index
 * cannot be read.
 */
export const givenFor = (
  components: ReadonlyArray<Json>, { component, button }: Pick<TemplatePart, 'component' | 'button'>,
): GivenPart | undefined => {
  const named = ofType(components, component)
  const indexes = named.map(({ index }) => positionOf(index))
  if (button !== undefined && indexes.includes(undefined)) return undefined
  const [given, second] = button === undefined ? named : named.filter((_, at) => indexes[at] === button)
  if (given === undefined) return NOT_GIVEN
  const parameters = elementsOf(given['parameters'] ?? [])
  return second === undefined && parameters !== undefined ? { subType: wordOf(given['sub_type']), parameters } : undefined
}

/** The positions of the buttons for which a request has parameters. */
export const buttonsGiven = (components: ReadonlyArray<Json>): ReadonlyArray<number> =>
  ofType(components, 'button').flatMap(({ index, parameters }) => {
    const position = positionOf(index)
    return position === undefined || (elementsOf(parameters) ?? []).length === 0 ? [] : [position]
  })

/** The components of each card of a request's carousel by the card's index; `undefined` if they cannot be read with certainty. */
export const cardsGiven = (components: ReadonlyArray<Json>): ReadonlyMap<number, ReadonlyArray<Json>> | undefined => {
  const [carousel, second] = ofType(components, 'carousel')
  if (carousel === undefined) return new Map()
  const cards = second === undefined ? elementsOf(carousel['cards']) : undefined
  const byIndex = new Map<number, ReadonlyArray<Json>>()
  for (const card of cards ?? []) {
    const index = isJsonObject(card) ? positionOf(card['card_index']) : undefined
    const inside = isJsonObject(card) ? elementsOf(card['components'] ?? []) : undefined
    if (index === undefined || inside === undefined || byIndex.has(index)) return undefined
    byIndex.set(index, inside)
  }
  return cards === undefined ? undefined : byIndex
}

const ofType = (components: ReadonlyArray<Json>, wanted: string): ReadonlyArray<JsonObject> =>
  components.filter(isJsonObject).filter(({ type }) => wordOf(type) === wanted)

/** The platform accepts a position as a number or as a string of digits. */
const positionOf = (value: Json | undefined): number | undefined => {
  const position = typeof value === 'string' && /^[0-9]{1,6}$/.test(value) ? Number(value) : value
  return typeof position === 'number' && Number.isInteger(position) && position >= 0 ? position : undefined
}

/** The component of a request that fills a part of a template, with an ellipsis for each value that the caller must choose. */
export const componentForm = ({ component, button, subType, takes }: TemplatePart): JsonObject => ({
  type: component,
  ...(button === undefined ? {} : { sub_type: subType ?? 'url', index: String(button) }),
  parameters:
    takes._tag === 'Variables' ? takes.names.map((name) => ({ type: 'text', ...(takes.named ? { parameter_name: name } : {}), text: '…' }))
    : takes._tag === 'One' ? [{ type: takes.type, [takes.type]: VALUE_KINDS[takes.type] ?? '…' }]
    : [],
})

const VALUE_KINDS: { readonly [type: string]: JsonObject } = {
  image: { link: '…' }, video: { link: '…' }, document: { link: '…' }, gif: { link: '…' },
  location: { latitude: '…', longitude: '…', name: '…', address: '…' },
  limited_time_offer: { expiration_time_ms: '…' },
}

/** The carousel of a request, with the components of its first card. */
export const carouselForm = (parts: ReadonlyArray<TemplatePart>): JsonObject => ({
  type: 'carousel', cards: [{ card_index: 0, components: parts.filter(isRequired).map(componentForm) }, '…'],
})

const isRequired = ({ takes }: TemplatePart): boolean => takes._tag === 'Variables' || (takes._tag === 'One' && !takes.optional)

/** One field of a form that fills a template; `part` names the value if a parameter has several, such as the latitude of a location. */
export type TemplateField = {
  /** The name of the field: letters, digits, `-` and `_`. */
  readonly id: string
  readonly placeholder: Placeholder
  readonly part: string | undefined
  readonly isRequired: boolean
}

/** The fields that fill a template; `undefined` if a form cannot fill it, because its parameters are unknown or have a special shape. */
export const templateFields = (template: Template): ReadonlyArray<TemplateField> | undefined => {
  const fields = placeholdersOf(template)?.map(fieldsOf)
  return fields === undefined || fields.includes(undefined) ? undefined : fields.flatMap((some) => some ?? [])
}

/** The components of a request from the values of a form, by the names of its fields; optional values that are empty are left out. */
export const componentsFrom = (template: Template, values: Readonly<Record<string, string>>): ReadonlyArray<JsonObject> => {
  const parts = partsOf(template)
  const placeholders = placeholdersOf(template) ?? []
  const cards = [...new Set(placeholders.flatMap(({ card }) => card ?? []))]
  const inside = (card: number | undefined): ReadonlyArray<JsonObject> =>
    componentsOf(placeholders.filter((placeholder) => placeholder.card === card), card === undefined ? parts : parts?.cards?.[card], values)
  return [
    ...inside(undefined),
    ...(cards.length === 0 ? [] : [{ type: 'carousel', cards: cards.map((card) => ({ card_index: card, components: inside(card) })) }]),
  ]
}

/** The values of a parameter by its type; the form's field of an optional value may be empty. */
const VALUES: { readonly [type: string]: ReadonlyArray<readonly [part: string | undefined, isOptional?: true]> } = {
  text: [[undefined]], payload: [[undefined]], coupon_code: [[undefined]], action: [],
  image: [['link']], video: [['link']], gif: [['link']], document: [['link'], ['filename', true]],
  location: [['latitude'], ['longitude'], ['name', true], ['address', true]],
  limited_time_offer: [['expiration_time_ms']],
}

const fieldsOf = (placeholder: Placeholder): ReadonlyArray<TemplateField> | undefined => {
  const values = Object.hasOwn(VALUES, placeholder.type) ? VALUES[placeholder.type] : undefined
  return values?.map(([part, isOptional]) => ({
    id: idOf(placeholder, part), placeholder, part, isRequired: isOptional !== true && placeholder.optional !== true,
  }))
}

const idOf = ({ component, button, card, index, name }: Placeholder, part: string | undefined): string =>
  ['fill', card === undefined ? undefined : `card${card}`, component, button, index ?? name, part]
    .filter((word) => word !== undefined).join('-')

const componentsOf = (
  placeholders: ReadonlyArray<Placeholder>, parts: TemplateParts | undefined, values: Readonly<Record<string, string>>,
): ReadonlyArray<JsonObject> => {
  const nameOf = ({ component, button }: Placeholder): string => `${component} ${button ?? ''}`
  return [...new Set(placeholders.map(nameOf))].flatMap((name) => {
    const some = placeholders.filter((placeholder) => nameOf(placeholder) === name)
    const [first] = some
    const parameters = some.flatMap((placeholder) => parameterOf(placeholder, values) ?? [])
    if (first === undefined || parameters.length === 0) return []
    const { component, button } = first
    const subType = parts?.parts.find((part) => part.component === component && part.button === button)?.subType
    return [{ type: component, ...(button !== undefined && { sub_type: subType ?? 'url', index: String(button) }), parameters }]
  })
}

const parameterOf = (placeholder: Placeholder, values: Readonly<Record<string, string>>): JsonObject | undefined => {
  const { type, name } = placeholder
  const given = (fieldsOf(placeholder) ?? []).flatMap(({ id, part }) => {
    const value = values[id]
    return value === undefined || value === ''
      ? []
      : [[part ?? type, part === 'expiration_time_ms' && /^[0-9]{1,15}$/.test(value) ? Number(value) : value] as const]
  })
  if (given.length === 0) return undefined
  const [plain] = given
  const isPlain = plain?.[0] === type && type !== 'limited_time_offer'
  return {
    type, ...(name !== undefined && { parameter_name: name }), ...(isPlain ? { [type]: plain[1] } : { [type]: Object.fromEntries(given) }),
  }
}

/** A template as a customer would read it: `undefined` for a part that it does not have or that is unknown. */
export type TemplatePreview = {
  /** The text, or the kind of media with its link or id, such as `image: https://…`. */
  readonly header: string | undefined
  readonly body: string | undefined
  readonly footer: string | undefined
  /** The label of each button, with its address or code: `Track it: https://…`. */
  readonly buttons: ReadonlyArray<string>
}

/** A template with the parameters of a request filled in; a variable without a value in the request stays unchanged. Cards are not included. */
export const previewOf = (template: Template, components: ReadonlyArray<JsonObject> | undefined): TemplatePreview => {
  const given = components ?? []
  const parts = (template.components ?? []).filter(isJsonObject)
  const partOf = (kind: string): JsonObject | undefined => parts.find(({ type }) => wordOf(type) === kind)
  return {
    header: headerOf(partOf('header'), parametersOf(given, { component: 'header' })),
    body: textOf(partOf('body')?.['text'], parametersOf(given, { component: 'body' })),
    footer: textOf(partOf('footer')?.['text'], []),
    buttons: (elementsOf(partOf('buttons')?.['buttons']) ?? []).map((button, index) =>
      buttonOf(isJsonObject(button) ? button : {}, parametersOf(given, { component: 'button', button: index })[0])),
  }
}

const parametersOf = (components: ReadonlyArray<Json>, part: Parameters<typeof givenFor>[1]): ReadonlyArray<JsonObject> =>
  (givenFor(components, part)?.parameters ?? []).map((parameter) => (isJsonObject(parameter) ? parameter : {}))

const headerOf = (header: JsonObject | undefined, parameters: ReadonlyArray<JsonObject>): string | undefined => {
  const format = wordOf(header?.['format'])
  if (format === 'text' || format === '') return textOf(header?.['text'], parameters)
  const content = parameters[0]?.[wordOf(parameters[0]['type'])]
  const details = isJsonObject(content) ? [content['link'] ?? content['id'], content['name'], content['address']].flatMap(plainText) : []
  return details.length === 0 ? format : `${format}: ${details.join(', ')}`
}

const textOf = (text: Json | undefined, parameters: ReadonlyArray<JsonObject>): string | undefined =>
  typeof text === 'string' ? filledText(text, (variable) => valueOf(previewParameterOf(variable, parameters))) : undefined

const previewParameterOf = (variable: string, parameters: ReadonlyArray<JsonObject>): JsonObject | undefined =>
  parameters.find((parameter) => parameter['parameter_name'] === variable)
  ?? (/^[0-9]{1,6}$/.test(variable) ? parameters[Number(variable) - 1] : undefined)

const valueOf = (parameter: JsonObject | undefined): string | undefined => {
  const type = wordOf(parameter?.['type'])
  const value = parameter?.[type === 'currency' || type === 'date_time' ? type : 'text']
  return plainText(isJsonObject(value) ? value['fallback_value'] : value)[0]
}

const buttonOf = (button: JsonObject, parameter: JsonObject | undefined): string => {
  const label = plainText(button['text'])[0] ?? wordOf(button['type'])
  const [address] = plainText(button['url'] ?? button['phone_number'])
  const [code] = plainText(parameter?.['coupon_code'])
  const behind = code ?? (address === undefined ? undefined : filledText(address, () => valueOf(parameter)))
  return behind === undefined ? label : `${label}: ${behind}`
}

const plainText = (value: Json | undefined): ReadonlyArray<string> =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : []
