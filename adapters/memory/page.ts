import type { Page, PageQuery } from '../../core/page.js'

/**
 * The part of a list that a query asks for, newest first by the items' ids, which sort by time.
 *
 * The cursor is the id of a part's last item; what is no id of ours is compared as one would be.
 */
export const pageById = <Item>(
  all: ReadonlyArray<Item>,
  { limit, cursor }: PageQuery,
  idOf: (item: Item) => string,
): Page<Item> => {
  const after = cursor === undefined ? all : all.filter((item) => idOf(item) < cursor)
  const newestFirst = after.toSorted((a, b) => (idOf(a) < idOf(b) ? 1 : -1))
  const items = newestFirst.slice(0, limit)
  const last = items.at(-1)
  return { items, next: last !== undefined && newestFirst.length > limit ? idOf(last) : undefined }
}
