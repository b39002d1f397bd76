import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, posix } from 'node:path'
import { assert } from 'chai'
import { ROOT } from '../architecture/tree.js'
import { dependencyFolders, ENTRIES, type Installed } from './install.js'
import { installed } from './installed.js'
import { loadedBy } from './loaded.js'

const OPTIONAL = ['@modelcontextprotocol/sdk', 'amqplib', 'better-sqlite3', 'mysql2', 'nats', 'pg']

/**
 * The budget of the download; a larger package needs a reason. 1,143 kB were packed when it was set, after 1,052 before. In between came the client with the types of
 * the contract and its page, forms for every type of message in the console, the platform's notifications as they come, a page for each error, and a console that searches, shows customers
 * as conversations and prints months. Then came the demo, a manifest for Kubernetes, and recipes with their programs: about 25 kB. And then
 * the console in German, Spanish and Portuguese: 65 kB, of texts that compress no further; the reference of the API with its samples and its script: 15 kB; agents and traces: 25 kB;
 * steps that ask before large amounts, examples of events, and figures for each tenant: 12 kB. What errors of the platform mean, in three more languages, takes 9 kB. 1,321 kB were packed. Then dialled numbers, guarded ports, shares of uploads,
 * leases by the database's clock, and what the gateway's own refusals mean in four languages: 1,350. Then the gateway in one call, JSON errors for malformed requests, and one time zone for
 * each page: 1,357. Then examples and pages for every way to embed, an adapter over node:sqlite, laws by their use, and questions before amounts in four languages: 1,385.
 * Then networks without a window, ports with their reads, jobs a file each, and comments and pages in plainer and longer sentences: 1,404.
 * Then code lines of at most 140 columns: 1,410.
 * Then tables of one line and side panels of the console: 1,417.
 * Then a palette, statements of a month, an area of operators, messages sent again, alerts to people, and prices beside costs, each in four languages where people read it: 1,492.
 * Then several senders, apps, the health of numbers, parts of holds, and pages of numbers and wallets in four languages: 1,595.
 * Then limits of senders and customers, awaited deliveries, a queue, time zones of phone numbers, figures by number, and alerts in four languages: 1,661.
 * Then queued sends over HTTP, turns of senders, holds of the queue, scheduled money, and two pages with a program: 1,706.
 * Then the page of the queue in four languages, its metrics, limits of business accounts, customers' hours, and what customers allowed: 1,770.
 * Then consent, batches from a file to their results, with pages in four languages, and what templates achieve: 1,928.
 * Then batches that are sent again, names of customers, sums of days, compiled code, and pages of consent in four languages: 1,997.
 * Then numbers below the limit of new customers that they share, with what uses it now and what used it each day, in four languages: 2,017.
 */
const MAX_BYTES = 2_020_000

type Problem = { readonly kind: string; readonly resolutionKind: string }

