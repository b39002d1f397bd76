// Slow: starts database servers and kills, promotes and hangs them under load.
import { assert } from 'chai'
import createKnex from 'knex'
import { type Simulator, startSimulator } from '../../../apps/simulator/simulator.js'
import { type Account, assertExact, openAccount, readBooks, reconcileAtOnce } from '../../support/books.js'
import { MARIADB, POSTGRES, postgresStandbyOf, type ServerKind } from '../../support/database-server-kinds.js'
import { type DatabaseServer, startDatabaseServer } from '../../support/database-server.js'
import { eventually } from '../../support/eventually.js'
import { SECRET } from '../../support/gateway.js'
import { answered, type Load, sentIds, startLoad } from '../../support/load.js'
import { type Env, postern, posternJson } from '../../support/postern.js'
import { type ServerProcess, startServer } from '../../support/server-process.js'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js'

const SENDERS = 10
const ENOUGH = 40
const FUNDS = 100_000_000_000n

/** How long anything may take on a busy machine, in milliseconds. */
const PATIENCE_MS = 60_000

const soon = <A>(what: string, ask: () => Promise<A | undefined> | A | undefined): Promise<A> => eventually(what, ask, PATIENCE_MS)

const hostOf = (url: string): string => new URL(url).host

/** The URL of one server with the hosts of several. */
const together = (...urls: ReadonlyArray<string>): string => (urls[0] ?? '').replace(hostOf(urls[0] ?? ''), urls.map(hostOf).join(','))

/** What to do with a gateway under load, whose database has several hosts. */
type World = {
  readonly account: Account
  readonly env: Env
  readonly gateway: ServerProcess
  readonly load: Load
  /** Waits until many more messages have been sent. */
  readonly sendsOn: () => Promise<unknown>
  /** The hosts that the log says are used or left, in order. */
  readonly changes: () => ReadonlyArray<string>
  readonly ready: () => Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }>
  /** Ends the load, and compares replies, messages at the platform and books. */
  readonly compare: (url: string) => Promise<void>
}

const withGateway = async (urls: ReadonlyArray<string>, use: (world: World) => Promise<void>): Promise<void> => {
  const closing: Array<() => Promise<unknown>> = []
  try {
    const simulator: Simulator = await startSimulator({ delays: { sent: 5, delivered: 10, read: null, late: 300 } })
    closing.push(simulator.close)
    const account = await openAccount(together(...urls), FUNDS)
    const env: Env = { DATABASE_URL: together(...urls), POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url }
    const gateway = await startServer(env)
    closing.push(gateway.kill)
    const load = startLoad({ urls: [gateway.url], key: account.key, senders: SENDERS })
    closing.push(load.stop)
    const sendsOn = async (): Promise<unknown> => {
      const enough = load.count(200) + ENOUGH
      return soon('more sends', () => load.count(200) >= enough || undefined)
    }
    const owed = async (): Promise<number> =>
      Number(/^postern_settlements_pending ([0-9]+)$/m.exec(await (await fetch(`${gateway.url}/metrics`)).text())?.[1])
    await sendsOn()
    await use({
      account, env, gateway, load, sendsOn,
      changes: () => gateway.log().filter(({ msg }) => String(msg).startsWith('database_host_'))
        .map(({ msg, host }) => `${String(msg).slice('database_host_'.length)} ${urls.findIndex((url) => hostOf(url) === host) + 1}`),
      ready: async () => {
        const response = await fetch(`${gateway.url}/health/ready`)
        return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> }
      },
      compare: async (url) => {
        await load.stop()
        await soon('every settlement being written', async () => (await owed()) === 0 || undefined)
        await simulator.idle()
        assert.notInclude(load.outcomes(), 'lost')
        const odd = answered(load.outcomes()).filter(({ status, json }) => status !== 200 && json['code'] !== 'storage_unavailable')
        assert.deepEqual(odd.map(({ status, text }) => [status, text]), [])
        const sent = [...sentIds(load.outcomes())]
        assert.sameMembers(simulator.received().map(({ callback }) => callback ?? 'none'), sent)
        await reconcileAtOnce(env)
        assertExact(await readBooks(url, account.id), FUNDS, sent)
        assert.deepInclude(await posternJson(['wallet', 'audit'], env), { broken: [] })
      },
    })
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

const ask = async (url: string, sql: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
  const knex = createKnex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } })
  try {
    return (await knex.raw<{ readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>> }>(sql)).rows
  } finally {
    await knex.destroy()
  }
}

