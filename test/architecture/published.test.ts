import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { ROOT } from './tree.js'

const run = promisify(execFile)

/** Runs a program with plain Node, without the loader of the tests, and returns its output. */
const node = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { NODE_OPTIONS: _, ...env } = process.env
  const { stdout } = await run(process.execPath, [...args], { cwd: ROOT, env })
  return stdout
}

/** The entries of the package, and their source files. */
const ENTRIES: Readonly<Record<string, string>> = {
  postern: 'core/index.ts',
  'postern/laws': 'test/laws/index.ts',
  'postern/memory': 'adapters/memory/index.ts',
  'postern/cloud-api': 'adapters/cloud-api/index.ts',
  'postern/knex': 'adapters/knex/index.ts',
  'postern/sending': 'adapters/sending.ts',
  'postern/gateway': 'adapters/gateway.ts',
  'postern/events': 'adapters/events.ts',
  'postern/client': 'adapters/client/index.ts',
  'postern/oidc': 'adapters/oidc/index.ts',
  'postern/console': 'adapters/console/index.ts',
  'postern/koa': 'adapters/koa/index.ts',
  'postern/inversify': 'adapters/inversify/index.ts',
  'postern/opentelemetry': 'adapters/opentelemetry/index.ts',
}

/** The names that each entry exports, as a program prints them; if loading an entry throws, the error replaces its names. */
type Offered = Readonly<Record<string, ReadonlyArray<string> | string>>

/** All entries in one process, because starting a process takes longer than loading most entries. */
const offered = async (type: 'module' | 'commonjs', load: string): Promise<Offered> => {
  const program = `
    const load = async (entry) => Object.keys(${load}).sort()
    const offered = async (entry) => [entry, await load(entry).catch(String)]
    Promise.all(${JSON.stringify(Object.keys(ENTRIES))}.map(offered)).then((all) => console.log(JSON.stringify(Object.fromEntries(all))))
  `
  return JSON.parse(await node('--no-warnings', `--input-type=${type}`, '--eval', program)) as Offered
}

/** The names that a file exports, read from the sources. */
const namesOf = async (file: string): Promise<ReadonlyArray<string>> => {
  const source = (await import(join(ROOT, file))) as object
  return Object.keys(source).sort()
}

/** Prints the address of every module that Node loads: from hooks for ES modules, from the cache for CommonJS. */
const PROBE = `
  import { createRequire, register } from 'node:module'
  const hooks = \`
    import { writeSync } from 'node:fs'
    export const load = (url, context, next) => { writeSync(1, url + '\\\\n'); return next(url, context) }
  \`
  register('data:text/javascript,' + encodeURIComponent(hooks))
  await import('postern')
  for (const path of Object.keys(createRequire(import.meta.url).cache)) console.log(path)
`

/** The modules that importing the core loads, as paths from the root; builtins by their names. */
const loadedByCore = async (): Promise<ReadonlyArray<string>> => {
  const lines = (await node('--input-type=module', '--eval', PROBE)).split('\n').filter((line) => line !== '')
  const paths = lines.map((line) => (line.startsWith('file:') ? fileURLToPath(line) : line))
  return [...new Set(paths.map((path) => (isBuiltin(path) ? path : relative(ROOT, path))))]
}

describe('the compiled package', () => {
  it('publishes these entries and no other', async () => {
    const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { readonly exports: object }
    assert.sameMembers(Object.keys(exports).map((path) => path.replace('.', 'postern')), Object.keys(ENTRIES))
  })

  let toModules: Offered
  let toCommonJs: Offered
  before(async () => {
    toModules = await offered('module', 'await import(entry)')
    toCommonJs = await offered('commonjs', 'require(entry)')
  })

  for (const [entry, file] of Object.entries(ENTRIES)) {
    it(`offers all of ${entry} to native ES modules`, async () => {
      assert.deepEqual(toModules[entry], await namesOf(file))
    })

    it(`offers all of ${entry} to CommonJS`, async () => {
      assert.deepEqual(toCommonJs[entry], await namesOf(file))
    })
  }

  it('keeps everything else to itself', async () => {
    const code = await node('--input-type=module', '--eval', "import('postern/dist/core/index.js').catch((e) => console.log(e.code))")
    assert.equal(code.trim(), 'ERR_PACKAGE_PATH_NOT_EXPORTED')
  })

  it('loads core and fp-ts and nothing more if only the core is imported', async () => {
    const loaded = await loadedByCore()
    assert.includeMembers([...loaded], ['dist/core/index.js', 'dist/core/sending/send.js', 'node_modules/fp-ts/lib/Either.js'])
    assert.deepEqual(loaded.filter((path) => !path.startsWith('dist/core/') && !path.startsWith('node_modules/fp-ts/')), [])
  })
})
