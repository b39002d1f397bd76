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
