import type { Json, JsonObject } from '../../core/json.js'

/** Whether a parsed JSON value is an object, neither an array nor null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A property of a parsed JSON object that is its own; `undefined` where there is none, whatever prototypes hold. */
export const propertyOf = (value: unknown, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The items of a parsed JSON array; none where it is no array. */
export const itemsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/**
 * Whether a parsed JSON value nests at most so many levels; a plain value has none.
 *
 * Deep values parse without harm but overflow the stack of whatever writes them out again, so this walks without recursion.
 */
export const nestsWithin = (levels: number, value: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((item) => (isObject(item) ? Object.values(item) : itemsOf(item)))
    if (level.length === 0) return true
  }
  return false
}
