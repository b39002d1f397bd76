/** An average in which the latest values count most. */
export type Average = { readonly add: (value: number) => void; readonly value: () => number }

/** The part of a new value in the average. */
const PART_OF_NEW = 0.05

/** Makes an average that is 0 until the first value. */
export const makeAverage = (): Average => {
  let average: number | undefined
  return {
    add: (value) => { average = average === undefined ? value : average + PART_OF_NEW * (value - average) },
    value: () => average ?? 0,
  }
}
