import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of this repository, as an absolute path. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Files by their path from the root, with their text. */
export type Files = Readonly<Record<string, string>>

/** A temporary folder with the files of a test. */
export type Tree = { readonly root: string } & AsyncDisposable

/** Makes a temporary folder that contains only these files. */
export const plantTree = async (files: Files): Promise<Tree> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'postern-tree-')))
  const tree: Tree = { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
  try {
    await Promise.all(
      Object.entries(files).map(async ([path, text]) => {
        await mkdir(dirname(join(root, path)), { recursive: true })
        await writeFile(join(root, path), text)
      }),
    )
    return tree
  } catch (error) {
    await tree[Symbol.asyncDispose]()
    throw error
  }
}

/** Runs work in a temporary folder that contains only these files, and then removes the folder. */
export const inTree = async <A>(files: Files, work: (root: string) => Promise<A>): Promise<A> => {
  await using tree = await plantTree(files)
  return await work(tree.root)
}

/** Files of this repository, with their text. */
export const copied = async (...paths: ReadonlyArray<string>): Promise<Files> =>
  Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(join(ROOT, path), 'utf8')] as const)))
