import { batchesText, benchBatches } from './batches.js'
import { bench } from './bench.js'
import { makeCleanup, type Cleanup } from './cleanup.js'
import { benchConsole, consoleText } from './console.js'
import { benchEvents, eventsText } from './events.js'
import { benchGalera, galeraText } from './galera.js'
import { benchOthers, othersText } from './others.js'
import { readOptions, USAGE, type Options } from './options.js'
import { measureProcesses, processText } from './process-figures.js'
import { formatProfiles } from './profile.js'
import { asJson, asText } from './report.js'
import { benchQueue, queueText } from './queue.js'
import { benchSenders, sendersText } from './sender-limit.js'

const FAILED = 1
const INTERRUPTED = 130

/** Each child and each server has an exit listener that ends it with this process. */
const MAX_CHILDREN = 50

const benchOutcome = async (options: Options, cleanup: Cleanup, log: (line: string) => void): Promise<string> => {
  const { report, remarks } = await bench(options, cleanup, log)
  if (report.failures.length > 0) process.exitCode = FAILED
  return options.json ? `${asJson(report)}\n` : `\n${asText(report, remarks)}`
}

const eventsOutcome = async (options: Options, cleanup: Cleanup, log: (line: string) => void): Promise<string> => {
  const reports = await benchEvents(options, cleanup, log)
  return options.json ? `${JSON.stringify({ events: reports }, null, 2)}\n` : `\n${eventsText(reports)}`
}

const consoleOutcome = async (options: Options, cleanup: Cleanup, log: (line: string) => void): Promise<string> => {
  const reports = await benchConsole(options, cleanup, log)
  return options.json ? `${JSON.stringify({ console: reports }, null, 2)}\n` : `\n${consoleText(reports)}`
}

const galeraOutcome = async (options: Options, cleanup: Cleanup, log: (line: string) => void): Promise<string> => {
  const reports = await benchGalera(options, cleanup, log)
  return options.json ? `${JSON.stringify({ galera: reports }, null, 2)}\n` : `\n${galeraText(reports)}`
}

const othersOutcome = async (options: Options, cleanup: Cleanup, log: (line: string) => void): Promise<string> => {
  const reports = await benchOthers(options, cleanup, log)
  return options.json ? `${JSON.stringify({ others: reports }, null, 2)}\n` : `\n${othersText(reports)}`
}

const sendersOutcome = async (options: Options, cleanup: Cleanup, log: (line: string) => void): Promise<string> => {
  const figures = await benchSenders(options, cleanup, log)
  return options.json ? `${JSON.stringify({ senders: figures }, null, 2)}\n` : `\n${sendersText(figures)}`
}

const batchesOutcome = async (options: Options, cleanup: Cleanup, log: (line: string) => void): Promise<string> => {
  const figures = await benchBatches(options, cleanup, log)
  return options.json ? `${JSON.stringify({ batches: figures }, null, 2)}\n` : `\n${batchesText(figures)}`
}

const queueOutcome = async (options: Options, cleanup: Cleanup, log: (line: string) => void): Promise<string> => {
  const figures = await benchQueue(options, cleanup, log)
  return options.json ? `${JSON.stringify({ queue: figures }, null, 2)}\n` : `\n${queueText(figures)}`
}

const inFlightOutcome = async (options: Options, cleanup: Cleanup, log: (line: string) => void): Promise<string> => {
  const figures = await measureProcesses(options, cleanup, log)
  return options.json ? `${JSON.stringify(figures, null, 2)}\n` : `\n${processText(figures)}`
}

const outcomeOf = ({ events, galera, others, console: pages, inFlight, senders, batches, queue }: Options): typeof benchOutcome => {
  if (galera) return galeraOutcome
  if (others) return othersOutcome
  if (inFlight) return inFlightOutcome
  if (senders) return sendersOutcome
  if (batches) return batchesOutcome
  if (queue) return queueOutcome
  if (events) return eventsOutcome
  return pages ? consoleOutcome : benchOutcome
}

const run = async (): Promise<void> => {
  process.setMaxListeners(MAX_CHILDREN)
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') return void process.stdout.write(USAGE)
  const cleanup = makeCleanup()
  const interrupted = new Promise<'interrupted'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('interrupted'))
  })
  try {
    const log = (line: string): void => void process.stderr.write(`${line}\n`)
    const outcome = await Promise.race([outcomeOf(options)(options, cleanup, log), interrupted])
    if (outcome === 'interrupted') {
      process.exitCode = INTERRUPTED
      return
    }
    process.stdout.write(outcome)
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
