// Slow: kills real processes on each database in the middle of runs over thousands of records.
import { assert } from 'chai'
import { type Database, openDatabase } from '../../../adapters/knex/engine/database.js'
import { execute, insert, type Row, select } from '../../../adapters/knex/engine/sql.js'
import { DAY_MS } from '../../../core/kernel/time.js'
import { type Account, openAccount } from '../../support/books.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { eventually } from '../../support/eventually.js'
import { SECRET } from '../../support/gateway.js'
import { PRICE } from '../../support/load.js'
import { type Env, posternJson } from '../../support/postern.js'
import { type LogLine, type SpawnedServer, spawnServer } from '../../support/server-process.js'

const OLD = 2_200
const NEW = 300
const FUNDS = BigInt(OLD + NEW) * PRICE
/** How long one state of the database may take to come about, in milliseconds. */
const LATE_MS = 30_000

/** How many records two steps look at. */
const TWO_STEPS = 1_000

/** Where a gateway stops: in the third step of some records; the steps before are committed. */
type Obstacle = {
  readonly table: 'messages' | 'customers'
  readonly column: string
  readonly key: string
  readonly change: 'UPDATE' | 'DELETE'
}

const digits = (n: number): string => String(n).padStart(12, '0')
const messageOf = (n: number): string => `msg_${digits(n)}${'0'.repeat(20)}`
const numberOf = (n: number): string => `49151${digits(n).slice(-8)}`

const IN_MESSAGES: Obstacle = { table: 'messages', column: 'id', key: messageOf(1_200), change: 'UPDATE' }
const IN_CUSTOMERS: Obstacle = { table: 'customers', column: 'customer_id', key: numberOf(1_200), change: 'DELETE' }

