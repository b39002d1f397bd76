import { stat } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Installed } from './install.js'

/** A module that was loaded: its path from the app's folder, or a builtin's name, and its size in bytes. */
export type Loaded = { readonly path: string; readonly bytes: number }

/** Prints the address of every module that Node loads: from hooks for ES modules, from the cache for CommonJS. */
const probe = (entry: string): string => `
  import { createRequire, register } from 'node:module'
  const hooks = \`
    import { writeSync } from 'node:fs'
    export const load = (url, context, next) => { writeSync(1, url + '\\\\n'); return next(url, context) }
  \`
  register('data:text/javascript,' + encodeURIComponent(hooks))
  await import('${entry}')
  for (const path of Object.keys(createRequire(import.meta.url).cache)) console.log(path)
`

/** The modules that importing an entry of the installed package loads. */
export const loadedBy = async ({ app, node }: Installed, entry: string): Promise<ReadonlyArray<Loaded>> => {
  const { status, stdout, stderr } = await node(['--input-type=module', '--eval', probe(entry)])
  if (status !== 0) throw new Error(stderr)
  const paths = stdout.split('\n').filter((line) => line !== '').map((line) => (line.startsWith('file:') ? fileURLToPath(line) : line))
  return Promise.all(
    [...new Set(paths)].map(async (path) =>
      isBuiltin(path) ? { path, bytes: 0 } : { path: relative(app, path), bytes: (await stat(path)).size },
    ),
  )
}
