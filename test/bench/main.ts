import { bench } from './bench.js'
import { makeClosing } from './closing.js'
import { readOptions, USAGE } from './options.js'
import { tellProfiles } from './profile.js'
import { asJson, asText } from './report.js'

const FAILED = 1
const INTERRUPTED = 130

/** Each child and each server of a run is ended with this process, by a listener of its own. */
const MOST_CHILDREN = 50

const run = async (): Promise<void> => {
  process.setMaxListeners(MOST_CHILDREN)
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return void process.stdout.write(USAGE)
  const closing = makeClosing()
  const interrupted = new Promise<'interrupted'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('interrupted'))
  })
  try {
    const outcome = await Promise.race([bench(options, closing, (line) => process.stderr.write(`${line}\n`)), interrupted])
    if (outcome === 'interrupted') {
      process.exitCode = INTERRUPTED
      return
    }
    process.stdout.write(options.json ? `${asJson(outcome.report)}\n` : `\n${asText(outcome.report, outcome.remarks)}`)
  } finally {
    await closing.close()
  }
  if (options.profile !== undefined) process.stderr.write(`${await tellProfiles(options.profile)}\n`)
}

run().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(FAILED)
  },
)
