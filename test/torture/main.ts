import { inspect } from 'node:util'
import { attackAll } from '../attack/attack-all.js'
import { openGaleraDatabase } from './galera-database.js'
import { openOwnDatabase, openSharedDatabase, SERVER_NAMES } from './torture-database.js'
import { readOptions, USAGE, type Options } from './options.js'
import { formatResult } from './report.js'
import { torture, type TortureOptions } from './torture.js'

const FAILED = 1
const INTERRUPTED = 130
const DEADLINE_MS = 180_000
const ANSWERS = 120

const run = async (options: Options): Promise<boolean> => {
  if (options.attack !== undefined) return attackAll(options.databases.map((database) => SERVER_NAMES[database]), options.attack)
  let passed = true
  const opens = options.galera
    ? [() => openGaleraDatabase(options.seed)]
    : options.databases.map((name) => () => (options.kill === 'database' ? openOwnDatabase : openSharedDatabase)(name))
  for (const open of opens) {
    await using database = await open()
    const runOptions: TortureOptions = { ...options, answers: ANSWERS, withoutCallback: true, deadlineMs: DEADLINE_MS }
    const result = await torture(database, runOptions)
    process.stdout.write(`${formatResult(database.name, runOptions, result)}\n`)
    passed &&= result.findings.length === 0
  }
  return passed
}

const main = async (): Promise<boolean> => {
  const options = readOptions(process.argv.slice(2), Date.now())
  if (options !== 'help') return run(options)
  process.stdout.write(USAGE)
  return true
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(INTERRUPTED))

main().then(
  (passed) => process.exit(passed ? 0 : FAILED),
  (error: unknown) => {
    process.stderr.write(`torture: ${inspect(error)}\n`)
    process.exit(FAILED)
  },
)
