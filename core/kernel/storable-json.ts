import type { Json } from './json.js'

/**
 * Whether a JSON value can be stored and read again unchanged: at most `levels` of arrays and objects, texts without NUL and unpaired surrogates, and numbers that a double
 * keeps.
 */
export const isStorableJson = (value: Json, levels: number): boolean => {
  if (typeof value === 'string') return !/[\0\p{Cs}]/u.test(value)
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0 || JSON.isRawJSON(value)) return false
  return Array.isArray(value)
    ? (value as ReadonlyArray<Json>).every((one) => isStorableJson(one, levels - 1))
    : Object.entries(value).every(([key, one]) => isStorableJson(key, 0) && isStorableJson(one, levels - 1))
}
