import { ownGround, sharedGround } from './ground.js'
import { readOptions, USAGE, type Options } from './options.js'
import { tell } from './report.js'
import { torture, type Ordeal } from './torture.js'

const FAILED = 1
const INTERRUPTED = 130
const DEADLINE_MS = 180_000
const ANSWERS = 120

const run = async (options: Options): Promise<boolean> => {
  let passed = true
  for (const database of options.databases) {
    await using ground = await (options.kill === 'database' ? ownGround : sharedGround)(database)
    const ordeal: Ordeal = { ...options, answers: ANSWERS, unmarked: true, deadlineMs: DEADLINE_MS }
    const outcome = await torture(ground, ordeal)
    process.stdout.write(`${tell(ground.name, ordeal, outcome)}\n`)
    passed &&= outcome.findings.length === 0
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
    process.stderr.write(`torture: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(FAILED)
  },
)
