import { TEXTS } from './texts.js'

/** What an error of the platform means, and what to do. */
export type ErrorMeaning = { readonly means: string; readonly todo: string }

const MEANINGS: ReadonlyMap<number, ErrorMeaning> = new Map(
  TEXTS.platformErrors.flatMap(([codes, means, todo]) => codes.map((code): readonly [number, ErrorMeaning] => [code, { means, todo }])),
)

/** What an error code of the platform means; none where it is not known. */
export const meaningOf = (code: number | undefined): ErrorMeaning | undefined => (code === undefined ? undefined : MEANINGS.get(code))
