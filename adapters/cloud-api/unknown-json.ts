import type { Json, JsonObject } from '../../core/kernel/json.js'

/** Whether a parsed JSON value is an object, neither an array nor null. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An own property of a parsed JSON object; `undefined` where there is none. Inherited properties, such as `constructor`, do not count. */
export const propertyOf = (value: unknown, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** Whether an object has a property that is not null. */
export const hasProperty = (value: unknown, name: string): boolean => (propertyOf(value, name) ?? null) !== null

/** The items of a parsed JSON array; empty where the value is not an array. */
export const itemsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
