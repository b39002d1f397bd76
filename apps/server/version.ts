import { existsSync, readFileSync } from 'node:fs'

/** The version in this package's package.json. Compiled files are one folder deeper than sources, so two places are tried. */
export const version = (): string => {
  const manifest = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url))
  const text = manifest === undefined ? '{}' : readFileSync(manifest, 'utf8')
  return (JSON.parse(text) as { readonly version?: string }).version ?? 'unknown'
}
