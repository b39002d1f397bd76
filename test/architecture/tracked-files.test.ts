import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { assert } from 'chai'
import { ROOT } from './tree.js'

/** Sources, documents, pictures and settings, by the endings of their names. */
const KINDS = /\.(ts|tsx|cts|js|mjs|cjs|sh|py|md|png|json|yaml|conf|service|example)$/

/** The files of the top level, and those that programs find by name; the last is the release with which the upgrade tests start. */
const NAMED: ReadonlySet<string> = new Set([
  'Dockerfile', '.ci/run', '.dockerignore', '.editorconfig', '.gitattributes', '.gitignore', '.npmrc', 'deploy/Caddyfile',
  'deploy/postern-command', 'docs/llms.txt', 'test/upgrade/postern-0.1.0.tar.gz',
])

const strangers = (files: ReadonlyArray<string>): ReadonlyArray<string> => files.filter((file) => !KINDS.test(file) && !NAMED.has(file))

describe('The files of this repository', () => {
  it('are sources, documents, pictures and settings, and nothing that a program leaves behind', async () => {
    const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], { cwd: ROOT, maxBuffer: 2 ** 26 })
    assert.deepEqual(strangers(stdout.split('\0').filter((file) => file !== '')), [])
  })

  for (const left of [
    'MnesiaCore.rabbit@localhost_1795_484645_318552', 'core.4711', 'postern.db-wal', 'npm-debug.log', 'test/trace.cpuprofile',
  ]) {
    it(`would show ${left}`, () => assert.deepEqual(strangers([left]), [left]))
  }
})
