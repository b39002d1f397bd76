/** The order of a short list, which the address keeps: `sort=name`, or `sort=-name` for the reverse. */
export type Sorting = {
  readonly by: string | undefined
  readonly isReverse: boolean
  /** The address of the page in this order, without its other parameters. */
  readonly here: string
  /** The address of the page in the order of a column; the second click on a column reverses it. */
  readonly addressOf: (column: string) => string
}

const SORT = 'sort'

/** Reads the order in an address. An unknown column is ignored, because the list is complete in any order. `kept` are the other parameters of its links. */
export const sortingIn = (
  path: string, query: URLSearchParams, columns: ReadonlyArray<string>, kept: ReadonlyArray<[string, string]> = [],
): Sorting => {
  const given = query.get(SORT) ?? ''
  const isReverse = given.startsWith('-')
  const by = columns.find((column) => column === given.replace(/^-/, ''))
  return {
    by, isReverse, here: by === undefined ? path : `${path}?${SORT}=${isReverse ? '-' : ''}${by}`,
    addressOf: (column) => {
      const order = new URLSearchParams([...kept])
      order.set(SORT, column === by && !isReverse ? `-${column}` : column)
      return `${path}?${order.toString()}`
    },
  }
}

/** The value by which a list is sorted; entries without one come last. */
export type SortValue = string | number | bigint | undefined

/** Sorts a list by one of its columns; without a column its order stays. */
export const sorted = <Item, Column extends string>(
  items: ReadonlyArray<Item>, { by, isReverse }: Pick<Sorting, 'by' | 'isReverse'>,
  columns: Readonly<Record<Column, (item: Item) => SortValue>>,
): ReadonlyArray<Item> => {
  const valueOf = Object.entries<(item: Item) => SortValue>(columns).find(([name]) => name === by)?.[1]
  if (valueOf === undefined) return items
  return items.toSorted((a, b) => {
    const [one, other] = [valueOf(a), valueOf(b)]
    if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined)
    const order = typeof one === 'string' && typeof other === 'string' ? one.localeCompare(other) : one < other ? -1 : one > other ? 1 : 0
    return isReverse ? -order : order
  })
}
