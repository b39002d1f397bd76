import { openDatabase } from '../../../../adapters/knex/engine/database.js'
import { migrate } from '../../../../adapters/knex/schema/migrate.js'
import { type Step, STEPS } from '../../../../adapters/knex/schema/steps.js'

// Runs as a separate process: migrates the database that its argument names, and hangs in the middle of the last step. It has run the others before, unless
// the database is to be `empty`.
const [url = '', ttlMs = '', isEmpty] = process.argv.slice(2)
const last = STEPS.length - 1
const steps: ReadonlyArray<Step> = STEPS.map((step, place) => (place === last ? { name: step.name, up: async (db) => {
  await step.up(db)
  process.stdout.write('in the middle\n')
  await new Promise((resolve) => { setTimeout(resolve, 600_000) })
} } : step))

const database = openDatabase(url)
if (isEmpty === undefined) await migrate(database, { steps: STEPS.slice(0, last) })
await migrate(database, { steps, ttlMs: Number(ttlMs) })
