import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { assert } from 'chai'
import type { Command } from 'commander'
import ts from 'typescript'
import { GRAPH_OPERATIONS } from '../../adapters/koa/graph/contract.js'
import { makeOpenApiDocument } from '../../adapters/koa/index.js'
import { makeProgram } from '../../apps/cli/program.js'
import { startSimulator } from '../../apps/simulator/simulator.js'
import { CODES } from '../../core/explanations/codes.js'
import { ROOT } from '../architecture/tree.js'
import { makeShell } from '../support/postern.js'
import { QUESTIONS } from './questions.js'

/** How many words people read in a minute, of pages with code. */
const WORDS_A_MINUTE = 200

type Block = { readonly page: string; readonly text: string }

const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8')

const pages = async (): Promise<ReadonlyArray<string>> =>
  [
    'README.md', 'CHANGELOG.md',
    ...(await readdir(join(ROOT, 'docs'), { recursive: true })).filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`),
  ]

const blocks = async (language: string): Promise<ReadonlyArray<Block>> => {
  const all = await Promise.all((await pages()).map(async (page) => [page, await read(page)] as const))
  // Every block is matched, because the end of one looks like the beginning of one without a language.
  return all.flatMap(([page, text]) =>
    Array.from(text.matchAll(/^ *```(.*)\n([\s\S]*?)^ *```$/gm), ([, of, block]) => ({ of, page, text: block ?? '' }))
      .filter(({ of }) => of === language),
  )
}

/** The examples that are TypeScript. */
const programs = async (): Promise<ReadonlyArray<{ readonly name: string; readonly text: string }>> => {
  const names = (await readdir(join(ROOT, 'docs/examples'), { recursive: true })).filter((name) => /\.c?ts$/.test(name))
  return Promise.all(names.map(async (name) => ({ name, text: await read(`docs/examples/${name}`) })))
}

/** The examples that implement ports, and how many lines they may have. */
const ADAPTERS: ReadonlyMap<string, number> = new Map([['billing-wallet.ts', 80], ['user-wallet.ts', 85], ['sqlite-storage.ts', 315]])

/** The places where a program tells the compiler a type; `as const` is none. */
const castsIn = (program: string): ReadonlyArray<string> => {
  const file = ts.createSourceFile('example.ts', program, ts.ScriptTarget.Latest, true)
  const casts: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTypeAssertionExpression(node) || ts.isNonNullExpression(node)
        || (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type))) {
      casts.push(node.getText())
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return casts
}

/** The commands of a script: without comments, continued lines joined, commands joined by && separated. */
const commandsOf = ({ text }: Block): ReadonlyArray<string> =>
  text.replaceAll(/'[^']*'/g, (quoted) => quoted.replaceAll('\n', ' ')).replaceAll('\\\n', ' ').split('\n')
    .flatMap((line) => line.replace(/\s#.*$/, '').split('&&')).map((command) => command.trim()).filter((command) => command !== '')

/** The links of a page to files, each with the part of the file; outside of blocks. */
const linksIn = (text: string): ReadonlyArray<readonly [path: string, anchor: string | undefined]> =>
  Array.from(text.replaceAll(/^ *```[^]*?^ *```$/gm, '').matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g), ([, path = '', anchor]) =>
    [path, anchor] as const)

/** The names by which the headings of a page are linked to. */
const anchorsIn = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.replaceAll(/^ *```[^]*?^ *```$/gm, '').matchAll(/^#+ (.+)$/gm), ([, title = '']) =>
    title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').trim().replaceAll(/\s/g, '-')))

/** What is wrong with a `postern` command line; `undefined` if it is valid. */
const faultOf = async (line: string): Promise<string | undefined> => {
  const words = line.replace(/ < \S+$/, '').split(/\s+/)
  let command: Command | undefined = await makeProgram([], makeShell({}).shell)
  while (command !== undefined && command.commands.length > 0) {
    const [name] = words
    command = command.commands.find((one) => one.name() === name)
    words.shift()
  }
  if (command === undefined) return 'there is no such command'
  const known = command
  const flags = words.filter((word) => word.startsWith('--'))
  const unknown = flags.filter((flag) => !known.options.some(({ long }) => long === flag))
  const values = words.filter((word, index) => !word.startsWith('--') && !(words[index - 1]?.startsWith('--') ?? false))
  if (unknown.length > 0) return `it has no option ${unknown.join()}`
  return values.length === known.registeredArguments.length ? undefined : `it takes ${known.registeredArguments.length} arguments`
}

/** How a command in the pages is checked, by its first words. */
const CHECKS: ReadonlyArray<readonly [
  begins: RegExp, fault: (rest: string, manifest: Manifest) => string | undefined | Promise<string | undefined>,
]> = [
  [/^npx postern |^postern /, (rest) => faultOf(rest)],
  [/^npm run (?=\S)/, (rest, { scripts }) => (rest in scripts ? undefined : 'there is no such script')],
  [/^npm (test|start)$/, (_rest, { scripts }) => ('test' in scripts && 'start' in scripts ? undefined : 'there is no such script')],
  [/^npm (ci|pack)$/, () => undefined],
  [/^npm install /, (rest, { version, peerDependencies }) => {
    const unknown = rest.split(/\s+/).filter((name) =>
      !name.endsWith(`/postern-${version}.tgz`) && !(name in peerDependencies) && name !== 'fp-ts' && name !== 'uuidv7'
      && !name.startsWith('@opentelemetry/'))
    return unknown.length === 0 ? undefined : `not a package that Postern needs: ${unknown.join()}`
  }],
  [/^npx tsx /, (rest) => (existsSync(join(ROOT, rest)) ? undefined : 'there is no such file')],
  [
    /^node (node_modules\/postern\/)?(?=dist\/)/,
    (rest) =>
      existsSync(join(ROOT, rest.split(' ')[0]?.replace('dist/', '').replace(/\.js$/, '.ts') ?? ''))
        ? undefined
        : 'there is no such program',
  ],
  [
    /^export /,
    async (rest) =>
      (await read('apps/server/config.ts')).includes(`${rest.split('=')[0] ?? ''}:`) ? undefined : 'there is no such variable',
  ],
  [/^curl (?=(-X DELETE ')?http:\/\/127\.0\.0\.1:4010\/)/, async (rest) => {
    const [, path = '', , body] = /:4010\/([^\s']+)('|\s+-d '([^']*)')?$/.exec(rest) ?? []
    const method = rest.startsWith('-X DELETE') ? 'DELETE' : body === undefined ? 'GET' : 'POST'
    const simulator = await startSimulator()
    try {
      // curl says of every body that it is a form.
      const form = body === undefined ? {} : { body, headers: { 'content-type': 'application/x-www-form-urlencoded' } }
      const { status } = await fetch(`${simulator.url}/${path}`, { method, redirect: 'manual', ...form })
      return status === 200 ? undefined : `the simulator answers ${status}`
    } finally {
      await simulator.close()
    }
  }],
  [/^curl /, (rest) => {
    const path = (/127\.0\.0\.1:3000(\/[\w./%$-]+)/.exec(rest)?.[1] ?? '').replace(/^(\/api)?\/v1/, '')
    const known = Object.keys(makeOpenApiDocument({
      answering: true, batches: true, events: true, webhook: true, appWebhooks: true, metrics: true, quoting: true, templates: true,
      templateResults: true,
      senders: true,
      files: true,
      pages: true, queue: true, consent: true,
    }).paths)
    const graphPaths = GRAPH_OPERATIONS.map((one) => `/graph${one.path}`)
    return [...known, ...graphPaths].some((one) => new RegExp(`^${one.replace(/\{\w+\}/g, '[^/]+')}$`).test(path))
      ? undefined
      : 'there is no such address'
  }],
  [/^(docker compose exec (-T )?gateway postern|sudo postern-command) /, (rest) => faultOf(rest)],
  [/^docker compose (?=(build|up|logs|exec|--profile)\b)/, async (rest) => {
    const [name] = /(?<=^logs |^exec (-T )?|--profile )\w+/.exec(rest) ?? []
    return name === undefined || (await read('compose.yaml')).includes(`\n  ${name}:\n`) ? undefined : `there is no service ${name}`
  }],
  [/^docker build /, (rest, { version }) => (rest === `--tag postern:${version} .` ? undefined : `not the image postern:${version}`)],
  [/^kubectl --namespace postern exec deploy\/postern -- postern /, (rest) => faultOf(rest)],
  [/^kubectl /, (rest) => {
    const [, file = 'postern.env'] = /--filename (\S+)/.exec(rest) ?? []
    return file === 'postern.env' || existsSync(join(ROOT, file)) ? undefined : `there is no ${file}`
  }],
  [/^(sudo )?(cp|install|chmod) /, (rest) => {
    const gone = rest.split(' ').filter((word) => word.startsWith('deploy/') && !existsSync(join(ROOT, word)))
    return gone.length === 0 ? undefined : `there is no ${gone.join()}`
  }],
  [/^sudo (systemctl|journalctl) /, (rest) => (/\b(postern|daemon-reload)$/.test(rest) ? undefined : 'not the unit')],
  [/^node -p /, () => undefined],
  // The databases' own programs.
  [/^(sqlite3|mysqldump|pg_dump|openssl) /, () => undefined],
]

type Manifest = { readonly version: string; readonly scripts: object; readonly peerDependencies: object }

describe('the pages', () => {
  it('show programs that are files under test, word for word', async () => {
    const examples = (await programs()).map(({ text }) => text)
    const shown = await blocks('ts')
    assert.isAbove(shown.length, 10)
    const invented = shown.filter(({ text }) => !examples.some((example) => `\n${example}`.includes(`\n${text}`)))
    assert.deepEqual(invented, [])
    const unchecked = (await blocks('')).filter(({ text }) => /^(import|export|const|await) /m.test(text))
    assert.deepEqual(unchecked, [], 'a program has its language at the block')
  })

  it('show no cast, and embedders and authors of adapters programs of at most 60 lines', async () => {
    const all = await programs()
    const examples = all.filter(({ text }) => /['"]postern(\/(?!client)[\w-]+)?['"]/.test(text))
    assert.isAbove(examples.length, 15)
    assert.deepEqual(all.flatMap(({ name, text }) => castsIn(text).map((cast) => `${name}: ${cast}`)), [])
    assert.deepEqual(castsIn("const a = b as C\nconst d = <E>f\nconst g = { h: 'i' as const }\nconst j = k!"), ['b as C', '<E>f', 'k!'])
    const lines = examples.map(({ name, text }) => ({ name, lines: text.trimEnd().split('\n').length }))
    assert.deepEqual(lines.filter(({ name, lines: count }) => count > (ADAPTERS.get(name) ?? 60)), [])
  })

  it('show a simulator that runs in the checkout', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--import=tsx', 'docs/examples/simulator.ts'], { cwd: ROOT })
    assert.equal(stdout, '[]\n')
  })

  it('name every code of the API in its table of replies', async () => {
    const page = await read('docs/api.md')
    const rows = page.split('\n').filter((line) => line.startsWith('| ')).join('\n')
    assert.deepEqual(Object.keys(CODES).filter((code) => !rows.includes(`\`${code}\``)), [])
  })

  it('show commands that exist', async () => {
    const manifest = JSON.parse(await read('package.json')) as Manifest
    const faults: string[] = []
    const shown = await blocks('sh')
    assert.isAbove(shown.length, 10)
    for (const block of shown) {
      for (const command of commandsOf(block)) {
        const check = CHECKS.find(([begins]) => begins.test(command))
        const fault = check === undefined ? 'this test does not know the command' : await check[1](command.replace(check[0], ''), manifest)
        if (fault !== undefined) faults.push(`${block.page}: ${command}: ${fault}`)
      }
    }
    assert.deepEqual(faults, [])
  })

  it('begin with a README of two screens, from which two clicks lead to each of them', async () => {
    const readme = await read('README.md')
    assert.isAtMost(readme.split(/\s+/).length, 900)
    const linked = (page: string, text: string): ReadonlyArray<string> =>
      linksIn(text).map(([path]) => join(dirname(page), path)).filter((path) => path.endsWith('.md'))
    const first = linked('README.md', readme)
    const second = await Promise.all(first.map(async (page) => linked(page, await read(page))))
    assert.deepEqual((await pages()).filter((page) => page !== 'README.md' && ![...first, ...second.flat()].includes(page)), [])
  })

  for (const [who, questions] of Object.entries(QUESTIONS)) {
    it(`answer what a ${who} asks within two clicks and a minute of reading`, async () => {
      assert.isAtLeast(questions.length, 6)
      for (const { asked, pages: path, heading, answer } of questions) {
        assert.isAtMost(path.length, 2, asked)
        for (const [index, page] of path.entries()) {
          const from = path[index - 1] ?? 'README.md'
          assert.include(linksIn(await read(from)).map(([to]) => join(dirname(from), to)), page, `${asked} ${from} leads there`)
        }
        const text = await read(path.at(-1) ?? '')
        assert.include(`\n${text}`, `\n${heading}`, asked)
        const section = `\n${text}`.split(`\n${heading}`)[1] ?? ''
        const upTo = section.split(/\n#{1,2} /)[0] ?? ''
        const at = upTo.search(answer)
        assert.isAtLeast(at, 0, `${asked} The section has the answer.`)
        assert.isAtMost(upTo.slice(0, at).split(/\s+/).length, WORDS_A_MINUTE, `${asked} The answer comes early.`)
      }
    })
  }

  it('link to what is there, and to headings that are there', async () => {
    const broken: string[] = []
    for (const page of await pages()) {
      for (const [path, anchor] of linksIn(await read(page))) {
        const target = path === '' ? page : join(dirname(page), path)
        if (!existsSync(join(ROOT, target))) broken.push(`${page}: ${target}`)
        else if (anchor !== undefined && !anchorsIn(await read(target)).has(anchor)) broken.push(`${page}: ${target}#${anchor}`)
      }
    }
    assert.deepEqual(broken, [])
  })

  it('are checked by a rule that finds a wrong command', async () => {
    assert.isUndefined(await faultOf('key mint ws_1 --name crm'))
    for (const wrong of ['key forge ws_1', 'key mint', 'key mint ws_1 --nmae crm', 'wallet top-up ws_1']) {
      assert.isString(await faultOf(wrong), wrong)
    }
  })
})

describe('the decisions', () => {
  it('are each listed once in their index, by their titles', async () => {
    const index = await read('docs/decisions/README.md')
    const listed = Array.from(index.matchAll(/^- \[(.+)\]\((\d{4}-[a-z0-9-]+\.md)\)$/gm), ([, title, file]) => [file, title])
    const files = (await readdir(join(ROOT, 'docs/decisions'))).filter((file) => file !== 'README.md')
    const titled = await Promise.all(files.map(async (file) => [file, /^# (.+)$/m.exec(await read(`docs/decisions/${file}`))?.[1]]))
    assert.sameDeepMembers(listed, titled)
  })
})
