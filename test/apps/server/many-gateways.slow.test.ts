// Slow: runs four processes under load on each database.
import { assert } from 'chai'
import { type Simulator, startSimulator } from '../../../apps/simulator/simulator.js'
import { assertExact, openAccount, readBooks } from '../../support/books.js'
import { describeEachDatabase, type TestDatabase } from '../../support/databases.js'
import { SECRET } from '../../support/gateway.js'
import { answered, PRICE, sentIds, startLoad } from '../../support/load.js'
import { type ServerProcess, startServers } from '../../support/server-process.js'

const GATEWAYS = 4
const SENDERS_EACH = 20

/** What the wallet can pay for, and a rest that is one micro too little for one more. */
const AFFORDABLE = 240
const REST = PRICE - 1n
const FUNDS = BigInt(AFFORDABLE) * PRICE + REST

await describeEachDatabase('Four gateways', (server) => {
  let database: TestDatabase
  let simulator: Simulator
  const gateways: ServerProcess[] = []

  before(async () => {
    database = await server.create()
    simulator = await startSimulator()
  })
  after(async () => {
    await Promise.all(gateways.map((gateway) => gateway.kill()))
    await simulator.close()
    await database[Symbol.asyncDispose]()
  })

  it('spend one wallet to the last message it can pay for, and not one further', async () => {
    const account = await openAccount(database.url, FUNDS)
    const env = { DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url }
    gateways.push(...await startServers(new Array<typeof env>(GATEWAYS).fill(env)))

    const load = startLoad({
      urls: gateways.map(({ url }) => url), key: account.key, senders: GATEWAYS * SENDERS_EACH,
      stopsAfter: (outcome) => outcome === 'lost' || outcome.status !== 200,
    })
    await load.done
    assert.notInclude(load.outcomes(), 'lost')
    const odd = answered(load.outcomes()).filter(({ status }) => status !== 200 && status !== 402)
    assert.deepEqual(odd.map(({ text }) => text), [])
    assert.equal(load.count(200), AFFORDABLE)
    assert.equal(load.count(402), GATEWAYS * SENDERS_EACH)

    const paid = sentIds(load.outcomes())
    assert.sameMembers(simulator.received().map(({ callback }) => callback ?? 'none'), [...paid])

    const books = await readBooks(database.url, account.id)
    assertExact(books, FUNDS, paid)
    assert.equal(books.balance.available, REST)
    assert.equal(books.messages.size, load.outcomes().length)
    assert.isTrue(paid.every((id) => books.messages.get(id) === 'accepted'))
  })
})
