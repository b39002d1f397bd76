import { setTimeout as delay } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { assert } from 'chai'
import { openStorage } from '../../adapters/knex/index.js'
import { describeEachDatabase, type ServerName, type TestDatabase } from '../support/databases.js'
import { openTcpProxy } from '../support/tcp-proxy.js'
import type { Choices } from './choices.js'
import { type During, simulate } from './simulate.js'

const SEEDS = 100

/** In how many of them the connection fails. A failure costs a history of a server seconds, in which its gateways connect again. */
const FAILING_SEEDS = 15

/** How often the connection fails during a call: a history has some seventy calls. */
const FAILS = 0.05

/** How a database is reached that fails as the choices say. */
type Faulty = { readonly url: string; readonly during: During; readonly close: () => Promise<void> | void; readonly failures: ReadonlyArray<string> }

/** A server behind a proxy that cuts connections. What the server does of what it was sent is its own. */
const overProxy = async (url: string): Promise<Faulty> => {
  const proxy = await openTcpProxy(url)
  const fail = async (choices: Choices, note: (failure: string) => void): Promise<void> => {
    const failure = choices.weighted({ [BEFORE]: 3, [ANSWER_LOST]: 4, [REFUSED]: 1 })
    note(failure)
    // Reads have one round trip, and transactions up to three. Where a call has fewer, it does not fail.
    const trips = choices.weighted({ 0: 4, 1: 2, 2: 2 })
    if (failure === BEFORE) proxy.failBefore(Number(trips))
    else if (failure === ANSWER_LOST) proxy.failAfter(Number(trips))
    else await proxy.refuse()
  }
  return {
    url: proxy.url, close: proxy.close, failures: [BEFORE, ANSWER_LOST, REFUSED],
    during: async (choices, note, call) => {
      if (!choices.chance(FAILS)) return call()
      await fail(choices, note)
      const running = call()
      await endOr(running, choices.time(20, 400))
      await proxy.recover()
      return running
    },
  }
}

/** Waits for a call, but no longer than so many milliseconds. */
const endOr = async (running: Promise<unknown>, ms: number): Promise<void> => {
  const cancel = new AbortController()
  await Promise.race([running, delay(ms, undefined, { signal: cancel.signal }).catch(() => undefined)])
  cancel.abort()
}

const BEFORE = 'connection: it dies before a statement is forwarded'
const ANSWER_LOST = 'connection: it dies before an answer is forwarded'
const REFUSED = 'connection: it dies, and is refused for a while'
const LOCKED = 'connection: another one has the write lock for a while'

/** A file on which another connection keeps the write lock for a while, as a SQL shell with an open transaction does. */
const besideWriter = (url: string): Faulty => {
  const other = new Sqlite(url.slice('sqlite:'.length), { timeout: 0 })
  /** Calls overlap, so this connection or a gateway may have the lock already. */
  const lock = (): boolean => {
    if (other.inTransaction) return false
    try {
      other.exec('BEGIN IMMEDIATE')
      return true
    } catch (error) {
      if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY') return false
      throw error
    }
  }
  return {
    url, failures: [LOCKED], close: () => { other.close() },
    during: async (choices, note, call) => {
      if (!choices.chance(FAILS) || !lock()) return call()
      note(LOCKED)
      const running = call()
      await endOr(running, choices.time(10, LONGEST_LOCK_MS))
      other.exec('ROLLBACK')
      return running
    },
  }
}

/** Longer than a gateway waits for the write lock. */
const LONGEST_LOCK_MS = 12_000

/** Plays a hundred histories on one of the databases. Each has a file of its own, so that they are played side by side. */
export const describeStorage = (name: ServerName): Promise<void> => describeEachDatabase('A hundred histories of several gateways on a real database whose connections fail', (server) => {
  let database: TestDatabase
  let faulty: Faulty

  before(async () => {
    database = await server.createMigrated()
    faulty = server.name === 'SQLite' ? besideWriter(database.url) : await overProxy(database.url)
  })
  after(async () => {
    await faulty.close()
    await database[Symbol.asyncDispose]()
  })

  it('break no promise', async () => {
    const reached = new Set<string>()
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const opened: Array<ReturnType<typeof openStorage>> = []
      const open = (url: string, now: () => number) => {
        const storage = openStorage({ url, secret: 'a-secret-of-tests-that-is-long-enough', broker: true, now })
        opened.push(storage)
        return storage
      }
      const history = await simulate({
        seed, size: { bursts: 2, acts: 5 },
        storage: (now) => ({ storage: open(database.url, now), ofGateways: open(faulty.url, now), during: seed < FAILING_SEEDS ? faulty.during : (_choices, _note, call) => call() }),
      })
      for (const storage of opened) await storage.close()
      assert.isEmpty(history.violations, `seed ${seed}: ${history.violations[0]?.promise}: ${history.violations[0]?.seen}`)
      for (const situation of history.reached.keys()) reached.add(situation)
    }
    assert.isEmpty(faulty.failures.filter((one) => !reached.has(one)), 'not reached')
  }).timeout(1_800_000)
}, name)
