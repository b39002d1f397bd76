import { type Page, pageOf, type PageQuery } from '../../core/kernel/json.js'

/**
 * The part of a list that a query asks for, newest first by the items' ids, which sort by time.
 *
 * The cursor is the id of a part's last item; any other text is compared as an id would be.
 */
export const pageById = <Item>(
  all: ReadonlyArray<Item>,
  { limit, cursor }: PageQuery,
  idOf: (item: Item) => string,
): Page<Item> => {
  const after = cursor === undefined ? all : all.filter((item) => idOf(item) < cursor)
  const newestFirst = after.toSorted((a, b) => (idOf(a) < idOf(b) ? 1 : -1))
  return pageOf(newestFirst.slice(0, limit + 1), limit, idOf)
}
