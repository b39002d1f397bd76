/** A JSON value that the platform accepts or reports and Postern only passes on. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

/** Whether a JSON value is an object: neither an array nor null. */
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The elements of a JSON array; `undefined` for every other value. */
export const elementsOf = (value: Json | undefined): ReadonlyArray<Json> | undefined =>
  Array.isArray(value) ? (value as ReadonlyArray<Json>) : undefined

/** The text of a JSON value with the keys of every object sorted, so that equal values have equal texts. */
export const canonicalJson = (value: Json): string =>
  JSON.stringify(value, (_key, inner: Json) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) && !JSON.isRawJSON(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )

/** Whether a value has more levels of arrays and objects than a limit, which also bounds the depth of this search; a plain value has no levels. */
export const isDeeperThan = (limit: number, value: unknown): boolean =>
  typeof value === 'object' && value !== null && (limit === 0 || Object.values(value).some((inner) => isDeeperThan(limit - 1, inner)))
