// Slow: keeps a sender at its rate for ten seconds, or for ten minutes.
import { setTimeout as delay } from 'node:timers/promises'
import { assert } from 'chai'
import { startSimulator } from '../../../apps/simulator/simulator.js'
import { openAccount } from '../../support/books.js'
import { describeEachDatabase } from '../../support/databases.js'
import { SECRET } from '../../support/gateway.js'
import { serveInProcess } from '../../support/in-process-server.js'
import { repetitions } from '../../support/length.js'
import { sendTemplate } from '../../support/load.js'

const GATEWAYS = 4
const SECONDS = repetitions({ long: 600, usual: 10 })

/** Below the platform's 80 a second; whole numbers are the only rates. */
const RATE = 79

/** One message below the platform's burst of 45: a request that a busy machine delays reaches the platform closer to the next one. */
const PAIR_LIMIT = '44/6s'

/** More sends at the same time than slots, so that each slot is taken; few of them may wait for a slot. */
const CLIENTS = 120

/** Each third message goes to one of few customers, so that their pairs reach their limit. */
const HOT = ['15550200001', '15550200002', '15550200003']

await describeEachDatabase('Four gateways with one sender', (server) => {
  it('keep within the rate of the platform and the limit of each customer', async () => {
    await using database = await server.createMigrated()
    const simulator = await startSimulator({ settings: { throughput: RATE + 1, pairLimit: true } })
    const account = await openAccount(database.url, 10_000_000_000n)
    const env = {
      DATABASE_URL: database.url, POSTERN_SECRET: SECRET, PLATFORM_URL: simulator.url, SENDER_LIMIT: String(RATE), PAIR_LIMIT,
    }
    const gateways = await Promise.all(Array.from({ length: GATEWAYS }, () => serveInProcess(env)))
    try {
      let [isOver, customers] = [false, 0]
      const statuses = new Map<number, number>()
      const clients = Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
        while (!isOver) {
          customers += 1
          const to = customers % 3 === 0 ? HOT[customers % HOT.length] ?? '' : `1555030${String(customers).padStart(6, '0')}`
          const { status } = await sendTemplate(gateways[client % GATEWAYS]?.url ?? '', account.key, to)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          // As the response demands, but shorter, so that the next slot is not missed.
          if (status !== 200) await delay(50)
        }
      }))
      await delay(SECONDS * 1_000)
      isOver = true
      await clients
      const received = simulator.received()
      const codes = received.flatMap(({ code }) => code ?? [])
      assert.deepEqual(codes, [])
      assert.isAbove(received.length, 0)
      assert.equal(received.length, statuses.get(200))
      const lasted = ((received.at(-1)?.at ?? 0) - (received[0]?.at ?? 0)) / 1_000
      console.log(`      ${server.name}: ${received.length} sent in ${lasted.toFixed(1)} s, ${(100 * received.length / (RATE * lasted)).toFixed(1)}% of the slots; answers ${JSON.stringify([...statuses])}`)
    } finally {
      await Promise.all(gateways.map(({ stop }) => stop()))
      await simulator.close()
    }
  }).timeout(900_000)
})
