import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { ROOT } from '../architecture/tree.js'

/**
 * Writes the declarations of the published entries into `dist`, and those that they lead to. The compiler's own are more: each file
 * would have one, and the texts of the console are not what an embedder's editor looks for. They are made apart from the programs,
 * because the programs are compiled without comments, and declarations must keep theirs.
 */
export const writeDeclarations = async (): Promise<ReadonlyArray<string>> => {
  const all = declarations()
  const dist = join(ROOT, 'dist')
  const old = (await readdir(dist, { recursive: true })).filter((path) => path.endsWith('.d.ts'))
  await Promise.all(old.map((path) => rm(join(dist, path))))
  const published = reachedFrom(await entries(), all)
  for (const path of published) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, all.get(path) ?? '')
  }
  return published.map((path) => relative(ROOT, path)).sort()
}

/** The declarations of all files that are compiled, or of given files and those that they import, by their paths. */
export const declarations = (files?: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const config = ts.getParsedCommandLineOfConfigFile(join(ROOT, '.tsconfig.build.json'), {
    noEmit: false, incremental: false, declaration: true, emitDeclarationOnly: true, removeComments: false,
  }, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (fault) => { throw new Error(textOf([fault])) } })
  if (config === undefined) throw new Error('.tsconfig.build.json cannot be read')
  // The time of the build belongs to the programs, whose next compilation begins with it.
  delete config.options.tsBuildInfoFile
  const written = new Map<string, string>()
  const { diagnostics } = ts.createProgram(files ?? config.fileNames, config.options).emit(undefined, (path, text) => {
    written.set(path, text)
  })
  if (diagnostics.length > 0) throw new Error(textOf(diagnostics))
  return written
}

const textOf = (diagnostics: ReadonlyArray<ts.Diagnostic>): string =>
  ts.formatDiagnostics(diagnostics, { getCurrentDirectory: () => ROOT, getCanonicalFileName: (name) => name, getNewLine: () => '\n' })

const entries = async (): Promise<ReadonlyArray<string>> => {
  const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly types: string }>>
  }
  return Object.values(exports).map(({ types }) => join(ROOT, types))
}

const reachedFrom = (begin: ReadonlyArray<string>, all: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const reached = new Set(begin)
  // A set also gives what is added to it on the way.
  for (const path of reached) {
    const text = all.get(path)
    if (text === undefined) throw new Error(`${relative(ROOT, path)} is not compiled`)
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      if (fileName.startsWith('.')) reached.add(join(dirname(path), fileName.replace(/\.js$/, '.d.ts')))
    }
  }
  return [...reached]
}

if (import.meta.main) await writeDeclarations()
