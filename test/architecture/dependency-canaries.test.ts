import { assert } from 'chai'
import type { ICruiseOptions } from 'dependency-cruiser'
import { assertHasPathsOfRules, cruised, dependencyRule, violations } from './cruised.js'
import { copied, inTree, ROOT, type Files } from './tree.js'

/** A planted violation: the broken rule and the files that break it. */
type Canary = { readonly rule: string; readonly title: string; readonly plant: Files }

const NPM = (name: string): Files => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', main: 'index.js' }),
  [`node_modules/${name}/index.js`]: '',
})

/** Every folder, with every kind of import that it may contain. */
const CLEAN: Files = {
  ...NPM('chai'), ...NPM('fp-ts'), ...NPM('inversify'), ...NPM('knex'), ...NPM('reflect-metadata'),
  'node_modules/fp-ts/lib/Either.js': '',
  'core/kernel/time.ts': "import 'fp-ts/lib/Either.js'\nexport type Instant = number\n",
  'core/index.ts': "export * from './kernel/time.js'\n",
  'adapters/memory/index.ts': "import type { Instant } from '../../core/kernel/time.js'\nimport './clock.js'\nexport type A = Instant\n",
  'adapters/memory/clock.ts': "import 'fp-ts/lib/Either.js'\nexport const start = 0\n",
  'adapters/jobs/loop.ts': "import '../../core/kernel/time.js'\n",
  'adapters/event-delivery/index.ts': "import '../jobs/loop.js'\n",
  'adapters/knex/index.ts': "import 'knex'\nimport 'node:crypto'\nimport '../../core/kernel/time.js'\n",
  'adapters/inversify/index.ts': "import 'inversify'\nimport '../../core/kernel/time.js'\n",
  'apps/server/run.ts': "import 'reflect-metadata'\nimport './container.js'\n",
  'apps/server/container.ts': "import 'inversify'\nimport '../../adapters/knex/index.js'\nimport '../../adapters/memory/index.js'\n",
  'apps/cli/main.ts': "import '../server/run.js'\n",
  'apps/simulator/main.ts': "import 'node:http'\nimport '../../core/kernel/time.js'\n",
  'test/laws/law.ts': "import assert from 'node:assert/strict'\nimport '../../core/kernel/time.js'\nimport 'fp-ts/lib/Either.js'\nexport { assert }\n",
  'test/adapters/memory.test.ts': "import 'chai'\nimport 'inversify'\nimport '../laws/law.js'\nimport '../../adapters/memory/index.js'\n",
}

