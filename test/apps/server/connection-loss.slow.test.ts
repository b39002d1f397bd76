// Slow: stops, kills and freezes database servers under load, and waits until a gateway has noticed.
import { assert } from 'chai'
import { type Simulator, startSimulator } from '../../../apps/simulator/simulator.js'
import type { MessageState } from '../../../core/messages/message.js'
import { type Account, assertExact, openAccount, readBooks, reconcileAtOnce } from '../../support/books.js'
import { type DatabaseServer, describeEachDatabaseServer } from '../../support/database-server.js'
import { eventually } from '../../support/eventually.js'
import { APP_SECRET, SECRET, VERIFY_TOKEN } from '../../support/gateway.js'
import { answered, type Load, sentIds, startLoad } from '../../support/load.js'
import type { Env } from '../../support/postern.js'
import { type ServerProcess, startServer } from '../../support/server-process.js'

const SENDERS = 20
const LATE_SENDERS = 5
const ENOUGH = 60
const FUNDS = 100_000_000_000n

/** How long a server may take to come back, in milliseconds. */
const PATIENCE_MS = 60_000

const UNREACHABLE = 'the database cannot be reached'
const SILENT = 'the database does not answer'

describeEachDatabaseServer('A gateway whose database', (startOwn) => {
  let database: DatabaseServer
  let simulator: Simulator
  let gateway: ServerProcess
  let account: Account
  let env: Env
  const loads: Load[] = []
  const closing: Array<() => Promise<unknown>> = []

  before(async function () {
    this.timeout(2 * PATIENCE_MS)
    database = await startOwn()
    closing.push(database.remove)
    simulator = await startSimulator({ delays: { sent: 5, delivered: 10, read: null, late: 300 } })
    closing.push(simulator.close)
    account = await openAccount(database.url, FUNDS)
    env = { DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url }
    gateway = await startServer({ ...env, PLATFORM_APP_SECRET: APP_SECRET, PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN })
    closing.push(gateway.kill)
  })
  afterEach(async function () {
    this.timeout(PATIENCE_MS)
    simulator.setWebhook(undefined)
    // Where a test failed half-way, those that wait for the database would wait for long.
    database.thaw()
    await Promise.all(loads.map((load) => load.stop()))
  })
  after(async function () {
    this.timeout(2 * PATIENCE_MS)
    for (const close of closing.reverse()) await close()
  })

  const soon = <A>(what: string, ask: () => Promise<A | undefined> | A | undefined): Promise<A> => eventually(what, ask, PATIENCE_MS)

  /** From now on the platform reports statuses, and repeats each until the gateway has stored it. */
  const reportStatuses = (): void => {
    simulator.setWebhook({
      url: `${gateway.url}/webhooks/platform`, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN, retryMs: 50, retryAtMostMs: 500,
    })
  }

  const readiness = async (): Promise<{ readonly status: number; readonly reasons: ReadonlyArray<string> }> => {
    const response = await fetch(`${gateway.url}/health/ready`)
    const { reasons = [] } = (await response.json()) as { readonly reasons?: ReadonlyArray<string> }
    return { status: response.status, reasons }
  }

  /** How many settlements the gateway has yet to write. */
  const owed = async (): Promise<number> => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    return Number(/^postern_settlements_pending ([0-9]+)$/m.exec(metrics)?.[1])
  }

  /** How the database fails, and how it is repaired. */
  type Loss = { readonly begin: () => unknown; readonly end: () => unknown; readonly reason: string }

  /** Sends all the time while the database is lost and given back, and until sends go out again. */
  const sendThrough = async ({ begin, end, reason }: Loss, whileLost: (load: Load) => Promise<unknown>): Promise<Load> => {
    const load = startLoad({ urls: [gateway.url], key: account.key, senders: SENDERS, late: LATE_SENDERS })
    loads.push(load)
    await soon('the first sends', () => load.count(200) >= ENOUGH || undefined)
    assert.deepEqual(await readiness(), { status: 200, reasons: [] })

    await begin()
    const { reasons } = await soon('not being ready', async () => {
      const answer = await readiness()
      return answer.status === 503 ? answer : undefined
    })
    assert.deepEqual(reasons, [reason])
    assert.equal((await fetch(`${gateway.url}/health/live`)).status, 200)
    await whileLost(load)

    await end()
    await soon('being ready again', async () => (await readiness()).status === 200 || undefined)
    const enough = load.count(200) + ENOUGH
    await soon('sends that go out again', () => load.count(200) >= enough || undefined)
    await load.stop()
    await soon('every settlement being written', async () => (await owed()) === 0 || undefined)
    await simulator.idle()
    return load
  }

  /** Callers are turned away, and what the platform answers meanwhile is still to be written down. */
  const isFelt = async (load: Load): Promise<void> => {
    await soon('senders being turned away', () => load.count(503) > 0 || undefined)
    await soon('an answer of the platform that cannot be written down', async () => (await owed()) > 0 || undefined)
  }

  /** Compares the replies to callers, the messages at the platform and the books. */
  const compare = async (load: Load, state: MessageState): Promise<void> => {
    assert.notInclude(load.outcomes(), 'lost')
    const odd = answered(load.outcomes()).filter(({ status, json }) => status !== 200 && json['code'] !== 'storage_unavailable')
    assert.deepEqual(odd.map(({ status, text }) => [status, text]), [])

    const sent = loads.flatMap((one) => sentIds(one.outcomes()))
    assert.sameMembers(simulator.received().map(({ callback }) => callback ?? 'none'), sent)
    await reconcileAtOnce(env)
    const books = await readBooks(database.url, account.id)
    assertExact(books, FUNDS, sent)
    assert.deepEqual(new Set(sentIds(load.outcomes()).map((id) => books.messages.get(id))), new Set([state]))
  }

  it('is stopped and started again loses and doubles nothing, turns callers away meanwhile, and recovers by itself', async function () {
    this.timeout(2 * PATIENCE_MS)
    const stopped: Loss = { begin: () => database.stop(), end: () => database.start(), reason: UNREACHABLE }
    await compare(await sendThrough(stopped, isFelt), 'accepted')
  })

  it('crashes and is started again loses and doubles nothing, in any order of reports', async function () {
    this.timeout(2 * PATIENCE_MS)
    reportStatuses()
    const crashed: Loss = { begin: () => database.kill(), end: () => database.start(), reason: UNREACHABLE }
    await compare(await sendThrough(crashed, isFelt), 'delivered')
  })

  it('hangs for a while loses and doubles nothing, and recovers by itself', async function () {
    this.timeout(2 * PATIENCE_MS)
    const hung: Loss = { begin: () => { database.freeze() }, end: () => { database.thaw() }, reason: SILENT }
    await compare(await sendThrough(hung, () => Promise.resolve()), 'accepted')
  })
})
