import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assert } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { readConfig } from '../../apps/server/config.js'
import { SHUTDOWN_MARGIN_MS } from '../../apps/server/process.js'
import { ROOT } from '../architecture/tree.js'
import { freePort } from '../support/free-port.js'
import { startProgram } from '../support/program.js'
import { makeScratch } from '../support/scratch.js'

const UNIT = join(ROOT, 'deploy/postern.service')
const run = promisify(execFile)

/** The values of a key of the unit, such as `ExecStart`. */
const valuesOf = async (key: string): Promise<ReadonlyArray<string>> =>
  Array.from((await readFile(UNIT, 'utf8')).matchAll(new RegExp(`^${key}=(.*)$`, 'gm')), ([, value = '']) => value)

const hasSystemd = async (): Promise<boolean> => run('systemd-analyze', ['--version']).then(() => true, () => false)

describe('The unit of systemd', () => {
  it('has no finding of systemd-analyze, which calls its exposure OK', async () => {
    if (!await hasSystemd()) {
      console.log('      systemd-analyze is not installed, so the unit is not verified')
      return
    }
    const scratch = await makeScratch()
    try {
      // verify looks for the program of ExecStart, and CI's Node may be elsewhere.
      const unit = scratch.path('postern.service')
      await cp(UNIT, unit)
      await writeFile(unit, (await readFile(UNIT, 'utf8')).replace('/usr/bin/node', process.execPath).replace(/^Documentation=.*\n/m, ''))
      const { stderr } = await run('systemd-analyze', ['verify', unit])
      assert.equal(stderr, '')
      const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit])
      assert.match(stdout, /Overall exposure level for postern\.service: [01]\.\d OK/)
    } finally {
      await scratch.remove()
    }
  })

  it('waits longer for the end of the gateway than the gateway takes at most', async () => {
    const config = readConfig({})
    if (E.isLeft(config)) throw new Error(config.left.join())
    const [seconds] = await valuesOf('TimeoutStopSec')
    assert.isAbove(Number(seconds) * 1_000, config.right.http.shutdownTimeoutMs + SHUTDOWN_MARGIN_MS)
  })

  it('restarts the gateway after a failure, and runs it as a user of its own that owns only its data', async () => {
    assert.deepEqual(await valuesOf('Restart'), ['on-failure'])
    assert.deepEqual(await valuesOf('DynamicUser'), ['yes'])
    assert.deepEqual(await valuesOf('StateDirectory'), ['postern'])
    assert.deepEqual(await valuesOf('ProtectSystem'), ['strict'])
    assert.deepEqual(await valuesOf('EnvironmentFile'), ['/etc/postern.env'])
  })

  it('starts nothing while a variable of its model is empty, and says which', async () => {
    const [check = ''] = await valuesOf('ExecStartPre')
    const [, script = ''] = /^\/bin\/sh -c '([^']+)'$/.exec(check) ?? assert.fail(check)
    const needed = (await readFile(join(ROOT, 'deploy/env.example'), 'utf8')).split('# With compose only')[0]?.match(/^\w+(?==$)/gm) ?? []
    assert.isAtLeast(needed.length, 4)
    const start = (env: Readonly<Record<string, string>>) =>
      run('/bin/sh', ['-c', script.replaceAll('$$', '$')], { env }).then(
        () => '', (error: unknown) => (error as { readonly stderr: string }).stderr,
      )
    const filled = Object.fromEntries(needed.map((name) => [name, 'x']))
    assert.equal(await start(filled), '')
    for (const name of needed) {
      assert.include(await start({ ...filled, [name]: '' }), `${name}: is empty in /etc/postern.env`)
      assert.include(await start(Object.fromEntries(Object.entries(filled).filter(([each]) => each !== name))), name)
    }
  })

  it('starts a gateway with its environment, which ends with 0 after SIGTERM', async () => {
    const scratch = await makeScratch()
    const [command = ''] = await valuesOf('ExecStart')
    const [environment = ''] = await valuesOf('Environment')
    const words = command.replaceAll('/opt/postern/', ROOT).split(' ').slice(1)
    const variables = environment.replace('/var/lib/postern', scratch.path('.')).split(' ')
    const example = (await readFile(join(ROOT, 'deploy/env.example'), 'utf8')).split('\n').filter((line) => /^\w+=/.test(line))
    const port = await freePort()
    const pairs = [...variables, ...example, `PORT=${port}`].map((pair): [string, string] =>
      [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
    const program = startProgram(process.execPath, words, Object.fromEntries(pairs))
    try {
      await program.logged('"msg":"listening"')
      assert.equal((await fetch(`http://127.0.0.1:${port}/health/ready`)).status, 200)
      program.signal('SIGTERM')
      assert.equal(await program.ended, 0)
    } finally {
      program.signal('SIGKILL')
      await scratch.remove()
    }
  })
})
