/** A request for part of a list, newest first: at most `limit` items, after the item a cursor names. */
export type PageQuery = { readonly limit: number; readonly cursor?: string }

/** Part of a list; `next` is the cursor of the part after it, absent at the end. */
export type Page<Item> = { readonly items: ReadonlyArray<Item>; readonly next: string | undefined }
