import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'

/** Which files import each file, of this repository's; paths from its root. */
export type Importers = ReadonlyMap<string, ReadonlySet<string>>

const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/** Reads who imports whom from the texts of the files. */
export const readImporters = async (root: string, files: ReadonlyArray<string>): Promise<Importers> => {
  const known = new Set(files)
  const importers = new Map<string, Set<string>>()
  await Promise.all(files.filter((file) => /\.(ts|tsx|js)$/.test(file)).map(async (file) => {
    for (const [, path = ''] of (await readFile(join(root, file), 'utf8')).matchAll(IMPORT)) {
      const imported = sourcesOf(normalize(join(dirname(file), path))).find((source) => known.has(source))
      if (imported !== undefined) importers.set(imported, (importers.get(imported) ?? new Set()).add(file))
    }
  }))
  return importers
}

/** An import names the file that the compiler makes of one of these. */
const sourcesOf = (path: string): ReadonlyArray<string> => [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx'), path]

/** The files that import some files, and those that import these, and so on, each with the fewest steps to one of them. */
export const distancesTo = (importers: Importers, files: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const distances = new Map(files.map((file) => [file, 0]))
  // A map hands out what is added to it meanwhile, so this goes outward step by step.
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) if (!distances.has(importer)) distances.set(importer, distance + 1)
  }
  return distances
}
