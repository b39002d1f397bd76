import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from 'chai'
import { STEPS } from '../../adapters/knex/schema/steps.js'
import { ROOT } from '../architecture/tree.js'
import { eventually } from '../support/eventually.js'
import type { Installed, Outcome } from './install.js'
import { installed } from './installed.js'
import { startServer } from '../support/server-process.js'

const OPTIONAL = ['@modelcontextprotocol/sdk', 'better-sqlite3', 'mysql2', 'pg']

describe('the command of the packed package', () => {
  let pack: Installed
  let bin: string
  const postern = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
    pack.node([bin, ...args], env)

  before(async () => {
    pack = await installed()
    await pack.remove(...OPTIONAL)
    const manifest = JSON.parse(await readFile(join(pack.app, 'node_modules/postern/package.json'), 'utf8'))
    bin = join(pack.app, 'node_modules/postern', manifest.bin.postern)
  })

  it('may be run as it is', async () => {
    assert.match(await readFile(bin, 'utf8'), /^#!\/usr\/bin\/env node\n/)
  })

  it('prints its version and its help', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    assert.deepEqual(await postern(['--version']), { status: 0, stdout: `${version} (schema ${STEPS.length})\n`, stderr: '' })
    assert.match((await postern(['--help'])).stdout, /^Usage: postern /)
  })

  const needs: ReadonlyArray<readonly [command: string, env: Readonly<Record<string, string>>, name: string]> = [
    ['migrate', { DATABASE_URL: 'sqlite::memory:' }, 'better-sqlite3'],
    ['serve', { DATABASE_URL: 'sqlite::memory:' }, 'better-sqlite3'],
    ['demo', {}, 'better-sqlite3'],
    ['migrate', { DATABASE_URL: 'mysql://127.0.0.1:1/none' }, 'mysql2'],
    ['workspace list', { DATABASE_URL: 'postgres://127.0.0.1:1/none' }, 'pg'],
  ]
  for (const [command, env, name] of needs) {
    it(`says in one sentence that ${command.split(' ')[0] ?? ''} needs ${name}`, async () => {
      const { status, stderr } = await postern(command.split(' '), env)
      assert.equal(status, 1)
      assert.match(stderr, new RegExp(`^postern: the package ${name} is needed .*\`npm install ${name}\` adds it\n$`))
    })
  }

  it('runs the simulator without any optional package', async () => {
    const simulator = spawn(process.execPath, [bin, 'simulator', '--port', '0'], { cwd: pack.app, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(simulator, 'exit')
    try {
      const [line] = (await once(simulator.stdout, 'data')) as [Buffer]
      assert.match(String(line), /http:\/\/127\.0\.0\.1:\d+/)
    } finally {
      simulator.kill()
      await ended
    }
  })

  it('runs the demo from an empty folder with npx, up to the first send, and leaves nothing behind after Ctrl-C', async () => {
    await pack.add('better-sqlite3')
    const temporary = join(pack.app, 'temporary')
    await mkdir(temporary)
    // A process group of its own, to which the signal goes as a terminal sends it: npx and the demo get it.
    const demo = spawn(
      'npx', ['--no', 'postern', 'demo', '--free-ports'],
      {
        cwd: pack.app,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', TMPDIR: temporary },
      },
    )
    const ended = once(demo, 'close')
    let output = ''
    for (const stream of [demo.stdout, demo.stderr]) stream.on('data', (chunk: Buffer) => { output += chunk.toString() })
    try {
      await eventually(
        'the first send', () => /send-template[^]*"status":"success","message_id":"wamid\./.test(output) || undefined, 60_000,
      )
    } finally {
      if (demo.pid !== undefined) process.kill(-demo.pid, 'SIGINT')
      await ended
    }
    assert.notInclude(output, 'failed')
    // npm keeps its own compiled code there.
    assert.deepEqual((await readdir(temporary)).filter((name) => name !== 'node-compile-cache'), [])
    await rm(temporary, { recursive: true })
    await pack.remove('better-sqlite3')
  })

  it('works once the package it asked for is there', async () => {
    await pack.add('better-sqlite3')
    const file = join(pack.app, 'postern.db')
    const env = { DATABASE_URL: `sqlite:${file}`, POSTERN_SECRET: 'a-secret-of-tests-that-is-long-enough' }
    assert.deepEqual(await postern(['migrate', '--json'], env), { status: 0, stdout: `{"from":0,"to":${STEPS.length}}\n`, stderr: '' })
    const workspace = JSON.parse((await postern(['workspace', 'create', 'shop', '--json'], env)).stdout)
    const topUp = await postern(['wallet', 'top-up', workspace.id, '12.34', '--json'], env)
    assert.deepEqual(JSON.parse(topUp.stdout), { currency: 'USD', available: '12.340000', held: '0.000000', added: true })
    await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(`${file}${suffix}`, { force: true })))
  })

  it('serves its pages, and agents once the package for them is there', async () => {
    await pack.add('better-sqlite3')
    const file = join(pack.app, 'agents.db')
    const env = { DATABASE_URL: `sqlite:${file}`, POSTERN_SECRET: 'a-secret-of-tests-that-is-long-enough' }
    await postern(['migrate'], env)
    await postern(['workspace', 'create', 'shop'], env)
    const { key } = JSON.parse((await postern(['key', 'mint', 'shop', '--json'], env)).stdout)
    const served = async <A>(use: (url: string) => Promise<A>): Promise<A> => {
      const server = await startServer(env, { program: bin })
      try {
        return await use(server.url)
      } finally {
        await server.kill()
      }
    }
    const ping = (url: string) => fetch(`${url}/mcp`, {
      method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      headers: { 'Authorization': `Bearer ${key}`, 'Content-Type': 'application/json', 'Accept': 'application/json, text/event-stream' },
    })
    await served(async (url) => {
      assert.match(await (await fetch(`${url}/llms.txt`)).text(), /^# Postern\n/)
      for (const page of ['api.md', 'operations/run.md', 'README.md', 'CHANGELOG.md']) {
        assert.equal((await fetch(`${url}/docs/${page}`)).status, 200, page)
      }
      const refused = await ping(url)
      assert.equal(refused.status, 404)
      assert.include(await refused.text(), 'the package @modelcontextprotocol/sdk is not installed')
    })
    await pack.add('@modelcontextprotocol/sdk')
    await served(async (url) => assert.deepEqual(await (await ping(url)).json(), { jsonrpc: '2.0', id: 1, result: {} }))
    await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(`${file}${suffix}`, { force: true })))
  })
})
