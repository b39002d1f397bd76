import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EQUAL, type Equal } from './equal.js'
import { type Mutant, mutantsOf } from './mutations.js'
import { compiled, compiledName, CONCEPTS, filesOf, ROOT, type Tree } from './tree.js'

/** How a mutant ended: found by a check, not found though it is a defect, or not found because it is none. */
export type Outcome = { readonly mutant: Mutant; readonly seconds: number } & (
  | { readonly end: 'killed'; readonly by: string }
  | { readonly end: 'survived' }
  | { readonly end: 'equal'; readonly because: string }
)

/** What is tried on each mutant. */
export type Checks = {
  readonly histories: number
  /** How long a mutant may take; one that takes longer is found. */
  readonly deadlineMs: number
  /** By default the unit tests that reach its file, and the laws. */
  readonly tests?: ReadonlyArray<string>
  readonly equal?: ReadonlyArray<Equal>
}

/** Every mutant of the concepts. */
export const allMutants = async (): Promise<ReadonlyArray<Mutant>> => {
  const files = await filesOf(CONCEPTS.map((concept) => `${concept}/**/*.ts`).join(','))
  return (await Promise.all(files.map(async (file) => mutantsOf(file, await readFile(join(ROOT, file), 'utf8'))))).flat()
}

/** Runs the checks on one mutant until one of them finds it. */
export const tryMutant = async (tree: Tree, mutant: Mutant, checks: Checks): Promise<Outcome> => {
  const begunAt = performance.now()
  const known = (checks.equal ?? EQUAL).find(({ file, was, becomes }) =>
    file === mutant.file && was === mutant.was && becomes === mutant.becomes)
  if (known !== undefined) return { mutant, seconds: 0, end: 'equal', because: known.because }
  const by = await foundBy(tree, mutant, checks)
  const seconds = (performance.now() - begunAt) / 1_000
  return by === '' ? { mutant, seconds, end: 'survived' } : { mutant, seconds, end: 'killed', by }
}

let names = 0

/** Replaces a file by the text of a mutant, and returns the name of the check that fails; empty if none fails. */
export const foundBy = async (tree: Tree, { file, text }: Pick<Mutant, 'file' | 'text'>, checks: Checks): Promise<string> => {
  const replacement = compiledName(`mutant-${(names += 1)}.ts`)
  await tree.put(replacement, compiled(text))
  const tests = checks.tests ?? tree.testsFor(file)
  const args = [join(tree.folder, 'test/mutants/try-mutant.js'), compiledName(file), replacement, String(checks.histories), ...tests]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: checks.deadlineMs, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error?.killed === true) resolve('the deadline')
      else if (error !== null) reject(new Error(`${file} could not be tried: ${stderr}`, { cause: error }))
      else resolve(stdout.trimEnd().split('\n').at(-1) ?? '')
    })
  })
}
