// One process tries one mutant, and ends at the first check that finds it. It is told in its arguments: the file that is replaced and the file that replaces it,
// how many histories to play, and the tests. What found it is the last line that it prints; without one it survived.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import Mocha from 'mocha'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const [replaced = '', replacement = '', histories = '', ...tests] = process.argv.slice(2)

const url = pathToFileURL(join(ROOT, replaced)).href
registerHooks({
  load: (asked, context, next) =>
    asked === url ? { format: 'module', source: readFileSync(join(ROOT, replacement), 'utf8'), shortCircuit: true } : next(asked, context),
})

const end = (foundBy: string): never => {
  process.stdout.write(`${foundBy.replaceAll(/\s+/g, ' ')}\n`)
  process.exit(0)
}
process.on('uncaughtException', (error) => end(`uncaught: ${error.message}`))
process.on('unhandledRejection', (error) => end(`uncaught: ${String(error)}`))

/** So many files are read at a time: most mutants are found by the first of them. */
const WAVE = 8

/** The kind and the title of the first test that fails: `test: …` or `law: …`. */
const failingTest = async (): Promise<string | undefined> => {
  for (let from = 0; from < tests.length; from += WAVE) {
    const failed = await failingOf(tests.slice(from, from + WAVE))
    if (failed !== undefined) return failed
  }
  return undefined
}

const failingOf = async (files: ReadonlyArray<string>): Promise<string | undefined> => {
  const mocha = new Mocha({ bail: true, timeout: 120_000, reporter: Mocha.reporters.Base })
  for (const file of files) mocha.addFile(join(ROOT, file))
  await mocha.loadFilesAsync()
  return new Promise((resolve) => {
    let failed: string | undefined
    const runner = mocha.run(() => resolve(failed))
    runner.on('fail', (test) => { failed ??= `${test.file?.includes('/laws.test.') ? 'law' : 'test'}: ${test.fullTitle()}` })
  })
}

/** Which of the histories breaks which promise. */
const brokenHistory = async (): Promise<string | undefined> => {
  if (histories === '0') return undefined
  const { simulate } = await import('../simulation/simulate.js')
  for (let seed = 0; seed < Number(histories); seed += 1) {
    const [violation] = (await simulate({ seed })).violations
    if (violation !== undefined) return `history ${seed}: ${violation.promise}`
  }
  return undefined
}

try {
  const test = await failingTest()
  if (test !== undefined) end(test)
  const history = await brokenHistory()
  end(history ?? '')
} catch (error) {
  end(`error: ${error instanceof Error ? error.message : String(error)}`)
}
