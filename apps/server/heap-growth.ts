import { setFlagsFromString } from 'node:v8'

/** By how much V8's old generation may grow between two collections, in percent. */
const GROWTH_PERCENT = 30

/**
 * Keeps the memory of finished sends from piling up.
 *
 * The objects of a send live for as long as the platform takes, so many of them reach V8's old generation, which by default may become up to four times
 * as large before it is collected. See docs/decisions/0017 for what this saves and costs. A version of V8 without the flag ignores it.
 */
export const limitHeapGrowth = (): void => { setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`) }
