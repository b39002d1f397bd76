import { glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { isSlow } from '../support/file-cost.js'
import { distancesTo, type Importers, readImporters } from '../support/imports.js'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The concepts whose files are changed. */
export const CONCEPTS = ['core/money', 'core/sending', 'core/messages', 'core/customers', 'core/reports']

const NEEDED = 'core/**/*.ts,adapters/**/*.ts,apps/simulator/**/*.ts,test/{core,laws,laws-of-laws,simulation,mutants,support,adapters/memory}/**/*.ts'
const LAWS = 'test/adapters/memory/laws.test.ts'

/** The compiled core with its laws, unit tests and histories, from which each mutant runs with one file of its own. */
export type Tree = {
  readonly folder: string
  /** What is run for a file: the unit tests of the core that reach it, nearest first, and the laws. */
  readonly testsFor: (file: string) => ReadonlyArray<string>
  /** Puts a text beside the file of the tree that it replaces. */
  readonly put: (name: string, text: string) => Promise<string>
  readonly remove: () => Promise<void>
}

/** What is compiled is not checked: a mutant whose types are wrong runs as well. */
export const compiled = (text: string): string =>
  ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true, removeComments: true },
  }).outputText

/** By default with everything that the checks need. */
export const openTree = async (needed: string = NEEDED): Promise<Tree> => {
  const cache = join(ROOT, 'node_modules/.cache/postern')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'mutants-'))
  const files = await filesOf(needed)
  for (const file of files) await putInto(folder, compiledName(file), compiled(await readFile(join(ROOT, file), 'utf8')))
  await symlink(join(ROOT, 'docs'), join(folder, 'docs'))
  await putInto(folder, 'package.json', '{ "type": "module" }')
  const importers = await readImporters(ROOT, files)
  return {
    folder,
    testsFor: (file) => [...nearestTests(importers, file), LAWS].map(compiledName),
    put: (name, text) => putInto(folder, name, text),
    remove: () => rm(folder, { recursive: true }),
  }
}

export const filesOf = async (patterns: string): Promise<ReadonlyArray<string>> => {
  const files: string[] = []
  for await (const file of glob(patterns.includes('{') || patterns.includes(',') ? `{${patterns}}` : patterns, { cwd: ROOT })) {
    files.push(file)
  }
  return files.sort()
}

const putInto = async (folder: string, name: string, text: string): Promise<string> => {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  return path
}

export const compiledName = (file: string): string => file.replace(/\.ts$/, '.js')

const nearestTests = (importers: Importers, file: string): ReadonlyArray<string> =>
  [...distancesTo(importers, [file])]
    .filter(([test]) => test.startsWith('test/core/') && test.endsWith('.test.ts') && !isSlow(test))
    .sort(([, one], [, other]) => one - other)
    .map(([test]) => test)
