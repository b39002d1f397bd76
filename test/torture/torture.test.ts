import { assert } from 'chai'
import { findServers } from '../support/databases.js'
import { DATABASES, SERVER_NAMES, sharedGround } from './ground.js'
import { tell } from './report.js'
import { torture, type Ordeal } from './torture.js'

/** The short form; `npm run torture` is the long one. */
const ORDEAL: Omit<Ordeal, 'seed'> = { kills: 10, kill: 'gateway', sends: 0, answers: 30, unmarked: false, deadlineMs: 40_000 }

const { found } = await findServers()
const atHand = DATABASES.filter((database) => found.some(({ name }) => name === SERVER_NAMES[database]))

describe('A gateway that is killed ten times at random moments under load', function () {
  // Each start of a process takes seconds on a busy machine.
  this.timeout(180_000)

  // SQLite and one more, at once, since most of the time passes waiting; all of them is what the long form is for.
  const databases = atHand.slice(0, 2)
  it(`neither loses, repeats nor miscounts a message on ${databases.map((database) => SERVER_NAMES[database]).join(' and ')}`, async () => {
    const seed = Date.now() % 1_000_000
    const runs = await Promise.allSettled(databases.map(async (database) => {
      const ordeal = { ...ORDEAL, seed }
      await using ground = await sharedGround(database)
      const outcome = await torture(ground, ordeal)
      assert.isEmpty(outcome.findings, tell(ground.name, ordeal, outcome))
    }))
    assert.deepEqual(runs.flatMap((run) => (run.status === 'rejected' ? [String(run.reason)] : [])), [])
  })
})
