/** A change that no caller can see, named by the text of its lines. */
export type Equal = { readonly file: string; readonly was: string; readonly becomes: string; readonly because: string }

/** The mutants that were looked at and that are no defects. */
export const EQUAL: ReadonlyArray<Equal> = [
  {
    file: 'core/customers/customer.ts', was: "if (!number.startsWith('5')) return [number]", becomes: '',
    because: 'every variant begins with 5, so it saves time and changes no answer',
  },
  {
    file: 'core/customers/customer.ts',
    was: 'const isLater = at > confirmedAt || (at === confirmedAt && (known === undefined || other > known))',
    becomes: 'const isLater = at > confirmedAt || (at === confirmedAt && (known === undefined || other >= known))',
    because: 'two equal ids are one pair, which the lines above have answered',
  },
  {
    file: 'core/messages/files.ts',
    was: "const isAnimated = (first: Uint8Array): boolean => String.fromCharCode(...first.subarray(12, 16)) === 'VP8X' && ((first[20] ?? 0) & 0b10) !== 0",
    becomes: "const isAnimated = (first: Uint8Array): boolean => String.fromCharCode(...first.subarray(12, 16)) === 'VP8X' && ((first[20] ?? 1) & 0b10) !== 0",
    because: 'neither number has the bit that is looked at',
  },
  {
    file: 'core/sending/reconcile.ts', was: 'if (state === undefined) return E.right(undefined)', becomes: '',
    because: 'the types need it; without a state there is no move of the money, and no change ranks higher, so nothing is done',
  },
  ...['(b[moment] ?? 1) - (a[moment] ?? 0)', '(b[moment] ?? 0) - (a[moment] ?? 1)'].map((difference): Equal => ({
    file: 'core/customers/customer.ts', was: '.sort((a, b) => (b[moment] ?? 0) - (a[moment] ?? 0))',
    becomes: `.sort((a, b) => ${difference})`,
    because: 'a record without the moment has no name and no choice, so its place among the others does not count',
  })),
]
