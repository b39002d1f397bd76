// Slow: keeps a sender at its rate for ten seconds, or for ten minutes.
import { assert } from 'chai'
import { openDatabase } from '../../../adapters/knex/engine/database.js'
import { select } from '../../../adapters/knex/engine/sql.js'
import { startSimulator } from '../../../apps/simulator/simulator.js'
import { openAccount } from '../../support/books.js'
import { describeEachDatabase } from '../../support/databases.js'
import { APP_SECRET, SECRET, VERIFY_TOKEN } from '../../support/gateway.js'
import { serveInProcess } from '../../support/in-process-server.js'
import { openLateNetwork } from '../../support/late-network.js'
import { repetitions } from '../../support/length.js'
import { useSender } from '../../support/sender-load.js'

const GATEWAYS = 4
const SECONDS = repetitions({ long: 600, usual: 10 })

/** The rate of the platform, and one just below it. */
const THROUGHPUT = 80
const RATE = 79.9

/** One message below the platform's burst of 45: a request that is delayed reaches the platform closer to the next one. */
const PAIR_LIMIT = '44/6s'
const JITTER_MS = 50

/** No request waits this long for its slot, in milliseconds. */
const AHEAD_MS = 10_000

/** A fifth of the messages are from customers. */
const INBOUND = { perSecond: THROUGHPUT / 5, isRandom: false }
/** Each third message goes to one of few customers, so that their pairs reach their limit. */
const HOT = 3

/** The next slot of the only sender, in microseconds of the database's clock. */
const nextSlotOf = async (url: string): Promise<number> => {
  const { db, close } = openDatabase(url)
  try {
    return Number((await select(db, 'SELECT next_slot FROM sender_slots'))[0]?.['next_slot'])
  } finally {
    await close()
  }
}

await describeEachDatabase('Four gateways with one sender', (server) => {
  it('keep within the rate of the platform and the limit of each customer, while customers write', async () => {
    await using database = await server.createMigrated()
    const simulator = await startSimulator({ settings: { throughput: THROUGHPUT, pairLimit: true } })
    const network = await openLateNetwork(simulator.url, JITTER_MS)
    const account = await openAccount(database.url, 10_000_000_000n)
    const env = {
      DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: network.url, SENDER_LIMIT: String(RATE), PAIR_LIMIT,
      PLATFORM_APP_SECRET: APP_SECRET, PLATFORM_VERIFY_TOKEN: VERIFY_TOKEN,
    }
    const startedAt = Date.now()
    const gateways = await Promise.all(Array.from({ length: GATEWAYS }, () => serveInProcess(env)))
    try {
      const urls = gateways.map(({ url }) => url)
      simulator.setWebhook({ url: `${urls[0]}/webhooks/platform`, appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN })
      const { refused, received, inbound, answers, perSecond, mostInSecond, longestStallMs } = await useSender({
        urls, key: account.key, simulator, phoneNumberId: '1000', seconds: SECONDS, inbound: INBOUND, hot: HOT,
      })
      const { 130429: tooFast = 0, ...others } = refused
      assert.deepEqual(others, {})
      // The platform refuses some if its own process stood still, because it then counts together what was sent one after the other. The slots do not depend on that.
      const slotsUntilMs = await nextSlotOf(database.url) / 1_000
      assert.isAtMost(received, RATE * (slotsUntilMs - startedAt) / 1_000)
      assert.isBelow(slotsUntilMs, Date.now() + AHEAD_MS)
      assert.isAbove(received, 0)
      assert.isAbove(inbound, 0)
      assert.equal(received - tooFast, answers['200'])
      console.log(`      ${server.name}: ${received} sent and ${inbound} received, ${
        (100 * perSecond / THROUGHPUT).toFixed(1)}% of the throughput, at most ${mostInSecond} in a second, ${tooFast} refused, stood still for ${longestStallMs} ms; answers ${JSON.stringify(answers)}`)
    } finally {
      await Promise.all(gateways.map(({ stop }) => stop()))
      await network.close()
      await simulator.close()
    }
  }).timeout(900_000)
})
