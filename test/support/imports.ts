import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'

/** The files that import each file of this repository; paths are relative to its root. */
export type Importers = ReadonlyMap<string, ReadonlySet<string>>

const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/** Reads the imports of each file from its text. */
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

/** An import names the file that the compiler produces from one of these. */
const sourcesOf = (path: string): ReadonlyArray<string> => [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx'), path]

/** The files that import the given files, directly or indirectly, each with the smallest number of steps. */
export const distancesTo = (importers: Importers, files: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const distances = new Map(files.map((file) => [file, 0]))
  // A map also iterates over entries that are added meanwhile, so this proceeds outwards step by step.
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) if (!distances.has(importer)) distances.set(importer, distance + 1)
  }
  return distances
}
