import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of this repository, as an absolute path. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Files by their path from the root, with their text. */
export type Files = Readonly<Record<string, string>>

/** Runs work in a temporary folder that has only these files, and then removes the folder. */
export const inTree = async <A>(files: Files, work: (root: string) => Promise<A>): Promise<A> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'postern-tree-')))
  try {
    await Promise.all(
      Object.entries(files).map(async ([path, text]) => {
        await mkdir(dirname(join(root, path)), { recursive: true })
        await writeFile(join(root, path), text)
      }),
    )
    return await work(root)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
