// Long: brings four releases of Node.js from the registry, and installs the packed package with its dependencies under each.
import { join } from 'node:path'
import { assert } from 'chai'
import { LOWEST_NODE } from '../../adapters/knex/node-version.js'
import { startSimulator } from '../../apps/simulator/simulator.js'
import { SECRET } from '../support/gateway.js'
import { makeScratch, type Scratch } from '../support/scratch.js'
import { startServer } from '../support/server-process.js'
import { pack } from './install.js'
import { fetchNode, installWith, type NodeRelease, type ProgramEnded, versionIn } from './releases.js'

const CUSTOMER = '33639980001'
const BIN = 'node_modules/postern/dist/apps/cli/main.js'

describe('The packed package with better-sqlite3', function () {
  // A registry may be slow.
  this.timeout(600_000)

  let scratch: Scratch
  let tarball: string

  before(async () => {
    scratch = await makeScratch()
    tarball = scratch.path((await pack(scratch.path(''))).filename)
  })
  after(() => scratch.remove())

  /** Installs it under a release of Node.js, which is brought first. */
  const installed = async (name: string): Promise<{ readonly release: NodeRelease; readonly app: string; readonly npm: ProgramEnded }> => {
    const release = await fetchNode(name, scratch.path(''))
    const app = scratch.path(`app-${name}`)
    return { release, app, npm: await installWith(release, app, [tarball, 'better-sqlite3']) }
  }

  for (const name of [`${LOWEST_NODE}.0`, '24', '26']) {
    it(`is installed under Node.js ${name} without a warning or a compiler, and sends a text`, async () => {
      const { release, app, npm } = await installed(name)
      assert.deepEqual({ status: npm.status, warnings: npm.stderr }, { status: 0, warnings: '' })
      assert.match(await versionIn(app, 'better-sqlite3'), /^13\./)

      const simulator = await startSimulator({})
      const env = { DATABASE_URL: `sqlite:${join(app, 'postern.db')}`, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url }
      const postern = async (...args: ReadonlyArray<string>): Promise<Readonly<Record<string, unknown>>> => {
        const { status, signal, stdout, stderr } = await release.run(
          release.node, [BIN, ...args, '--json'], { cwd: app, env, input: 'token' },
        )
        assert.deepEqual({ status, signal, stderr }, { status: 0, signal: null, stderr: '' })
        return JSON.parse(stdout) as Readonly<Record<string, unknown>>
      }
      try {
        await postern('migrate')
        await postern('workspace', 'create', 'shop')
        await postern('sender', 'set', 'shop', '--phone-number-id', '1000')
        await postern('wallet', 'top-up', 'shop', '1.00')
        await postern('window', 'record', 'shop', CUSTOMER)
        const { key } = await postern('key', 'mint', 'shop')
        for (const transport of ['got', 'undici']) {
          const gateway = await startServer({ ...env, PLATFORM_TRANSPORT: transport }, { node: release.node, program: join(app, BIN) })
          try {
            const answer = await fetch(`${gateway.url}/v1/messages/send-text`, {
              method: 'POST', headers: { authorization: `Bearer ${String(key)}`, 'content-type': 'application/json' },
              body: JSON.stringify({ to: CUSTOMER, text: 'Grüße' }),
            })
            assert.equal(answer.status, 200, await answer.text())
            gateway.signal('SIGTERM')
            const { status, signal } = await gateway.ended
            assert.deepEqual({ status, signal }, { status: 0, signal: null })
          } finally {
            await gateway.kill()
          }
        }
        assert.lengthOf(simulator.received(), 2)
      } finally {
        await simulator.close()
      }
    })
  }

  it('warns under Node.js 20, if the command and postern/knex say in one sentence which Node.js they need', async () => {
    const { release, app, npm } = await installed('20')
    assert.equal(npm.status, 0)
    assert.match(npm.stderr, /npm warn EBADENGINE +package: 'postern@/)
    const { stdout: version } = await release.run(release.node, ['--version'], { cwd: app })
    const sentence = `this is Node.js ${version.trim().slice(1)}, and Postern needs ${LOWEST_NODE} or later`
    const env = { DATABASE_URL: 'sqlite::memory:', POSTERN_SECRET: SECRET }
    for (const args of [['--version'], ['serve'], ['migrate']]) {
      assert.deepEqual(await release.run(release.node, [BIN, ...args], { cwd: app, env }), {
        status: 1, signal: null, stdout: '', stderr: `postern: ${sentence}\n`,
      })
    }
    for (const program of [
      ['--input-type=module', '--eval', "import 'postern/knex'"],
      ['--input-type=commonjs', '--eval', "require('postern/knex')"],
      ['--input-type=module', '--eval', `await import(${JSON.stringify(join(app, 'node_modules/postern/dist/apps/server/run.js'))})`],
    ]) {
      const { status, signal, stderr } = await release.run(release.node, program, { cwd: app, env })
      assert.deepEqual({ status, signal }, { status: 1, signal: null }, stderr)
      assert.include(stderr, `Error: ${sentence}\n`)
    }
  })
})
