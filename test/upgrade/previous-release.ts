import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeScratch } from '../support/scratch.js'

/** The release before this one, as `pack-release.sh` packed it. After a release, pack that and name it here. */
export const PREVIOUS_RELEASE = '0.1.0'

const ARCHIVE = fileURLToPath(new URL(`postern-${PREVIOUS_RELEASE}.tar.gz`, import.meta.url))
const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Packages of which it needs another major than this release, by the names that they have here. */
const OLDER: Readonly<Record<string, string>> = { got: 'got-14' }

/** The previous release in a temporary folder, run with the packages of this checkout, or with older ones where it needs them. */
export type PreviousRelease = {
  /** The path of its `postern`. */
  readonly program: string
} & AsyncDisposable

/** Unpacks it. */
export const unpackPreviousRelease = async (): Promise<PreviousRelease> => {
  const scratch = await makeScratch()
  const folder = scratch.path('release')
  await mkdir(folder)
  await promisify(execFile)('tar', ['-xzf', ARCHIVE, '-C', folder])
  // A package that is not found beside the release is looked for in the folder above.
  await symlink(NODE_MODULES, scratch.path('node_modules'))
  await mkdir(`${folder}/node_modules`)
  for (const [name, here] of Object.entries(OLDER)) await symlink(join(NODE_MODULES, here), join(folder, 'node_modules', name))
  return { program: `${folder}/dist/apps/cli/main.js`, [Symbol.asyncDispose]: scratch.remove }
}
