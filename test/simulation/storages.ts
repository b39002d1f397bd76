import { setTimeout as delay } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { assert } from 'chai'
import { openDatabase } from '../../adapters/knex/engine/database.js'
import { select } from '../../adapters/knex/engine/sql.js'
import { openStorage } from '../../adapters/knex/index.js'
import { describeEachDatabase, type ServerName, type TestDatabase } from '../support/databases.js'
import { repetitions } from '../support/length.js'
import { openTcpProxy } from '../support/tcp-proxy.js'
import type { Choices } from './choices.js'
import { type During, simulate } from './simulate.js'

const SEEDS = repetitions({ long: 100, usual: 20 })

/** The number of histories in which the connection fails. A failure costs a history of a server seconds, in which its gateways reconnect. */
const FAILING_SEEDS = 15

/** How often the connection fails during a call: a history has some seventy calls. */
const FAILS = 0.05

/** The connection to a database that fails according to the choices. */
type Faulty = {
  readonly url: string
  readonly during: During
  readonly close: () => Promise<void> | void
  readonly failures: ReadonlyArray<string>
}

/** A server behind a proxy that cuts connections. The server itself decides what it does with the data that it received. */
const overProxy = async (url: string): Promise<Faulty> => {
  const proxy = await openTcpProxy(url)
  const fail = async (choices: Choices, note: (failure: string) => void): Promise<void> => {
    const failure = choices.weighted({ [BEFORE]: 3, [ANSWER_LOST]: 4, [REFUSED]: 1 })
    note(failure)
    // Reads have one round trip, and transactions up to three. If a call has fewer, it does not fail.
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

/** Waits for a call, but at most this many milliseconds. */
const endOr = async (running: Promise<unknown>, ms: number): Promise<void> => {
  const cancel = new AbortController()
  await Promise.race([running, delay(ms, undefined, { signal: cancel.signal }).catch(() => undefined)])
  cancel.abort()
}

const BEFORE = 'connection: it dies before a statement is forwarded'
const ANSWER_LOST = 'connection: it dies before an answer is forwarded'
const REFUSED = 'connection: it dies, and is refused for a while'
const LOCKED = 'connection: another one has the write lock for a while'

/** A file on which another connection sometimes holds the write lock, like a SQL shell with an open transaction. */
const besideWriter = (url: string): Faulty => {
  const other = new Sqlite(url.slice('sqlite:'.length), { timeout: 0 })
  return {
    url, failures: [LOCKED], close: () => { other.close() },
    during: async (choices, note, call) => {
      if (!choices.chance(FAILS) || !lock(other)) return call()
      note(LOCKED)
      const running = call()
      await endOr(running, choices.time(10, LONGEST_LOCK_MS))
      other.exec('ROLLBACK')
      return running
    },
  }
}

/** Acquires the write lock of a file, unless this connection or another one has it. */
const lock = (file: Sqlite.Database): boolean => {
  if (file.inTransaction) return false
  try {
    file.exec('BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY') return false
    throw error
  }
}

/** Longer than a gateway waits for the write lock. */
const LONGEST_LOCK_MS = 12_000

/** Waits until no transaction of another connection is open on a database. */
export type Settled = { readonly settled: () => Promise<void>; readonly close: () => Promise<void> | void }

/** The open transactions of other connections. Such a transaction can still commit, even if its client has given it up or is gone. */
const OPEN_TRANSACTIONS: Readonly<Record<Exclude<ServerName, 'SQLite'>, string>> = {
  PostgreSQL: "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND xact_start IS NOT NULL AND pid <> pg_backend_pid()",
  MySQL: `SELECT t.trx_id FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
    WHERE p.db = DATABASE() AND p.id <> CONNECTION_ID()`,
}

/** MariaDB refreshes its list of transactions only if it was not read in the last 100 ms. */
const ASKS_EACH_MS = 120

/** Longer than a server waits for the next statement of a transaction, or a gateway for the write lock. */
const SETTLES_WITHIN_MS = 60_000

/** Asks a database for the open transactions of other connections. */
export const watchTransactions = (name: ServerName, url: string): Settled => {
  const { isOpen, close } = name === 'SQLite' ? ofFile(url) : ofServer(OPEN_TRANSACTIONS[name], url)
  const settled = async (): Promise<void> => {
    const end = performance.now() + SETTLES_WITHIN_MS
    while (await isOpen()) {
      if (performance.now() > end) throw new Error('a transaction stays open')
      await delay(ASKS_EACH_MS)
    }
  }
  return { settled, close }
}

type Asked = { readonly isOpen: () => Promise<boolean>; readonly close: Settled['close'] }

const ofServer = (sql: string, url: string): Asked => {
  const { db, close } = openDatabase(url)
  return { isOpen: async () => (await select(db, sql)).length > 0, close }
}

/** A transaction that writes holds the write lock of the file. */
const ofFile = (url: string): Asked => {
  const file = new Sqlite(url.slice('sqlite:'.length), { timeout: 0 })
  return {
    isOpen: () => {
      const isOpen = !lock(file)
      if (!isOpen) file.exec('ROLLBACK')
      return Promise.resolve(isOpen)
    },
    close: () => { file.close() },
  }
}

/** Plays a hundred histories on one of the databases. Each has its own file, so that they run concurrently. */
export const describeStorage = (name: ServerName): Promise<void> => describeEachDatabase('A hundred histories of several gateways on a real database whose connections fail', (server) => {
  let database: TestDatabase
  let faulty: Faulty
  let transactions: Settled

  before(async () => {
    database = await server.createMigrated()
    faulty = server.name === 'SQLite' ? besideWriter(database.url) : await overProxy(database.url)
    transactions = watchTransactions(name, database.url)
  })
  after(async () => {
    await faulty.close()
    await transactions.close()
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
        storage: (now) => ({
          storage: open(database.url, now), ofGateways: open(faulty.url, now), settled: transactions.settled,
          during: seed < FAILING_SEEDS ? faulty.during : (_choices, _note, call) => call(),
        }),
      })
      for (const storage of opened) await storage.close()
      assert.isEmpty(history.violations, `seed ${seed}: ${history.violations[0]?.promise}: ${history.violations[0]?.seen}`)
      for (const situation of history.reached.keys()) reached.add(situation)
    }
    assert.isEmpty(faulty.failures.filter((one) => !reached.has(one)), 'not reached')
  }).timeout(1_800_000)
}, name)
