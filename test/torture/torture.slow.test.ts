// Slow: kills real gateways under load repeatedly, and waits until everything is settled.
import { assert } from 'chai'
import { findServers } from '../support/databases.js'
import { DATABASES, SERVER_NAMES, openSharedDatabase } from './torture-database.js'
import { formatResult } from './report.js'
import { repetitions } from '../support/length.js'
import { torture, type TortureOptions } from './torture.js'

/** `npm run torture` has more variants. */
const OPTIONS: Omit<TortureOptions, 'seed'> = {
  kills: repetitions({ long: 100, usual: 10 }), kill: 'gateway', sends: 0, answers: 30, withoutCallback: false, deadlineMs: 40_000,
}

const { found } = await findServers()
const atHand = DATABASES.filter((database) => found.some(({ name }) => name === SERVER_NAMES[database]))

describe('A gateway that is killed again and again at random moments under load', function () {
  // Each start of a process takes seconds on a busy machine.
  this.timeout(1_200_000)

  // SQLite and one more at the same time, because most of the time passes waiting; the long form uses all of them.
  const databases = atHand.slice(0, repetitions({ long: atHand.length, usual: 2 }))
  it(`loses no message, sends none twice and charges each once on ${databases.map((database) => SERVER_NAMES[database]).join(' and ')}`, async () => {
    const seed = Date.now() % 1_000_000
    const runs = await Promise.allSettled(databases.map(async (database) => {
      const options = { ...OPTIONS, seed }
      await using environment = await openSharedDatabase(database)
      const result = await torture(environment, options)
      assert.isEmpty(result.findings, formatResult(environment.name, options, result))
    }))
    assert.deepEqual(runs.flatMap((run) => (run.status === 'rejected' ? [String(run.reason)] : [])), [])
  })
})
