import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from 'chai'
import { STEPS } from '../../adapters/knex/schema/steps.js'
import { ROOT } from '../architecture/tree.js'
import { postern } from '../support/postern.js'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { readonly version: string }

/** The newest release of the change log, and the step of the schema that it came with. */
const released = (): { readonly release: string; readonly schema: number } => {
  const [, release = '', text = ''] = /^## (\d+\.\d+\.\d+) [^\n]*\n+([^\n]+(?:\n[^\n]+)*)/m.exec(read('CHANGELOG.md'))
    ?? assert.fail('the change log has no release')
  return { release, schema: Number(/schema step (\d+)/.exec(text)?.[1] ?? assert.fail(`${release} does not say its schema step`)) }
}

describe('The version', () => {
  it('is not that of the last release while the schema is newer', () => {
    const { release, schema } = released()
    assert.isAtLeast(STEPS.length, schema)
    if (STEPS.length > schema) assert.notEqual(version, release, 'raise the version in package.json')
  })

  it('is printed with the newest step of the schema', async () => {
    assert.deepEqual(await postern(['--version'], {}), { status: 0, stdout: `${version} (schema ${STEPS.length})\n`, stderr: '' })
  })

  it('is that of the lock file', () => {
    assert.equal((JSON.parse(read('package-lock.json')) as { readonly version: string }).version, version)
  })
})

describe('The bill of materials', () => {
  type Locked = { readonly version: string; readonly dev?: boolean; readonly devOptional?: boolean }

  it('lists every package of production in its version, and none for development', () => {
    const { components, bomFormat } = JSON.parse(
      execFileSync('node', ['deploy/sbom.mjs'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 26 }),
    ) as
      { readonly bomFormat: string; readonly components: ReadonlyArray<{ readonly purl: string }> }
    const { packages } = JSON.parse(read('package-lock.json')) as { readonly packages: Readonly<Record<string, Locked>> }
    const expected = new Set(Object.entries(packages).filter(([path, { dev, devOptional }]) =>
      path !== '' && dev !== true && devOptional !== true)
      .map(([path, locked]) => `pkg:npm/${path.split('node_modules/').at(-1) ?? ''}@${locked.version}`))
    assert.equal(bomFormat, 'CycloneDX')
    assert.sameMembers(components.map(({ purl }) => purl.replace('%40', '@')), [...expected])
    assert.include([...expected].join(), 'pkg:npm/koa@')
  }).timeout(60_000)
})
