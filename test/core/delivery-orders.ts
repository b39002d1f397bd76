import fc from 'fast-check'

type Redelivered<Item> = readonly [items: ReadonlyArray<Item>, delivered: ReadonlyArray<Item>]

const AGAIN = fc.array(fc.nat(99), { maxLength: 10 })
const RANKS = fc.array(fc.nat(999), { minLength: 30, maxLength: 30 })

/** Items, and the same items as they are delivered: in any order, each at least once. */
export const withRedeliveries = <Item>(arbitrary: fc.Arbitrary<ReadonlyArray<Item>>): fc.Arbitrary<Redelivered<Item>> =>
  fc.tuple(arbitrary, AGAIN, RANKS).map(([items, again, ranks]) => {
    const repeated = again.flatMap((pick) => items.slice(pick % Math.max(1, items.length)).slice(0, 1))
    return [items, inOrder([...items, ...repeated], ranks)] as const
  })

/** Items in the order of their ranks. */
export const inOrder = <Item>(items: ReadonlyArray<Item>, ranks: ReadonlyArray<number>): ReadonlyArray<Item> =>
  items.map((item, index) => ({ item, rank: ranks[index] ?? 0 })).sort((a, b) => a.rank - b.rank).map(({ item }) => item)
