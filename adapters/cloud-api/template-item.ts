import { isDeeperThan, type JsonObject } from '../../core/kernel/json.js'
import { isCatalogued, type Template } from '../../core/templates/template.js'
import { isObject, propertyOf } from './unknown-json.js'

/**
 * Reads an item of the platform's list of templates; `undefined` where it does not say which template it is.
 *
 * A state or a category that cannot be read is `unknown`, and components that cannot be read are `undefined`, so that no send is refused for them.
 */
export const readTemplate = (item: unknown): Template | undefined => {
  const [name, language] = [propertyOf(item, 'name'), propertyOf(item, 'language')]
  if (typeof name !== 'string' || typeof language !== 'string' || !isCatalogued({ name, language })) return undefined
  return {
    id: idOf(propertyOf(item, 'id')),
    name,
    language,
    category: wordOf(propertyOf(item, 'category')) ?? UNKNOWN,
    status: wordOf(propertyOf(item, 'status')) ?? UNKNOWN,
    quality: qualityOf(propertyOf(item, 'quality_score')),
    parameterFormat: formatOf(propertyOf(item, 'parameter_format')),
    components: componentsOf(propertyOf(item, 'components')),
  }
}

const UNKNOWN = 'unknown'

const ID = /^[!-~]{1,64}$/
const WORD = /^[a-z0-9_]{1,64}$/

/** A word of the platform in lower case; `undefined` where the value is none. */
export const wordOf = (value: unknown): string | undefined => {
  const word = typeof value === 'string' ? value.toLowerCase() : ''
  return WORD.test(word) ? word : undefined
}

const idOf = (value: unknown): string => {
  const id = typeof value === 'number' ? String(value) : value
  return typeof id === 'string' && ID.test(id) ? id : ''
}

/** `{"score":"GREEN","date":…}`; in older answers the word alone. */
const qualityOf = (value: unknown): string | undefined => wordOf(isObject(value) ? propertyOf(value, 'score') : value)

const formatOf = (value: unknown): Template['parameterFormat'] => {
  const word = wordOf(value)
  return word === 'positional' || word === 'named' ? word : undefined
}

/** The limits for the components of one template; the platform's largest, a carousel of ten cards, have six levels and sixty thousand characters. */
const DEEPEST = 20
const LONGEST = 262_144

const componentsOf = (value: unknown): ReadonlyArray<JsonObject> | undefined =>
  Array.isArray(value) && value.every(isObject) && !isDeeperThan(DEEPEST, value) && JSON.stringify(value).length <= LONGEST ? value : undefined
