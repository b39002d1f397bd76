/** A change that no caller can see, named by the text of its lines. */
export type Equal = { readonly file: string; readonly was: string; readonly becomes: string; readonly because: string }

/** The mutants that were looked at and that are no defects. */
export const EQUAL: ReadonlyArray<Equal> = []
