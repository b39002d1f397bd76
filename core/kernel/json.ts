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

/** A line of comma-separated values (RFC 4180), with its line end. */
export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(cell).join(',')}\r\n`

/** Amounts and counts must stay numbers, and no number is a formula. */
const NUMBER = /^-?\d+(?:\.\d+)?$/

/**
 * The places at which a spreadsheet would read a formula: the beginning of a cell, and the text after a semicolon, tab or line break, even in quotes or after
 * spaces. Spreadsheets of many countries separate cells at semicolons or tabs, whatever the file declares. The full-width forms count like the plain ones
 * (OWASP, "CSV Injection").
 */
const FORMULA = /(^|[;\t\r\n])(?=[ \u00A0"']*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g

/** An attacker may choose texts that we write, such as an email or the name of a template. So a cell that begins like a formula gets an apostrophe, which makes it a text. */
const cell = (text: string): string => {
  const inert = NUMBER.test(text) ? text : text.replace(/^(?=[\t\r])/, "'").replace(FORMULA, "$1'")
  return /[",;\t\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

/**
 * A request for part of a list: at most `limit` items (a whole number above zero), after the place that a cursor names.
 *
 * A cursor is the `next` of an earlier part. It names a place, not an item, so it stays valid when that item changes. Cursors come from callers,
 * so a text that is not a cursor must not fail; the part that is returned then is undefined.
 */
export type PageQuery = { readonly limit: number; readonly cursor?: string }

/** Part of a list; `next` is the cursor of the next part, and `undefined` at the end, even if the last part is full. */
export type Page<Item> = { readonly items: ReadonlyArray<Item>; readonly next: string | undefined }

/** The page of a list that was read one item past the limit, which shows whether more items follow. */
export const pageOf = <Item>(
  readPastLimit: ReadonlyArray<Item>, limit: number, cursorOf: (item: Item) => string,
): Page<Item> => {
  const items = readPastLimit.slice(0, limit)
  const last = items.at(-1)
  return { items, next: readPastLimit.length > limit && last !== undefined ? cursorOf(last) : undefined }
}