const CANARIES: ReadonlyArray<Canary> = [
  { rule: 'core-is-pure', title: 'core imports a builtin of Node', plant: { 'core/planted.ts': "import 'node:fs'\n" } },
  { rule: 'core-is-pure', title: 'core imports a package other than fp-ts', plant: { 'core/planted.ts': "import 'knex'\n" } },
  { rule: 'core-is-pure', title: 'core imports an adapter', plant: { 'core/planted.ts': "import '../adapters/memory/clock.js'\n" } },
  {
    rule: 'core-is-pure', title: 'core imports nothing but a type of a package',
    plant: { 'core/money/planted.ts': "import type { Knex } from 'knex'\nexport type A = Knex\n" },
  },
  {
    rule: 'concepts-in-order', title: 'a concept of core imports one that comes after it',
    plant: { 'core/kernel/planted.ts': "import '../money/planted.js'\n", 'core/money/planted.ts': '' },
  },
  {
    rule: 'concepts-in-order', title: 'a concept of core imports nothing but a type of what stands above all concepts',
    plant: {
      'core/sending/planted.ts': "import type { A } from '../planted.js'\nexport type B = A\n",
      'core/planted.ts': 'export type A = number\n',
    },
  },
  {
    rule: 'concepts-in-order', title: 'the senders import templates, which come after them',
    plant: { 'core/senders/planted.ts': "import '../templates/planted.js'\n", 'core/templates/planted.ts': '' },
  },
  {
    rule: 'concepts-in-order', title: 'a folder of core has no place in the order',
    plant: { 'core/elsewhere/planted.ts': "import '../kernel/time.js'\n" },
  },
  {
    rule: 'adapters-do-not-meet', title: 'one adapter imports another',
    plant: { 'adapters/knex/planted.ts': "import '../memory/clock.js'\n" },
  },
  {
    rule: 'adapters-do-not-meet', title: 'an adapter imports nothing but a type of another',
    plant: { 'adapters/knex/planted.ts': "import type { A } from '../memory/index.js'\nexport type B = A\n" },
  },
  {
    rule: 'adapters-do-not-meet', title: 'an adapter imports one whose name begins with its own',
    plant: { 'adapters/knex/planted.ts': "import '../knex-too/index.js'\n", 'adapters/knex-too/index.ts': '' },
  },
  {
    rule: 'adapters-do-not-meet', title: 'a folder that adapters share imports one of them',
    plant: { 'adapters/jobs/planted.ts': "import '../knex/index.js'\n" },
  },
  { rule: 'adapters-do-not-meet', title: 'an adapter imports an app', plant: { 'adapters/knex/planted.ts': "import '../../apps/server/container.js'\n" } },
  {
    rule: 'adapters-do-not-meet',
    title: 'an adapter imports a law',
    plant: { 'adapters/knex/planted.ts': "import '../../test/laws/law.js'\n" },
  },
  {
    rule: 'client-imports-nothing', title: 'the client imports nothing but a type of core',
    plant: { 'adapters/client/index.ts': "import type { Instant } from '../../core/kernel/time.js'\nexport type A = Instant\n" },
  },
  {
    rule: 'client-imports-nothing', title: 'the client imports a builtin of Node',
    plant: { 'adapters/client/index.ts': "import 'node:crypto'\n" },
  },
  { rule: 'laws-speak-only-of-ports', title: 'a law imports an adapter', plant: { 'test/laws/planted.ts': "import '../../adapters/memory/index.js'\n" } },
  {
    rule: 'laws-speak-only-of-ports', title: 'a law imports a test runner’s library', plant: { 'test/laws/planted.ts': "import 'chai'\n" },
  },
  { rule: 'laws-speak-only-of-ports', title: 'a law imports another builtin', plant: { 'test/laws/planted.ts': "import 'node:timers'\n" } },
  {
    rule: 'gateway-knows-no-commands',
    title: 'the gateway imports a command',
    plant: { 'apps/server/planted.ts': "import '../cli/planted.js'\n", 'apps/cli/planted.ts': '' },
  },
  {
    rule: 'gateway-knows-no-commands', title: 'the gateway imports nothing but a type of a command',
    plant: {
      'apps/server/planted.ts': "import type { A } from '../cli/planted.js'\nexport type B = A\n",
      'apps/cli/planted.ts': 'export type A = number\n',
    },
  },
  { rule: 'apps-know-no-tests', title: 'an app imports a law', plant: { 'apps/server/planted.ts': "import '../../test/laws/law.js'\n" } },
  {
    rule: 'simulator-stands-alone', title: 'the simulator imports an adapter',
    plant: { 'apps/simulator/planted.ts': "import '../../adapters/memory/index.js'\n" },
  },
  {
    rule: 'container-stays-at-the-edge', title: 'another adapter imports inversify',
    plant: { 'adapters/knex/planted.ts': "import 'inversify'\n" },
  },
  {
    rule: 'container-stays-at-the-edge', title: 'a part of inversify is imported elsewhere',
    plant: { ...NPM('@inversifyjs/core'), 'elsewhere/planted.ts': "import '@inversifyjs/core'\n" },
  },
  {
    rule: 'reflect-metadata-at-the-entry', title: 'the container imports reflect-metadata',
    plant: { 'apps/server/planted.ts': "import 'reflect-metadata'\n" },
  },
  {
    rule: 'reflect-metadata-at-the-entry', title: 'the adapter for inversify imports reflect-metadata',
    plant: { 'adapters/inversify/planted.ts': "import 'reflect-metadata'\n" },
  },
  {
    rule: 'what-ships-needs-no-dev-package', title: 'an adapter imports a dev package',
    plant: { 'adapters/knex/planted.ts': "import 'chai'\n" },
  },
  {
    rule: 'what-ships-needs-no-dev-package', title: 'an app imports a package that package.json does not name',
    plant: { ...NPM('left-out'), 'apps/server/planted.ts': "import 'left-out'\n" },
  },
  { rule: 'everything-resolves', title: 'an import leads nowhere', plant: { 'apps/server/planted.ts': "import './nowhere.js'\n" } },
  {
    rule: 'no-cycles', title: 'two modules import each other',
    plant: { 'core/planted.ts': "import './planted-too.js'\n", 'core/planted-too.ts': "import './planted.js'\n" },
  },
  {
    rule: 'no-cycles', title: 'two modules import types of each other',
    plant: {
      'core/planted.ts': "import type { B } from './planted-too.js'\nexport type A = B | 1\n",
      'core/planted-too.ts': "import type { A } from './planted.js'\nexport type B = A | 2\n",
    },
  },
]

describe('the dependency rule', () => {
  let options: ICruiseOptions
  let manifest: Files

  before(async () => {
    options = await dependencyRule()
    manifest = await copied('package.json')
  })

  const broken = async (files: Files): Promise<ReadonlyArray<string>> => {
    const { summary } = await inTree({ ...manifest, ...files }, (root) => cruised(options, root))
    return [...new Set(summary.violations.map(({ rule }) => rule.name))]
  }

  it('has a canary for every rule', () => {
    const rules = (options.ruleSet?.forbidden ?? []).map(({ name }) => name)
    assert.sameMembers([...new Set(CANARIES.map(({ rule }) => rule))], [...new Set(rules)])
  })

  it('lets every folder import what it may', async () => {
    assert.deepEqual(await broken(CLEAN), [])
  })

  for (const { rule, title, plant } of CANARIES) {
    it(`is broken if ${title}`, async () => {
      assert.deepEqual(await broken({ ...CLEAN, ...plant }), [rule])
    })
  }

  it('speaks of paths that this repository has, and is kept there', async () => {
    const result = await cruised(options, ROOT, ['core/sending/send.ts', 'test/laws/wallet.ts'])
    assert.deepEqual(violations(result), [])
    assertHasPathsOfRules(result)
  })
})
