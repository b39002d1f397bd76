import { existsSync, readFileSync } from 'node:fs'

/** The version of the package this file is part of, as its package.json says; compiled files lie one folder deeper than sources. */
export const version = (): string => {
  const manifest = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url))
  const text = manifest === undefined ? '{}' : readFileSync(manifest, 'utf8')
  return (JSON.parse(text) as { readonly version?: string }).version ?? 'unknown'
}
