/** A change that no caller can see, named by the text of its lines. */
export type Equal = { readonly file: string; readonly was: string; readonly becomes: string; readonly because: string }

/** The mutants that were looked at and that are no defects. */
export const EQUAL: ReadonlyArray<Equal> = [
  {
    file: 'core/customers/customer.ts', was: "if (!number.startsWith('5')) return [number]", becomes: '',
    because: 'every variant begins with 5, so it saves time and changes no answer',
  },
]