describe('the packed package', () => {
  let pack: Installed
  before(async () => {
    pack = await installed()
    await pack.remove(...OPTIONAL)
  })

  it('is less than 2,020 kB', () => {
    assert.isBelow(pack.packed.size, MAX_BYTES)
  })

  it('has programs, declarations and the documentation, and neither sources nor tests', () => {
    const paths = pack.packed.files.map(({ path }) => path)
    const known = [
      /^(CHANGELOG\.md|README\.md|package\.json)$/,
      /^dist\/(core|adapters|test\/laws)\/.+\.(js|d\.ts)$/,
      /^dist\/apps\/(cli|demo|server|simulator)\/.+\.js$/,
      /^docs\/(.+\.md|llms\.txt)$/,
      /^docs\/examples\/.+\.(c?ts|py|json)$/,
      /^deploy\/(Caddyfile|alerts\.yaml|env\.example|grafana-dashboard\.json|kubernetes\.yaml|nginx\.conf|postern\.service|postern-command)$/,
    ]
    assert.deepEqual(paths.filter((path) => !known.some((pattern) => pattern.test(path))), [])
    assert.deepEqual(paths.filter((path) => /\.test\./.test(path) && !path.startsWith('docs/examples/')), [])
  })

  it('explains in its declarations what it offers, and in no program', async () => {
    const read = (path: string): Promise<string> => readFile(join(pack.app, 'node_modules/postern/dist', path), 'utf8')
    const [declared, program] = await Promise.all([read('core/sending/send.d.ts'), read('core/sending/send.js')])
    assert.match(declared, /\/\*\* \w.+ \*\/\nexport type SendText = /)
    assert.notInclude(program, '/**')
  })

  it('has every file and folder that its pages link to', async () => {
    const paths = pack.packed.files.map(({ path }) => path)
    const pages = paths.filter((path) => /\.md$|\/llms\.txt$/.test(path))
    assert.includeMembers(pages, [
      'README.md', 'CHANGELOG.md', 'docs/llms.txt', 'docs/embedding.md', 'docs/another-network.md', 'docs/operations.md',
      'docs/simulator.md', 'docs/writing-an-adapter.md',
    ])
    const links = (await Promise.all(pages.map(async (page) => {
      const text = await readFile(join(pack.app, 'node_modules/postern', page), 'utf8')
      // A gateway serves llms.txt at its root, and the changelog below /docs.
      const from = page === 'docs/llms.txt' ? '.' : posix.dirname(page)
      return Array.from(
        text.matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)|(?:src|href)="(?!https?:|#)([^"#]+)/g),
        ([, target = '', shown = '']) => ({ page, target: posix.join(from, target || shown) }),
      )
    }))).flat()
    assert.isAbove(links.length, 20)
    const missing = links.filter(({ target }) => !paths.some((path) => path === target || path.startsWith(`${target}/`)))
      .map(({ page, target }) => `${page} ${target}`)
    // The pictures are for those who read the README where it is published; the rest is served, and is no file.
    assert.deepEqual(missing, [
      'README.md docs/pictures/dashboard.png', 'README.md docs/pictures/phone.png', 'docs/llms.txt openapi.json',
      'docs/llms.txt errors.json', 'docs/llms.txt docs/README.md', 'docs/llms.txt docs/CHANGELOG.md',
    ])
  })

  it('depends on no package that has to be compiled', async () => {
    const paths = await dependencyFolders()
    assert.includeMembers([...paths], ['node_modules/fp-ts', 'node_modules/koa'])
    const compiled = await Promise.all(paths.map(async (path) => {
      const { scripts = {} } = JSON.parse(await readFile(join(pack.app, path, 'package.json'), 'utf8'))
      return 'install' in scripts || 'postinstall' in scripts || existsSync(join(pack.app, path, 'binding.gyp'))
    }))
    assert.deepEqual(paths.filter((_, index) => compiled[index]), [])
  })

  for (const entry of ENTRIES) {
    it(`gives ${entry} to ES modules and to CommonJS, without any optional package`, async () => {
      const imported = await pack.node(['--input-type=module', '--eval', `console.log(Object.keys(await import('${entry}')).sort().join())`])
      const required = await pack.node(['--no-warnings', '--input-type=commonjs', '--eval', `console.log(Object.keys(require('${entry}')).sort().join())`])
      assert.equal(imported.status, 0, imported.stderr)
      assert.isAbove(imported.stdout.split(',').length, 0)
      assert.deepEqual(required, { ...imported, stderr: required.stderr })
      assert.equal(required.stderr, '')
    })
  }

  it('says which package a broker needs if it is opened, and opens a transport over undici', async () => {
    const open = async (entry: string, call: string): Promise<string> =>
      (await pack.node([
        '--input-type=module', '--eval',
        `const all = await import('${entry}'); all.${call}.then(({ close }) => close()).catch(({ message }) => console.log(message))`,
      ])).stdout
    const missing = (needed: string, name: string): string => `the package ${name} is needed for ${needed} and not installed; \`npm install ${name}\` adds it\n`
    assert.equal(await open('postern/events', "openNatsSink('nats://127.0.0.1:1')"), missing('such a broker', 'nats'))
    assert.equal(await open('postern/events', "openAmqpSink('amqp://127.0.0.1:1')"), missing('such a broker', 'amqplib'))
    assert.equal(await open('postern/cloud-api', 'openUndiciTransport()'), '')
  })

  it('gives no other file', async () => {
    for (const path of [
      'postern/package.json', 'postern/dist/core/index.js', 'postern/dist/core/index.d.ts', 'postern/dist/apps/cli/main.js',
      'postern/memory/sandbox',
    ]) {
      const { stdout } = await pack.node(['--input-type=module', '--eval', `import('${path}').catch((error) => console.log(error.code))`])
      assert.equal(stdout.trim(), 'ERR_PACKAGE_PATH_NOT_EXPORTED', path)
    }
  })

  it('loads core and fp-ts and nothing more if only the core is imported', async () => {
    const paths = (await loadedBy(pack, 'postern')).map(({ path }) => path)
    assert.includeMembers(paths, ['node_modules/postern/dist/core/sending/send.js', 'node_modules/fp-ts/lib/Either.js'])
    assert.deepEqual(paths.filter((path) => !/^node_modules\/(postern\/dist\/core|fp-ts)\//.test(path)), [])
  })

  it('has no finding of publint', async () => {
    const { publint } = await import('publint')
    const { messages } = await publint({ pkgDir: join(pack.app, 'node_modules/postern'), pack: false, strict: true })
    assert.deepEqual(messages, [])
  })

  it('has types that resolve in every kind of import that attw checks', async () => {
    // .attw.json allows exactly two findings: the old resolution does not know `exports`, and `require` gives an ES module, which
    // every supported Node.js and TypeScript 5.8 support.
    const attw = createRequire(join(ROOT, 'package.json')).resolve('@arethetypeswrong/cli/package.json')
      .replace('package.json', 'dist/index.js')
    const { status, stdout, stderr } = await pack.node([attw, pack.tarball, '--config-path', join(ROOT, '.attw.json'), '--format', 'json'])
    assert.equal(status, 0, stdout + stderr)
    const problems = Object.values(JSON.parse(stdout).problems as Readonly<Record<string, ReadonlyArray<Problem>>>).flat()
    const passed = ({ kind, resolutionKind }: Problem): boolean =>
      kind === 'CJSResolvesToESM' || (kind === 'NoResolution' && resolutionKind === 'node10')
    assert.deepEqual(problems.filter((problem) => !passed(problem)), [])
  })
})
