import { existsSync, readFileSync } from 'node:fs'
import { type Cause, describeCause } from '../../core/kernel/failure.js'

/** Describes a cause. If an optional package is not installed, the message says how to install it. */
export const causeOf = (cause: unknown): Cause => {
  const described = describeCause(cause)
  return { ...described, message: missingPackage(cause) ?? described.message }
}

const MISSING = /^Cannot find (?:package|module) '((?:@[^/']+\/)?[^./'@][^/']*)/

const missingPackage = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'MODULE_NOT_FOUND') return undefined
  const name = MISSING.exec(error.message)?.[1]
  return name && `the package ${name} is needed and not installed; \`npm install ${name}\` adds it`
}

/** The version in this package's package.json. Compiled files are one folder deeper than sources, so two places are tried. */
export const version = (): string => {
  const manifest = ['../../package.json', '../../../package.json'].map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url))
  const text = manifest === undefined ? '{}' : readFileSync(manifest, 'utf8')
  return (JSON.parse(text) as { readonly version?: string }).version ?? 'unknown'
}
