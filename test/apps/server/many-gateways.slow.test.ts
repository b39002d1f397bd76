// Slow: runs four processes under load on each database.
import { assert } from 'chai'
import { assertExact, readBooks } from '../../support/books.js'
import { describeEachDatabase } from '../../support/databases.js'
import { answered, PRICE, sentIds, startLoad } from '../../support/load.js'
import { startGateways } from '../../support/several-gateways.js'

const GATEWAYS = 4
const SENDERS_EACH = 20

/** What the wallet can pay for, and a rest that is one micro too little for one more. */
const AFFORDABLE = 240
const REST = PRICE - 1n
const FUNDS = BigInt(AFFORDABLE) * PRICE + REST

await describeEachDatabase('Four gateways', (server) => {
  it('spend one wallet to the last message it can pay for, and not one further', async () => {
    await using world = await startGateways(server, FUNDS, GATEWAYS)
    const { gateways, simulator, account, env } = world
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

    const books = await readBooks(env.DATABASE_URL, account.id)
    assertExact(books, FUNDS, paid)
    assert.equal(books.balance.available, REST)
    assert.equal(books.messages.size, load.outcomes().length)
    assert.isTrue(paid.every((id) => books.messages.get(id) === 'accepted'))
  })
})
