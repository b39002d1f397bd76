import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import { ESLint } from 'eslint'
import { copied, plantTree, ROOT, type Tree } from './tree.js'

/** A text that breaks a rule when it replaces a file, and the rule. */
type Canary = { readonly rule: string; readonly file: string; readonly title: string; readonly text: string }

const CORE = 'core/customers/window.ts'
const ADAPTER = 'adapters/memory/index.ts'
const TEST = 'test/architecture/tree.ts'
const BARREL = 'core/index.ts'
const PLACES = [CORE, ADAPTER, TEST, BARREL]

const CANARIES: ReadonlyArray<Canary> = [
  { rule: 'no-restricted-properties', file: CORE, title: 'core reads the clock', text: 'export const f = () => Date.now()' },
  { rule: 'no-restricted-properties', file: CORE, title: 'core asks for chance', text: 'export const f = () => Math.random()' },
  {
    rule: 'no-restricted-properties', file: ADAPTER, title: 'an adapter reads the environment', text: 'export const f = () => process.env',
  },
  { rule: 'no-restricted-syntax', file: CORE, title: 'core makes a date of now', text: 'export const f = () => new Date()' },
  { rule: 'no-restricted-syntax', file: CORE, title: 'core prints now', text: 'export const f = () => Date()' },
  { rule: 'no-restricted-syntax', file: CORE, title: 'core has a class', text: 'export class A { readonly a = 1; b() { return this.a } }' },
  { rule: 'no-restricted-syntax', file: CORE, title: 'core has a barrel', text: "export * from './time.js'" },
  {
    rule: 'no-restricted-syntax', file: TEST, title: 'an old name of fp-ts is used',
    text: "import * as O from 'fp-ts/lib/Option.js'\nexport const f = O.chain((n: number) => O.some(n))",
  },
  {
    rule: 'no-restricted-syntax', file: TEST, title: 'an old name of fp-ts is imported',
    text: "import { foldW } from 'fp-ts/lib/Option.js'\nexport const f = foldW(() => 1, (n: number) => n)",
  },
  {
    rule: 'no-restricted-syntax', file: TEST, title: 'a type is forced through unknown',
    text: 'export const f = (n: number) => (n as unknown) as string',
  },
  { rule: 'no-restricted-globals', file: CORE, title: 'core leans on the process', text: 'export const f: unknown = process' },
  {
    rule: 'no-restricted-imports', file: TEST, title: 'fp-ts is imported by its short path',
    text: "import * as O from 'fp-ts/Option'\nexport const f: unknown = O",
  },
  {
    rule: 'no-restricted-imports', file: TEST, title: 'nothing but a type is imported by the short path',
    text: "import type { Option } from 'fp-ts/Option'\nexport type A = Option<1>",
  },
  {
    rule: 'no-restricted-imports', file: TEST, title: 'all of fp-ts is imported', text: "import { option } from 'fp-ts'\nexport const f: unknown = option",
  },
  {
    rule: 'no-restricted-imports', file: TEST, title: 'a part of io-ts is imported by its short path',
    text: "import * as P from 'io-ts/PathReporter'\nexport const f: unknown = P",
  },
  {
    rule: 'no-restricted-imports', file: CORE, title: 'core imports its own index', text: "import type { Instant } from './index.js'\nexport type A = Instant",
  },
  {
    rule: 'no-restricted-imports', file: ADAPTER, title: 'an adapter imports core by its index',
    text: "import type { Instant } from '../../core/index.js'\nexport type A = Instant",
  },
  { rule: 'no-console', file: ADAPTER, title: 'an adapter prints', text: "console.log('here')" },
  { rule: '@typescript-eslint/no-floating-promises', file: TEST, title: 'a promise is left alone', text: 'Promise.resolve(1)' },
  { rule: '@typescript-eslint/no-explicit-any', file: TEST, title: 'a type is any', text: 'export type A = any' },
  {
    rule: '@typescript-eslint/switch-exhaustiveness-check', file: TEST, title: 'a switch forgets a tag',
    text: "export const f = (a: 'x' | 'y') => {\n  switch (a) {\n    case 'x': return 1\n  }\n  return 2\n}",
  },
  {
    rule: '@typescript-eslint/switch-exhaustiveness-check', file: TEST, title: 'a switch over all tags has a default',
    text: "export const f = (a: 'x' | 'y') => {\n  switch (a) {\n    case 'x': return 1\n    case 'y': return 2\n    default: return 3\n  }\n}",
  },
  { rule: 'postern/code-width', file: ADAPTER, title: 'a line of code is too long', text: `export const f = [${'1, '.repeat(60)}1]` },
  {
    rule: 'postern/code-width', file: TEST, title: 'code goes on behind a long text',
    text: `export const f = ['${'a'.repeat(120)}', ${'1, '.repeat(20)}1]`,
  },
  { rule: '@typescript-eslint/ban-ts-comment', file: TEST, title: 'an expected error has no reason', text: '// @ts-expect-error\nexport const a: string = 1' },
]

