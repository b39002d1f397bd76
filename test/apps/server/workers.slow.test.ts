// Slow: kills processes under load on each database, and waits until others have taken their place.
import { assert } from 'chai'
import { type Simulator, startSimulator } from '../../../apps/simulator/simulator.js'
import { type Account, assertExact, openAccount, readBooks, reconcileAtOnce } from '../../support/books.js'
import { describeEachDatabase } from '../../support/databases.js'
import { eventually } from '../../support/eventually.js'
import { APP_SECRET, SECRET, VERIFY_TOKEN } from '../../support/gateway.js'
import { answered, ANSWERED_LATE, type Load, sendTemplate, sentIds, startLoad } from '../../support/load.js'
import type { Env } from '../../support/postern.js'
import { type ServerProcess, startServer } from '../../support/server-process.js'

const WORKERS = 3
const SENDERS = 20
const LATE_SENDERS = 8
const ENOUGH = 60
const IN_FLIGHT = 12
const FUNDS = 1_000_000_000n

/** How long processes may take to start on a busy machine, in milliseconds. */
const PATIENCE_MS = 60_000

await describeEachDatabase('A gateway of several processes', (databases) => {
  let url: string
  let simulator: Simulator
  let gateway: ServerProcess
  let account: Account
  let env: Env
  let load: Load
  const closing: Array<() => PromiseLike<unknown>> = []

  before(async function () {
    this.timeout(PATIENCE_MS)
    const database = await databases.create()
    closing.push(() => database[Symbol.asyncDispose]())
    simulator = await startSimulator({ delays: { sent: 5, delivered: 10, read: null, late: 300 } })
    closing.push(simulator.close)
    url = database.url
    account = await openAccount(url, FUNDS)
    env = { DATABASE_URL: url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url }
    gateway = await startServer({ ...env, WORKERS: String(WORKERS), PLATFORM_APP_SECRET: APP_SECRET, PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN })
    closing.push(gateway.kill)
  })
  after(async () => {
    for (const close of closing.reverse()) await close()
  })

  const soon = <A>(what: string, ask: () => Promise<A | undefined> | A | undefined): Promise<A> => eventually(what, ask, PATIENCE_MS)

  const logged = (event: string): ReadonlyArray<Readonly<Record<string, unknown>>> => gateway.log().filter(({ msg }) => msg === event)

  const listening = (count: number): Promise<true> =>
    soon(`worker ${count} listening`, () => logged('listening').length === count || undefined)

  it('goes on while one of them is killed and replaced, and finishes what is in flight when it is stopped', async function () {
    this.timeout(2 * PATIENCE_MS)
    await listening(WORKERS)
    simulator.setWebhook({
      url: `${gateway.url}/webhooks/platform`, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN, retryMs: 50, retryAtMostMs: 500,
    })
    load = startLoad({ urls: [gateway.url], key: account.key, senders: SENDERS, late: LATE_SENDERS })
    // A sender whose answer does not come stops with the gateway.
    closing.push(() => Promise.all([load.stop(), gateway.kill()]))
    await soon('the first sends', () => load.count(200) >= ENOUGH || undefined)

    process.kill(Number(logged('listening')[0]?.['pid']), 'SIGKILL')
    await listening(WORKERS + 1)
    assert.lengthOf(logged('worker_died'), 1)
    const enough = load.count(200) + ENOUGH
    await soon('sends that go on', () => load.count(200) >= enough || undefined)
    await load.stop()
    assert.deepEqual(answered(load.outcomes()).filter(({ status }) => status !== 200).map(({ text }) => text), [])
    // The messages that went out with the killed process are settled by what the platform reports of them.
    await simulator.idle()
    simulator.setWebhook(undefined)

    const before = simulator.received().length
    const inFlight = Promise.all(Array.from({ length: IN_FLIGHT }, () => sendTemplate(gateway.url, account.key, ANSWERED_LATE)))
    await soon('the last messages reaching the platform', () => simulator.received().length === before + IN_FLIGHT || undefined)
    gateway.signal('SIGTERM')
    const last = await inFlight
    assert.deepEqual(last.map(({ status }) => status), new Array<number>(IN_FLIGHT).fill(200))
    assert.equal((await gateway.ended).status, 0)
    assert.lengthOf(logged('stopped'), WORKERS)
    assert.equal(await fetch(gateway.url).then(() => 'answered', () => 'refused'), 'refused')

    const taken = simulator.received().map(({ callback }) => callback ?? 'none')
    assert.includeMembers(taken, [...sentIds(load.outcomes()), ...sentIds(last)])
    await reconcileAtOnce(env)
    const books = await readBooks(url, account.id)
    assertExact(books, FUNDS, taken)
    assert.deepEqual(taken.slice(0, before).filter((id) => books.messages.get(id) !== 'delivered'), [])
    assert.deepEqual(taken.slice(before).filter((id) => books.messages.get(id) !== 'accepted'), [])
  })
})
