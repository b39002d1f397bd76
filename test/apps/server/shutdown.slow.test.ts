// Slow: starts gateways of several processes and stops them at moments of their start, which takes real processes and real time.
import { setTimeout as delay } from 'node:timers/promises'
import { assert } from 'chai'
import createKnex from 'knex'
import { eventually } from '../../support/eventually.js'
import type { Env } from '../../support/postern.js'
import { makeScratch, type Scratch } from '../../support/scratch.js'
import { spawnServer, type SpawnedServer } from '../../support/server-process.js'

/** How long a process may take to start or stop on a busy machine. */
const PATIENCE_MS = 60_000

const WORKERS = 3

describe('A request to shut down', function () {
  this.timeout(3 * PATIENCE_MS)

  let scratch: Scratch
  const running: SpawnedServer[] = []
  const spawn = (env: Env, options = {}): SpawnedServer => {
    const server = spawnServer({ DATABASE_URL: `sqlite:${scratch.path('postern.db')}`, SHUTDOWN_TIMEOUT_MS: '2000', ...env }, options)
    running.push(server)
    return server
  }
  /** With time to end, because a worker hears nothing before it has started. */
  const spawnWorkers = (): SpawnedServer => spawn({ WORKERS: String(WORKERS), SHUTDOWN_TIMEOUT_MS: String(PATIENCE_MS / 2) })
  const event = (server: SpawnedServer, msg: string, count = 1): Promise<number> =>
    eventually(`event ${count} ${msg}`, () => {
      const pids = server.log().filter((line) => line['msg'] === msg).map(({ pid }) => Number(pid))
      return pids.length >= count ? pids[count - 1] : undefined
    }, PATIENCE_MS)

  /** Waits for the end of a process and of every other one that wrote to its log. */
  const endsWhole = async (server: SpawnedServer): Promise<number | NodeJS.Signals | null> => {
    const { status, signal } = await Promise.race([
      server.ended, delay(PATIENCE_MS, undefined, { ref: false }).then(() => assert.fail('it still runs')),
    ])
    await eventually('the end of every worker', () => pidsOf(server).every((pid) => !isRunning(pid)) || undefined, PATIENCE_MS)
    return status ?? signal
  }

  before(async () => { scratch = await makeScratch() })
  afterEach(async () => {
    for (const server of running.splice(0)) {
      await server.kill()
      // Workers outlive a supervisor that is killed for a moment, and one that stays stopped.
      for (const pid of pidsOf(server)) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    }
  })
  after(() => scratch.remove())

  describe('of several workers', () => {
    for (const afterMs of [0, 300, 600, 900]) {
      it(`is heard ${afterMs} ms after the start`, async () => {
        const server = spawnWorkers()
        await delay(afterMs)
        server.signal('SIGTERM')
        // Before the program is loaded the operating system ends the process.
        assert.include([0, 'SIGTERM'], await endsWhole(server))
      })
    }

    it('reaches the workers that are still starting when the first one listens', async () => {
      const server = spawnWorkers()
      await event(server, 'listening')
      server.signal('SIGTERM')
      assert.equal(await endsWhole(server), 0)
    })

    it('reaches a worker that is starting to replace a crashed one', async () => {
      const server = spawnWorkers()
      await event(server, 'listening', WORKERS)
      process.kill(await event(server, 'listening'), 'SIGKILL')
      await event(server, 'worker_died')
      await delay(100)
      server.signal('SIGTERM')
      assert.equal(await endsWhole(server), 0)
    })

    it('ends a worker that does not stop in time, and then fails', async () => {
      const server = spawn({ WORKERS: '2', SHUTDOWN_TIMEOUT_MS: '0' })
      process.kill(await event(server, 'listening', 2), 'SIGSTOP')
      server.signal('SIGTERM')
      assert.equal(await endsWhole(server), 1)
    })
  })

  it('ends the gateway in its time while another process has locked the SQLite file, and the log says what it waits for', async () => {
    const path = scratch.path('locked.db')
    const server = spawn({ DATABASE_URL: `sqlite:${path}` })
    await event(server, 'listening')
    const other = createKnex({ client: 'better-sqlite3', useNullAsDefault: true, connection: { filename: path } })
    try {
      await other.raw('BEGIN IMMEDIATE')
      server.signal('SIGTERM')
      assert.equal(await endsWhole(server), 0)
      assert.include(
        server.log().filter(({ msg }) => msg === 'stop_waits').map((line) => line['for']), 'jobs that read or write the database',
      )
      // A job whose wait for the lock ends during the stop may write its failure after it.
      assert.include(server.log().map(({ msg }) => msg), 'stopped')
    } finally {
      await other.destroy()
    }
  })

  it('is the end of the shell that npm started it in, and the log says how to start it without npm', async () => {
    const server = spawn({ npm_command: 'exec' }, { shell: true })
    const gateway = await event(server, 'listening')
    const hint = await eventually('the hint', () => server.log().find(({ msg }) => msg === 'started_by_npm'))
    assert.match(String(hint['run']), /^node .*main\.js serve$/)
    server.signal('SIGTERM')
    await event(server, 'stopped')
    await eventually('the end of the gateway', () => !isRunning(gateway) || undefined)
  })

  for (const workers of ['1', '2']) {
    describe(`of ${workers} worker(s) whose log`, () => {
      const start = async (): Promise<SpawnedServer> => {
        const server = spawn({ WORKERS: workers, LOG_LEVEL: 'debug' })
        await event(server, 'listening', Number(workers))
        return server
      }

      it('has lost its reader ends it with 0', async () => {
        const server = await start()
        server.closeLog()
        server.signal('SIGTERM')
        assert.equal(await endsWhole(server), 0)
      })

      it('is not read ends it with 0', async () => {
        const server = await start()
        server.stopReading()
        const url = String(server.log().find(({ msg }) => msg === 'listening')?.['url'])
        // Each of these writes a line of the log; together they fill the pipe.
        for (let n = 0; n < 1_000; n += 1) await (await fetch(`${url}/health/live`)).text()
        server.signal('SIGTERM')
        await eventually('the end of the process', () => !isRunning(server.pid) || undefined, PATIENCE_MS)
        server.closeLog()
      })
    })
  }
})

const pidsOf = (server: SpawnedServer): ReadonlyArray<number> => [...new Set(server.log().map(({ pid }) => Number(pid)))]

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
