import { randomUUID } from 'node:crypto'
import { readFile, rm, stat } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Installed } from './install.js'

/** A module that was loaded: its path from the app's folder, or a builtin's name, and its size in bytes. */
export type Loaded = { readonly path: string; readonly bytes: number }

/**
 * Notes the address of every module that Node loads: from hooks for ES modules, from the cache for CommonJS. The notes go to a
 * file, since a pipe that is full refuses a write (EAGAIN).
 */
const probe = (entry: string, notes: string): string => `
  import { appendFileSync } from 'node:fs'
  import { createRequire, register } from 'node:module'
  const hooks = \`
    import { appendFileSync } from 'node:fs'
    export const load = (url, context, next) => { appendFileSync(${JSON.stringify(notes)}, url + '\\\\n'); return next(url, context) }
  \`
  register('data:text/javascript,' + encodeURIComponent(hooks))
  await import('${entry}')
  const required = Object.keys(createRequire(import.meta.url).cache)
  appendFileSync(${JSON.stringify(notes)}, required.map((path) => path + '\\n').join(''))
`

/** The modules that importing an entry of the installed package loads. */
export const loadedBy = async ({ app, node }: Installed, entry: string): Promise<ReadonlyArray<Loaded>> => {
  const notes = join(app, `loaded-${randomUUID()}`)
  const { status, stderr } = await node(['--input-type=module', '--eval', probe(entry, notes)])
  if (status !== 0) throw new Error(stderr)
  const loaded = await readFile(notes, 'utf8')
  await rm(notes)
  const paths = loaded.split('\n').filter((line) => line !== '').map((line) => (line.startsWith('file:') ? fileURLToPath(line) : line))
  return Promise.all(
    [...new Set(paths)].map(async (path) =>
      isBuiltin(path) ? { path, bytes: 0 } : { path: relative(app, path), bytes: (await stat(path)).size },
    ),
  )
}