await describeEachDatabase('A run of retention that is killed', (server) => {
  let created: TestDatabase
  let database: Database
  let account: Account
  let env: Env
  const gateways: SpawnedServer[] = []

  before(async () => {
    created = await server.create()
    account = await openAccount(created.url, FUNDS)
    env = { DATABASE_URL: created.url, POSTERN_SECRET: SECRET }
    database = openDatabase(created.url)
    await store(Date.now() - 40 * DAY_MS, 0, OLD)
    await store(Date.now() - DAY_MS, OLD, NEW)
    await execute(database.db, 'UPDATE wallets SET available = 0')
  })
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.kill()))
    await database.close()
    await created[Symbol.asyncDispose]()
  })

  /** Stores messages that were paid and read, each to another customer who has a name and has written. */
  const store = async (at: number, first: number, count: number): Promise<void> => {
    const { db, dialect } = database
    const all = Array.from({ length: count }, (_, n) => first + n)
    const workspace = account.id
    await insert(
      db, dialect, 'messages',
      [
        'workspace_id', 'id', 'kind', 'customer', 'state', 'price', 'currency', 'category', 'template_name', 'language', 'platform_id',
        'error', 'created_at', 'accepted_at', 'read_at',
      ],
      all.map((n) => [
        workspace, messageOf(n), 'template', numberOf(n), 'read', PRICE, 'USD', 'marketing', 'hello_world', 'en', `wamid.${numberOf(n)}`,
        JSON.stringify({ code: 1, title: `to ${numberOf(n)}` }), at, at, at,
      ]),
    )
    await insert(
      db, dialect, 'holds', ['workspace_id', 'message_id', 'amount', 'state', 'created_at'],
      all.map((n) => [workspace, messageOf(n), PRICE, 'captured', at]),
    )
    await insert(
      db, dialect, 'wallet_entries', ['workspace_id', 'id', 'kind', 'amount', 'message_id', 'created_at'],
      all.map((n) => [workspace, messageOf(n).slice('msg_'.length), 'capture', PRICE, messageOf(n), at]),
    )
    await insert(
      db, dialect, 'customers', ['workspace_id', 'customer_id', 'name', 'named_at'],
      all.map((n) => [workspace, numberOf(n), `Person ${n}`, at]),
    )
    await insert(db, dialect, 'windows', ['workspace_id', 'customer', 'last_inbound'], all.map((n) => [workspace, numberOf(n), at]))
  }

  /** Lets no gateway pass a record until it is removed: another transaction has locked it; on SQLite changing it does not end. */
  const block = async ({ table, column, key, change }: Obstacle): Promise<() => Promise<void>> => {
    if (database.dialect.name === 'sqlite') {
      const endless = `SELECT COUNT(*) FROM messages a, messages b, messages c, messages d`
      await execute(database.db, `CREATE TRIGGER obstacle BEFORE ${change} ON ${table} WHEN OLD.${column} = '${key}' BEGIN ${endless}; END`)
      return async () => { await execute(database.db, 'DROP TRIGGER obstacle') }
    }
    const trx = await database.knex.transaction()
    await trx(table).where({ workspace_id: account.id, [column]: key }).forUpdate().select(column)
    return async () => { await trx.rollback() }
  }

  const count = async (sql: string): Promise<number> =>
    Number((await select(database.db, `SELECT COUNT(*) AS count FROM ${sql}`))[0]?.['count'])
  const forgotten = (): Promise<number> => count("messages WHERE platform_id = 'forgotten'")

  const start = (): SpawnedServer => {
    const gateway = spawnServer({ ...env, RETENTION_DAYS: '30' })
    gateways.push(gateway)
    return gateway
  }

  /** Kills a gateway that has come to an obstacle, and lets its lease expire. */
  const killAt = async (obstacle: Obstacle, isThere: () => Promise<boolean>): Promise<void> => {
    const unblock = await block(obstacle)
    const gateway = start()
    await eventually('the obstacle', async () => (await isThere()) || undefined, LATE_MS)
    await gateway.kill()
    await unblock()
    assert.deepEqual(gateway.log().filter(({ msg }) => String(msg).startsWith('retention_')), [])
    await execute(database.db, "UPDATE leases SET until = 0 WHERE name = 'retention'")
  }

  const rowsSince = (table: string, column: string): Promise<ReadonlyArray<Row>> =>
    select(database.db, `SELECT * FROM ${table} WHERE ${column} >= ? ORDER BY 1, 2`, [Date.now() - 2 * DAY_MS])

  const kept = async (): Promise<unknown> =>
    [await rowsSince('messages', 'created_at'), await rowsSince('customers', 'named_at'), await rowsSince('windows', 'last_inbound')]

  it('is finished by another gateway: all that is old is forgotten, nothing newer, and the books stay exact', async () => {
    const newer = await kept()
    const money = await select(database.db, 'SELECT id, state, price, currency, category, created_at, accepted_at, read_at FROM messages ORDER BY id')
    const audit = await posternJson(['wallet', 'audit'], env) as { readonly broken: ReadonlyArray<unknown> }
    assert.deepEqual(audit.broken, [])

    await killAt(IN_MESSAGES, async () => (await forgotten()) >= TWO_STEPS)
    assert.equal(await forgotten(), TWO_STEPS)
    assert.deepEqual(await posternJson(['wallet', 'audit'], env), audit)

    await killAt(IN_CUSTOMERS, async () => (await count('customers')) <= OLD + NEW - TWO_STEPS)
    assert.equal(await forgotten(), OLD)
    assert.equal(await count('customers'), OLD + NEW - TWO_STEPS)
    assert.equal(await count('windows'), OLD + NEW)

    const last = start()
    const run = await eventually('the end of the run', () => last.log().find(({ msg }: LogLine) => msg === 'retention_run'), LATE_MS)
    await last.kill()
    assert.deepInclude(run, { messages: 0, customers: OLD - TWO_STEPS, windows: OLD })

    assert.deepEqual(await kept(), newer)
    assert.deepEqual([await count('messages'), await count('customers'), await count('windows')], [OLD + NEW, NEW, NEW])
    const old = await select(
      database.db, 'SELECT customer, platform_id, error FROM messages WHERE created_at < ?', [Date.now() - 30 * DAY_MS],
    )
    assert.lengthOf(old, OLD)
    for (const row of old) {
      assert.match(String(row['customer']), /^forgotten\.[0-9a-f]{32}$/)
      assert.deepInclude(row, { platform_id: 'forgotten', error: '{"code":1}' })
    }
    assert.lengthOf(new Set(old.map((row) => row['customer'])), OLD, 'each person has one digest')
    assert.deepEqual(
      await select(database.db, 'SELECT id, state, price, currency, category, created_at, accepted_at, read_at FROM messages ORDER BY id'),
      money,
    )
    assert.deepEqual(await posternJson(['wallet', 'audit'], env), audit)
    const acts = await posternJson(['audit', 'list'], env) as ReadonlyArray<{ readonly act: string; readonly details: unknown }>
    assert.deepInclude(acts.find(({ act }) => act === 'retention.run')?.details, { messages: 0, customers: OLD - TWO_STEPS, windows: OLD })
  })
})
