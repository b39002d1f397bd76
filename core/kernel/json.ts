/** A JSON value, for what the platform takes or says and Postern only passes on. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

/** Whether a JSON value is an object: neither an array nor null. */
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The elements of a JSON array; `undefined` for every other value. */
export const elementsOf = (value: Json | undefined): ReadonlyArray<Json> | undefined =>
  Array.isArray(value) ? (value as ReadonlyArray<Json>) : undefined

/** The text of a JSON value with every object's keys in order, so that equal values have equal texts. */
export const canonicalJson = (value: Json): string =>
  JSON.stringify(value, (_key, inner: Json) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) && !JSON.isRawJSON(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )

/** Whether a value has more levels of arrays and objects than a limit, which also bounds how deep this looks; a plain value has none. */
export const isDeeperThan = (limit: number, value: unknown): boolean =>
  typeof value === 'object' && value !== null && (limit === 0 || Object.values(value).some((inner) => isDeeperThan(limit - 1, inner)))

/** A line of comma-separated values (RFC 4180), with its line end. */
export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(',')}\r\n`

/** Amounts and counts are of no use as texts, and none of them is a formula. */
const NUMBER = /^-?\d+(?:\.\d+)?$/

/**
 * Where a spreadsheet would see a formula: at the beginning of the cell, and, since spreadsheets of many countries part cells by semicolons or tabs
 * whatever the file says, behind each of these and behind a line break, even in quotes or after spaces. The full-width forms count as the plain ones
 * (OWASP, "CSV Injection").
 */
const FORMULA = /(^|[;\t\r\n])(?=[ \u00A0"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g

/** An attacker may choose texts that we write, her own email or the name of a template, so none begins as a formula: an apostrophe makes it a text. */
const cell = (text: string): string => {
  const inert = NUMBER.test(text) ? text : text.replace(/^(?=[\t\r])/, "'").replace(FORMULA, "$1'")
  return /[",;\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

/**
 * A request for part of a list: at most `limit` items (a whole number above zero), after the place that a cursor names.
 *
 * A cursor is the `next` of an earlier part. It names a place, not an item, so it stays valid when that item changes. Callers
 * hand cursors in, so a text that is no cursor must not fail; which part it gives is open.
 */
export type PageQuery = { readonly limit: number; readonly cursor?: string }

/** Part of a list; `next` is the cursor of the part after it, and `undefined` at the end, also where the last part is full. */
export type Page<Item> = { readonly items: ReadonlyArray<Item>; readonly next: string | undefined }

/** The page of a list that was read one item past the limit, so that it is known whether more follow. */
export const pageOf = <Item>(
  readPastLimit: ReadonlyArray<Item>, limit: number, cursorOf: (item: Item) => string,
): Page<Item> => {
  const items = readPastLimit.slice(0, limit)
  const last = items.at(-1)
  return { items, next: readPastLimit.length > limit && last !== undefined ? cursorOf(last) : undefined }
}
