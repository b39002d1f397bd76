import { assert } from 'chai'
import { type Database, openDatabase, transact } from '../../../../adapters/knex/engine/database.js'
import { sqlErrorKind } from '../../../../adapters/knex/engine/dialect.js'
import { execute, select } from '../../../../adapters/knex/engine/sql.js'
import { openStorage } from '../../../../adapters/knex/index.js'
import { describeEachDatabase, type TestDatabase } from '../../../support/databases.js'
import { eventually } from '../../../support/eventually.js'
import { openTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.js'

/** Within this time a dead host must have been left, in milliseconds. */
const BOUND_MS = 5_000

await describeEachDatabase('A database URL with two hosts', function (server) {
  // SQLite has no hosts.
  if (server.name === 'SQLite') return

  let testDatabase: TestDatabase
  let proxies: readonly [TcpProxy, TcpProxy]
  let database: Database
  let url: string
  let changes: string[]
  const names = (): readonly [string, string] => [new URL(proxies[0].url).host, new URL(proxies[1].url).host]

  beforeEach(async () => {
    testDatabase = await server.create()
    proxies = [await openTcpProxy(testDatabase.url), await openTcpProxy(testDatabase.url)]
    url = proxies[0].url.replace(names()[0], names().join(','))
    changes = []
    database = openDatabase(url, undefined, ({ host, fault }) => { changes.push(`${fault === undefined ? 'used' : 'left'} ${names().indexOf(host) + 1}`) })
  })
  afterEach(async () => {
    await database.close()
    for (const proxy of proxies) await proxy.close()
    await testDatabase[Symbol.asyncDispose]()
  })

  const query = (): Promise<unknown> => select(database.db, 'SELECT 1 AS one')
  const works = (): Promise<true> =>
    eventually('a query that is answered', () => query().then(() => true as const, () => undefined), BOUND_MS)
  const kindOfFailure = (work: Promise<unknown>): Promise<string> => work.then(() => 'none', sqlErrorKind)

  it('leads to the first', async () => {
    await query()
    assert.deepEqual(proxies.map((proxy) => proxy.open()), [1, 0])
    assert.deepEqual(changes, ['used 1'])
    assert.deepEqual(database.hosts?.states().map(({ state }) => state), ['used', 'unused'])
  })

  it('leads to the second while the first refuses, and to the first again once that is the one that answers', async () => {
    await query()
    await proxies[0].refuse()
    await works()
    assert.deepEqual(changes, ['used 1', 'left 1', 'used 2'])
    await proxies[0].recover()
    await proxies[1].refuse()
    await works()
    assert.deepEqual(changes, ['used 1', 'left 1', 'used 2', 'left 2', 'used 1'])
  })

  it('leads to the second if the first accepts connections and never answers', async function () {
    this.timeout(2 * BOUND_MS)
    proxies[0].hang()
    await query()
    assert.deepEqual(changes, ['left 1', 'used 2'])
  })

  it('gives up the running queries of a host that falls silent, and leads to the other one', async function () {
    this.timeout(3 * BOUND_MS)
    await Promise.all(Array.from({ length: 10 }, query))
    proxies[0].hang()
    const late = new Promise<string>((resolve) => { setTimeout(resolve, BOUND_MS, 'late').unref() })
    const outcomes = await Promise.race([Promise.all(Array.from({ length: 10 }, () => kindOfFailure(query()))), late])
    // A query that gets one of the ten connections fails; one that gets a new connection may not.
    assert.include(outcomes, 'unavailable')
    assert.notInclude(outcomes, 'other')
    assert.notEqual(outcomes, 'late')
    // A connection to the dead host that is still being opened may fail yet, and with it the next query.
    await works()
    assert.deepEqual(changes, ['used 1', 'left 1', 'used 2'])
  })

  it('keeps a host that answers while one of its statements takes long', async function () {
    this.timeout(3 * BOUND_MS)
    await select(database.db, server.name === 'MySQL' ? 'SELECT SLEEP(5)' : 'SELECT pg_sleep(5)')
    assert.deepEqual(changes, ['used 1'])
  })

  it('says of each host what is wrong if none can be used, without the password', async () => {
    for (const proxy of proxies) await proxy.refuse()
    const storage = openStorage({ url: url.replace(/\/\/([^@]*)@/, '//$1:hunter2@'), secret: undefined })
    assert.equal(
      (await storage.diagnosis())?.fault,
      `no host of DATABASE_URL can be used: no database server listens on ${names()[0]}; no database server listens on ${names()[1]}`,
    )
    assert.deepEqual(await storage.readiness(), { ready: false, reasons: ['the database cannot be reached'], hosts: ['failed', 'failed'] })
    await storage.close()
    assert.equal(await kindOfFailure(query()), 'unavailable')
  })

  it('is not a reason to use a connection again on which a write was refused', async () => {
    await database.knex.raw('CREATE TABLE counted (n INT)')
    const refuse = server.name === 'MySQL'
      ? "SIGNAL SQLSTATE '08S01' SET MYSQL_ERRNO = 1047, MESSAGE_TEXT = 'WSREP has not yet prepared node for application use'"
      : 'SET TRANSACTION READ ONLY; INSERT INTO counted VALUES (0)'
    await Promise.all(Array.from({ length: 5 }, query))
    assert.equal(await kindOfFailure(transact(database, (trx) => execute(trx, refuse, []))), 'unavailable')
    await transact(database, (trx) => execute(trx, 'INSERT INTO counted VALUES (1)', []))
    assert.deepEqual(changes, ['used 1', 'left 1', 'used 2'])
  })
})
