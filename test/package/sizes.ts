import { ENTRIES, type Installed } from './install.js'
import { loadedBy } from './loaded.js'

/** What importing an entry loads: kilobytes of this package, kilobytes in all, and the names of other packages. */
export type Size = { readonly entry: string; readonly own: number; readonly all: number; readonly packages: ReadonlyArray<string> }

/** The page with the table, and the pattern that finds the table there. */
export const PAGE = 'docs/embedding.md'
export const TABLE = /(?<=<!-- sizes: `npm run sizes` writes this table -->\n)[\s\S]*?(?=<!-- end of sizes -->)/

/** Measures every entry of the installed package. */
export const measure = (pack: Installed): Promise<ReadonlyArray<Size>> =>
  Promise.all(ENTRIES.map(async (entry) => {
    const loaded = await loadedBy(pack, entry)
    const kilobytes = (of: typeof loaded): number => Math.round(of.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000)
    const packages = new Set(loaded.flatMap(({ path }) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))
    packages.delete('postern')
    return {
      entry,
      own: kilobytes(loaded.filter(({ path }) => path.startsWith('node_modules/postern/'))),
      all: kilobytes(loaded),
      packages: [...packages].sort(),
    }
  }))

/** The table in the form of the page. */
export const tableOf = (sizes: ReadonlyArray<Size>): string => [
  '| import | of this package, kB | with all it loads, kB | other packages it loads |',
  '|---|---|---|---|',
  ...sizes.map(({ entry, own, all, packages }) => `| \`${entry}\` | ${own} | ${all} | ${packages.length > 3 ? packages.length : packages.join(', ')} |`),
  '',
].join('\n')

/** Reads the table back: the numbers of each entry. */
export const readTable = (page: string): ReadonlyArray<{ readonly entry: string; readonly own: number; readonly all: number }> =>
  Array.from((TABLE.exec(page)?.[0] ?? '').matchAll(/^\| `([^`]+)` \| (\d+) \| (\d+) \|/gm), ([, entry, own, all]) => ({
    entry: entry ?? '', own: Number(own), all: Number(all),
  }))
