import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { graphError, type GraphError, invalidParameter } from '../graph/reply.js'
import { isObject } from '../http.js'

/** A component of a request to send; types are in lower case, and every parameter has the fields that its type requires. */
export type SentComponent = {
  readonly type: string
  /** The type of a button. */
  readonly subType: string
  /** The position of a button. */
  readonly index: number
  readonly parameters: ReadonlyArray<SentParameter>
  readonly cards: ReadonlyArray<SentCard>
}

export type SentParameter = Fields & { readonly type: string }
export type SentCard = { readonly index: number; readonly components: ReadonlyArray<SentComponent> }

type Fields = Readonly<Record<string, unknown>>
type Read<A> = E.Either<GraphError, A>

const COMPONENT_TYPES = ['header', 'body', 'footer', 'button', 'carousel', 'limited_time_offer', 'order_status']
const SUB_TYPES = [
  'booking_confirmation', 'catalog', 'copy_code', 'flow', 'mpm', 'order_details', 'quick_reply', 'reminder', 'url', 'voice_call',
]

/** The types of parameters whose value is an object, and the required fields of the object. */
const OBJECTS: Readonly<Record<string, ReadonlyArray<string>>> = {
  image: [], video: [], document: [], gif: [], action: [], product: [], order_status: [],
  currency: ['fallback_value', 'code', 'amount_1000'],
  date_time: ['fallback_value'],
  location: ['longitude', 'latitude', 'name', 'address'],
  limited_time_offer: ['expiration_time_ms'],
}
const STRINGS = ['text', 'payload', 'coupon_code']
const PARAMETER_TYPES = [...STRINGS, ...Object.keys(OBJECTS)]

/** Reads the `components` of a request, or those of a carousel's card, before the template is checked; left: the platform's error. */
export const readComponents = (components: unknown, path = 'template[\'components\']'): Read<ReadonlyArray<SentComponent>> =>
  components === undefined ? E.right([]) : readAll(components, path, readComponent)

const readAll = <A>(list: unknown, path: string, read: (item: Fields, path: string) => Read<A>): Read<ReadonlyArray<A>> =>
  Array.isArray(list)
    ? pipe(
        list,
        E.traverseArrayWithIndex((at, item: unknown) =>
          isObject(item) ? read(item, `${path}[${at}]`) : mustBe(`${path}[${at}]`, 'a JSON object')),
      )
    : mustBe(path, 'an array')

const readComponent = (component: Fields, path: string): Read<SentComponent> => {
  const type = readWord(component, path, 'type', COMPONENT_TYPES)
  if (E.isLeft(type)) return type
  const isButton = type.right === 'button'
  const subType = isButton ? readWord(component, path, 'sub_type', SUB_TYPES) : E.right('')
  if (E.isLeft(subType)) return subType
  const index = isButton ? readIndex(component, path, 'index') : E.right(0)
  if (E.isLeft(index)) return index
  const parameters = readAll(component['parameters'] ?? [], `${path}['parameters']`, readParameter)
  if (E.isLeft(parameters)) return parameters
  const cards = type.right === 'carousel' ? readAll(component['cards'], `${path}['cards']`, readCard) : E.right([])
  if (E.isLeft(cards)) return cards
  return E.right({ type: type.right, subType: subType.right, index: index.right, parameters: parameters.right, cards: cards.right })
}

const readCard = (card: Fields, path: string): Read<SentCard> => {
  const index = readIndex(card, path, 'card_index')
  if (E.isLeft(index)) return index
  const components = readComponents(card['components'], `${path}['components']`)
  return E.isLeft(components) ? components : E.right({ index: index.right, components: components.right })
}

const readParameter = (parameter: Fields, path: string): Read<SentParameter> => {
  const type = readWord(parameter, path, 'type', PARAMETER_TYPES)
  if (E.isLeft(type)) return type
  const value = parameter[type.right]
  if (value === undefined) return mandatory(type.right, type.right)
  const needed = OBJECTS[type.right]
  if (needed === undefined) {
    return typeof value === 'string' ? E.right({ ...parameter, type: type.right }) : mustBe(`${path}['${type.right}']`, 'a string')
  }
  if (!isObject(value)) return mustBe(`${path}['${type.right}']`, 'a JSON object')
  const missing = needed.find((field) => value[field] === undefined)
  return missing === undefined ? E.right({ ...parameter, type: type.right }) : mandatory(missing, type.right)
}

/** A word of a fixed set; the platform accepts upper and lower case. */
const readWord = (fields: Fields, path: string, key: string, known: ReadonlyArray<string>): Read<string> => {
  const word = fields[key]
  if (word === undefined) return E.left(invalidParameter(`The parameter ${path}['${key}'] is required.`))
  const found = typeof word === 'string' ? word.toLowerCase() : ''
  return known.includes(found)
    ? E.right(found)
    : E.left(invalidParameter(`Param ${path}['${key}'] must be one of {${known.join(', ').toUpperCase()}} - got ${JSON.stringify(word)}.`))
}

/** A position, as a number or as a string of digits. */
const readIndex = (fields: Fields, path: string, key: string): Read<number> => {
  const index = fields[key]
  if (index === undefined) return E.left(invalidParameter(`The parameter ${path}['${key}'] is required.`))
  const isPosition = (typeof index === 'number' || typeof index === 'string') && /^[0-9]{1,3}$/.test(String(index))
  return isPosition ? E.right(Number(index)) : mustBe(`${path}['${key}']`, 'an integer')
}

const mustBe = (path: string, what: string): Read<never> => E.left(invalidParameter(`Param ${path} must be ${what}.`))

const mandatory = (field: string, type: string): Read<never> =>
  E.left(graphError(100, `Parameter '${field}' is mandatory for component parameter type '${type}'`))
