import { join } from 'node:path'
import { assert } from 'chai'
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import { ROOT } from './tree.js'

const isResult = (output: ICruiseResult | string): output is ICruiseResult => typeof output !== 'string'

/** The dependency rule of this repository, as the linter uses it. */
export const dependencyRule = (): Promise<ICruiseOptions> => extractDepcruiseOptions(join(ROOT, '.dependency-cruiser.mjs'))

/** The result of the rule for the files at some paths below a folder, and for their imports. */
export const cruised = async (options: ICruiseOptions, baseDir: string, paths: ReadonlyArray<string> = ['.']): Promise<ICruiseResult> => {
  const { output } = await cruise([...paths], { ...options, baseDir, validate: true })
  assert(isResult(output))
  return output
}

/** The violations of a rule, one line each. */
export const violations = ({ summary }: ICruiseResult): ReadonlyArray<string> =>
  summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)

/** Asserts that the files are where the rules expect them, because a rule for paths that do not exist is never broken. */
export const assertHasPathsOfRules = ({ modules }: ICruiseResult): void => {
  const seen = modules.map(({ source }) => source)
  assert.includeMembers(seen, ['core/sending/send.ts', 'core/money/wallet.ts', 'test/laws/law.ts', 'node_modules/fp-ts/lib/Either.js'])
}
