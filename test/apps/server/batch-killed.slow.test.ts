// Slow: kills and stops processes of gateways that send a batch, on each database. BATCH_LINES and BATCH_KILLS set how many, 400 and 4 by default.
import { describeEachDatabase } from '../../support/databases.js'
import { patienceOf, sendThroughKills } from './killed-batch.js'

const LINES = Number(process.env['BATCH_LINES'] ?? 400)
const KILLS = Number(process.env['BATCH_KILLS'] ?? 4)

await describeEachDatabase('Gateways that send a batch', (server) => {
  it('send each line once, and lose none, however they are killed, stopped and paused', async function () {
    this.timeout(patienceOf({ lines: LINES, kills: KILLS }))
    await using database = await server.createMigrated()
    await sendThroughKills({ urls: [database.url], lines: LINES, kills: KILLS, onlyKills: server.name === 'SQLite' })
  })
})
