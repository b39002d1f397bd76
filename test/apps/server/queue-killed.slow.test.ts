// Slow: kills and stops processes of gateways that send what is queued, on each database. QUEUE_KILLS sets how many, 6 by default.
import { describeEachDatabase } from '../../support/databases.js'
import { patienceOf, QUEUE_PROMISE, sendQueueThroughKills } from './killed-queue.js'

const KILLS = Number(process.env['QUEUE_KILLS'] ?? 6)

await describeEachDatabase('Gateways that send what is queued', (server) => {
  it(QUEUE_PROMISE, async function () {
    this.timeout(patienceOf({ kills: KILLS }))
    await using database = await server.createMigrated()
    await sendQueueThroughKills({ urls: [database.url], kills: KILLS, isFile: server.name === 'SQLite' })
  })
})
