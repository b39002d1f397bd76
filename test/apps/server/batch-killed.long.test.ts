// Long: kills gateways that send 100,000 lines, and their database, on each database and on a Galera cluster. BATCH_LINES and BATCH_KILLS set how many, 100,000 and 10 by default.
import { setTimeout as delay } from 'node:timers/promises'
import { withDatabase } from '../../support/books.js'
import { describeEachDatabaseServer } from '../../support/database-server.js'
import { newSqliteFile } from '../../support/databases.js'
import { describeGalera, startGalera } from '../../support/galera.js'
import { patienceOf, sendThroughKills } from './killed-batch.js'

const LINES = Number(process.env['BATCH_LINES'] ?? 100_000)
const KILLS = Number(process.env['BATCH_KILLS'] ?? 10)
const AWAY_MS = 3_000

const TITLE = 'Gateways that send 100,000 lines'
const PROMISE = 'send each once, and lose none, however they and their database are killed'

const migrate = (url: string): Promise<unknown> => withDatabase(url, (storage) => storage.migrate())

describe(`${TITLE} on SQLite`, () => {
  it(PROMISE, async function () {
    this.timeout(patienceOf({ lines: LINES, kills: KILLS }))
    await using database = await newSqliteFile()
    await migrate(database.url)
    await sendThroughKills({ urls: [database.url], lines: LINES, kills: KILLS, onlyKills: true })
  })
})

describeEachDatabaseServer(TITLE, (start) => {
  it(PROMISE, async function () {
    this.timeout(patienceOf({ lines: LINES, kills: KILLS }))
    const server = await start()
    try {
      await migrate(server.url)
      const restartDatabase = async (): Promise<void> => {
        await server.kill()
        await delay(AWAY_MS)
        await server.start()
      }
      await sendThroughKills({ urls: [server.url], lines: LINES, kills: KILLS, restartDatabase })
    } finally {
      await server.remove()
    }
  })
})

describeGalera(`${TITLE} on a Galera cluster`, () => {
  it(PROMISE, async function () {
    this.timeout(2 * patienceOf({ lines: LINES, kills: KILLS }))
    const cluster = await startGalera()
    try {
      const { urlFrom } = await cluster.createDatabase('postern_batch')
      await migrate(urlFrom(0))
      const [node] = cluster.nodes
      const restartDatabase = async (): Promise<void> => {
        await node.kill()
        await delay(AWAY_MS)
        await node.start()
        await node.synced()
      }
      await sendThroughKills({ urls: [urlFrom(0), urlFrom(1), urlFrom(2)], lines: LINES, kills: KILLS, restartDatabase })
    } finally {
      await cluster.remove()
    }
  })
})