/** Runs a suite if a kind of server is installed; else prints a line, or fails if `CI` is set. */
const describeWith = (kind: ServerKind, title: string, suite: () => void): void => {
  if (kind.programFolder !== undefined) describe(title, suite)
  else if (process.env['CI'] === undefined) process.stdout.write(`Not run: ${title}. To run it, ${kind.remedy}.\n`)
  else it(title, () => { throw new Error(`${kind.name} is not installed: ${kind.remedy}`) })
}

describeWith(POSTGRES, 'A gateway with a PostgreSQL primary and a synchronous standby', function () {
  let primary: DatabaseServer
  let standby: DatabaseServer

  before(async function () {
    this.timeout(2 * PATIENCE_MS)
    primary = await startDatabaseServer(POSTGRES)
    standby = await startDatabaseServer(postgresStandbyOf(Number(new URL(primary.url).port)), { isCopy: true })
    await ask(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    await ask(primary.url, 'SELECT pg_reload_conf()')
    await soon('a synchronous standby', async () =>
      (await ask(primary.url, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length > 0 || undefined)
  })
  after(async function () {
    this.timeout(2 * PATIENCE_MS)
    await standby.remove()
    await primary.remove()
  })

  it('goes on with the standby once that is promoted, and loses and doubles nothing', async function () {
    this.timeout(3 * PATIENCE_MS)
    // The standby comes first in the URL, so that the order alone does not choose the host.
    await withGateway([standby.url, primary.url], async ({ env, load, sendsOn, changes, ready, compare }) => {
      assert.deepEqual(await ready(), { status: 200, body: { status: 'ok', database_hosts: ['failed', 'used'] } })
      assert.deepEqual(changes(), ['left 1', 'used 2'])

      await primary.kill()
      await soon('not being ready', async () => (await ready()).status === 503 || undefined)
      await soon('senders being turned away', () => load.count(503) > 0 || undefined)
      await ask(standby.url, 'SELECT pg_promote()')
      await soon('being ready again', async () => (await ready()).status === 200 || undefined)
      await sendsOn()
      assert.deepEqual(changes(), ['left 1', 'used 2', 'left 2', 'used 1'])
      assert.deepEqual((await ready()).body, { status: 'ok', database_hosts: ['used', 'failed'] })

      const { checks } = JSON.parse((await postern(['doctor', '--json'], env)).stdout) as {
        readonly checks: ReadonlyArray<{ readonly check: string; readonly note?: string }>
      }
      assert.equal(
        checks.find(({ check }) => check === 'database')?.note,
        `${hostOf(standby.url)} is used, ${hostOf(primary.url)} cannot be used now (no database server listens on ${hostOf(primary.url)})`,
      )
      await compare(standby.url)
    })
  })
})

describeWith(MARIADB, 'A gateway with two hosts of a MariaDB database', function () {
  let database: DatabaseServer
  let proxies: ReadonlyArray<TcpProxy>

  before(async function () {
    this.timeout(2 * PATIENCE_MS)
    database = await startDatabaseServer(MARIADB)
    proxies = [await openTcpProxy(database.url), await openTcpProxy(database.url)]
  })
  after(async function () {
    this.timeout(2 * PATIENCE_MS)
    for (const proxy of proxies) await proxy.close()
    await database.remove()
  })

  it('leaves one that hangs and one that refuses, and loses and doubles nothing', async function () {
    this.timeout(4 * PATIENCE_MS)
    const [one, two] = proxies
    await withGateway(proxies.map(({ url }) => url), async ({ sendsOn, changes, ready, compare }) => {
      assert.deepEqual(changes(), ['used 1'])
      one?.hang()
      await soon('the first host being left', () => changes().includes('left 1') || undefined)
      await sendsOn()
      assert.deepEqual((await ready()).body, { status: 'ok', database_hosts: ['failed', 'used'] })

      await one?.recover()
      await two?.refuse()
      await sendsOn()
      assert.deepEqual(changes(), ['used 1', 'left 1', 'used 2', 'left 2', 'used 1'])
      await compare(database.url)
    })
  })
})