describe('the lint rules', () => {
  let tree: Tree
  let eslint: ESLint

  // The type-aware rules read the whole project, so they get a small project with the settings of this one.
  before(async () => {
    const settings = await copied('.eslint.config.js', 'package.json', 'tsconfig.json', 'core/tsconfig.json')
    tree = await plantTree({
      ...settings, ...Object.fromEntries(PLACES.map((path) => [path, ''])), 'core/kernel/time.ts': 'export type Instant = number\n',
    })
    await symlink(join(ROOT, 'node_modules'), join(tree.root, 'node_modules'))
    eslint = new ESLint({ cwd: tree.root, overrideConfigFile: join(tree.root, '.eslint.config.js') })
  })
  after(() => tree[Symbol.asyncDispose]())

  const findings = async (file: string, text: string): Promise<ReadonlyArray<string>> => {
    const results = await eslint.lintText(`${text}\n`, { filePath: join(tree.root, file) })
    return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => ruleId ?? message))
  }

  for (const { rule, file, title, text } of CANARIES) {
    it(`find that ${title}`, async () => {
      assert.include(await findings(file, text), rule)
    })
  }

  it('find nothing wrong with the paths and names that are ours', async () => {
    const text = "import * as O from 'fp-ts/lib/Option.js'\nexport const f = O.match(() => 1, (at: number) => new Date(at).getTime())"
    assert.deepEqual(await findings(CORE, text), [])
    assert.deepEqual(await findings(TEST, "import * as t from 'io-ts'\nexport const text = t.string"), [])
    assert.deepEqual(await findings(BARREL, "export * from './time.js'"), [])
  })

  it('find nothing wrong with long texts and comments', async () => {
    const long = 'a'.repeat(200)
    assert.deepEqual(await findings(TEST, `// ${long}\nexport const f = () => ['${long}', \`\n${long}\n\`, /${long}/] as const`), [])
  })

  it('speak of files that this repository has', async () => {
    assert.isNotEmpty(await copied(...PLACES))
  })

  it('cannot be switched off by a comment', async () => {
    const text = '/* eslint no-restricted-properties: 0 */\nexport const f = () => Date.now()'
    assert.include(await findings(CORE, text), 'no-restricted-properties')
  })

  it('cite decisions that are written down', async () => {
    const rules = await Promise.all(['.eslint.config.js', '.dependency-cruiser.mjs'].map((path) => readFile(join(ROOT, path), 'utf8')))
    const cited = [...new Set(rules.join('\n').match(/(?<=docs\/decisions\/)\d{4}/g))]
    const written = await readdir(join(ROOT, 'docs/decisions'))
    assert.isNotEmpty(cited)
    assert.deepEqual(cited.filter((number) => !written.some((name) => name.startsWith(`${number}-`))), [])
  })
})
