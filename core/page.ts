/**
 * A request for part of a list: at most `limit` items (a whole number above zero), after the place that a cursor names.
 *
 * A cursor is what an earlier part gave as its `next`, and names a place, not an item: it holds though that item has
 * changed since. Cursors come back from callers, so one that is none of ours must never fail; which part it gives is open.
 */
export type PageQuery = { readonly limit: number; readonly cursor?: string }

/** Part of a list; `next` is the cursor of the part after it. At the end it is `undefined`, where the last part is full, too. */
export type Page<Item> = { readonly items: ReadonlyArray<Item>; readonly next: string | undefined }
