import type { JsonObject } from './json.js'
import type { Placeholder } from './placeholder.js'
import { partsOf, type TemplateParts } from './template-parts.js'
import { placeholdersOf } from './template-placeholders.js'
import type { Template } from './template.js'

/** One field of a form that fills a template; `part` names what it is of a parameter that has several values, such as the latitude of a location. */
export type TemplateField = {
  /** The name of the field: letters, digits, `-` and `_`. */
  readonly id: string
  readonly placeholder: Placeholder
  readonly part: string | undefined
  readonly isRequired: boolean
}

/** The fields that fill a template; `undefined` where a form cannot, because what fills it is not known or has a shape of its own. */
export const templateFields = (template: Template): ReadonlyArray<TemplateField> | undefined => {
  const fields = placeholdersOf(template)?.map(fieldsOf)
  return fields === undefined || fields.includes(undefined) ? undefined : fields.flatMap((some) => some ?? [])
}

/** The components of a request that the values of a form make, by the names of its fields; what is optional and empty is left out. */
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

/** The values of a parameter by its type; of those in brackets the form's field may be empty. */
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
  ['fill', card === undefined ? undefined : `card${card}`, component, button, index ?? name, part].filter((word) => word !== undefined).join('-')

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
    return value === undefined || value === '' ? [] : [[part ?? type, part === 'expiration_time_ms' && /^[0-9]{1,15}$/.test(value) ? Number(value) : value] as const]
  })
  if (given.length === 0) return undefined
  const [plain] = given
  const isPlain = plain?.[0] === type && type !== 'limited_time_offer'
  return { type, ...(name !== undefined && { parameter_name: name }), ...(isPlain ? { [type]: plain[1] } : { [type]: Object.fromEntries(given) }) }
}
