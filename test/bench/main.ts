import { bench } from './bench.js'
import { makeCleanup } from './cleanup.js'
import { readOptions, USAGE } from './options.js'
import { formatProfiles } from './profile.js'
import { asJson, asText } from './report.js'

const FAILED = 1
const INTERRUPTED = 130

/** Each child and each server has a listener that ends it with this process. */
const MOST_CHILDREN = 50

const run = async (): Promise<void> => {
  process.setMaxListeners(MOST_CHILDREN)
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return void process.stdout.write(USAGE)
  const cleanup = makeCleanup()
  const interrupted = new Promise<'interrupted'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('interrupted'))
  })
  try {
    const outcome = await Promise.race([bench(options, cleanup, (line) => process.stderr.write(`${line}\n`)), interrupted])
    if (outcome === 'interrupted') {
      process.exitCode = INTERRUPTED
      return
    }
    process.stdout.write(options.json ? `${asJson(outcome.report)}\n` : `\n${asText(outcome.report, outcome.remarks)}`)
  } finally {
    await cleanup.close()
  }
  if (options.profile !== undefined) process.stderr.write(`${await formatProfiles(options.profile)}\n`)
}

run().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(FAILED)
  },
)
