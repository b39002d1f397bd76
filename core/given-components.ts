import { elementsOf, isJsonObject, type Json, type JsonObject } from './json.js'
import { wordOf, type TemplatePart } from './template-parts.js'

/** What a request gives for a part of a template; `subType` is that of its button, empty where it names none. */
export type GivenPart = { readonly subType: string; readonly parameters: ReadonlyArray<Json> }

const NOT_GIVEN: GivenPart = { subType: '', parameters: [] }

/**
 * What the components of a request give for a part of a template; nothing where they do not name it.
 *
 * `undefined` where it cannot be known what the platform makes of them: the part is named twice, its parameters are no array, or a button's index
 * cannot be read.
 */
export const givenFor = (components: ReadonlyArray<Json>, { component, button }: Pick<TemplatePart, 'component' | 'button'>): GivenPart | undefined => {
  const named = ofType(components, component)
  const indexes = named.map(({ index }) => positionOf(index))
  if (button !== undefined && indexes.includes(undefined)) return undefined
  const [given, second] = button === undefined ? named : named.filter((_, at) => indexes[at] === button)
  if (given === undefined) return NOT_GIVEN
  const parameters = elementsOf(given['parameters'] ?? [])
  return second === undefined && parameters !== undefined ? { subType: wordOf(given['sub_type']), parameters } : undefined
}

/** The positions of the buttons to which a request gives parameters. */
export const buttonsGiven = (components: ReadonlyArray<Json>): ReadonlyArray<number> =>
  ofType(components, 'button').flatMap(({ index, parameters }) => {
    const position = positionOf(index)
    return position === undefined || (elementsOf(parameters) ?? []).length === 0 ? [] : [position]
  })

/** The components of each card of a request's carousel by the card's index; `undefined` where they cannot be read for certain. */
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

/** The platform takes a position as a number and as a string of digits. */
const positionOf = (value: Json | undefined): number | undefined => {
  const position = typeof value === 'string' && /^[0-9]{1,6}$/.test(value) ? Number(value) : value
  return typeof position === 'number' && Number.isInteger(position) && position >= 0 ? position : undefined
}
