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
