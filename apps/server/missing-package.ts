const MISSING = /^Cannot find (?:package|module) '((?:@[^/']+\/)?[^./'@][^/']*)/

/** One sentence on what to install, where an error says that a package is not there; packages that few need are optional. */
export const missingPackage = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'MODULE_NOT_FOUND') return undefined
  const name = MISSING.exec(error.message)?.[1]
  return name && `the package ${name} is needed and not installed; \`npm install ${name}\` adds it`
}
