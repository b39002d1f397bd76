import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const MOVED: ReadonlySet<unknown> = new Set(['ERR_PACKAGE_PATH_NOT_EXPORTED', 'MODULE_NOT_FOUND'])

/**
 * Loads the file of a CommonJS package that exports one part of it, because the whole package loads many files that are never used. If a release of the package has moved the
 * file, the part is taken from the whole package. The caller names the part's type.
 */
export const partOfPackage = (name: string, part: string, file: string): unknown => {
  try {
    return require(`${name}/${file}`)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && MOVED.has(error.code))) throw error
    return (require(name) as Readonly<Record<string, unknown>>)[part]
  }
}
