// Long: kills and stops processes of gateways that send what is queued, a hundred times on each database and on a Galera cluster. QUEUE_KILLS sets how often.
import { withDatabase } from '../../support/books.js'
import { describeEachDatabase } from '../../support/databases.js'
import { describeGalera, startGalera } from '../../support/galera.js'
import { patienceOf, QUEUE_PROMISE, sendQueueThroughKills } from './killed-queue.js'

const KILLS = Number(process.env['QUEUE_KILLS'] ?? 100)
const SLEEP_MS = 60_000
const TITLE = 'Gateways that send what is queued, and are killed a hundred times'

await describeEachDatabase(TITLE, (server) => {
  it(QUEUE_PROMISE, async function () {
    this.timeout(patienceOf({ kills: KILLS, sleepMs: SLEEP_MS }))
    await using database = await server.createMigrated()
    await sendQueueThroughKills({ urls: [database.url], kills: KILLS, sleepMs: SLEEP_MS, isFile: server.name === 'SQLite' })
  })
})

describeGalera(`${TITLE}, on a Galera cluster`, () => {
  it(QUEUE_PROMISE, async function () {
    this.timeout(patienceOf({ kills: KILLS, sleepMs: SLEEP_MS }))
    const cluster = await startGalera()
    try {
      const { urlFrom } = await cluster.createDatabase('postern_queue')
      await withDatabase(urlFrom(0), (storage) => storage.migrate())
      await sendQueueThroughKills({ urls: [urlFrom(0), urlFrom(1), urlFrom(2)], kills: KILLS, sleepMs: SLEEP_MS })
    } finally {
      await cluster.remove()
    }
  })
})
