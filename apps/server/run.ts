import '../../adapters/knex/require-node.js'
// Loaded for adapters of an operator that use inversify's decorators; Postern's own code uses none.
import 'reflect-metadata'
import cluster from 'node:cluster'
import * as E from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { RateCards } from '../../core/money/rate-card.js'
import { type Config, type Env, readConfig, strangeVariables } from './config.js'
import { causeOf } from './package.js'
import { logOutput, makeLog } from './log.js'
import { limitHeapGrowth, listenForShutdown, requested, SHUTDOWN_MARGIN_MS, startedByNpm, WorkerFailed } from './process.js'
import { loadRateCards } from './rate-card.js'
import type { Gateway } from './serve.js'

const DONE = 0
const FAILED = 1
const FLUSH_MS = SECOND_MS

/** Runs the gateway until a signal stops it, then exits with status 0; exits with status 1 if the gateway cannot start. */
export const run = async (env: Env): Promise<void> => {
  const config = readConfig(env)
  if (E.isLeft(config)) return fail(config.left)
  const cards = await loadRateCards(config.right.rateCard)
  if (E.isLeft(cards)) return fail(cards.left)
  const output = logOutput(process.stdout)
  const log = makeLog(config.right.logLevel, output)
  process.once('exit', () => void output.flush(0))
  if (cluster.isPrimary) {
    for (const { name, meant } of strangeVariables(env)) log.warn({ name, ...(meant !== undefined && { meant }) }, 'unknown_variable')
  }
  try {
    if (config.right.workers > 1 && cluster.isPrimary) await runSupervisor(config.right, log)
    else await runGateway(config.right, cards.right, log)
  } catch (error) {
    fail(error instanceof WorkerFailed ? [] : [causeOf(error).message])
  }
  await output.flush(FLUSH_MS)
  process.exit(DONE)
}

const runGateway = async (config: Config, cards: RateCards, log: Logger): Promise<void> => {
  limitHeapGrowth()
  const shutdown = listenForShutdown({ deadlineMs: config.http.shutdownTimeoutMs + SHUTDOWN_MARGIN_MS })
  const { serve } = await import('./serve.js')
  const gateway = await serve(config, cards, log)
  if (cluster.isPrimary) hintAtNpm(log)
  // Of several workers, only the first prints the link.
  if (config.console.isServed && (cluster.worker?.id ?? 1) === 1) await sayFirstLink(config, gateway, log)
  await requested(shutdown)
  await gateway.stop()
}

/** On stderr, because the log on stdout may be stored where many people can read it. A database that does not respond now does not stop the gateway. */
const sayFirstLink = async ({ console: { publicUrl } }: Config, { url, postern }: Gateway, log: Logger): Promise<void> => {
  // A closed stderr must not stop the gateway.
  process.stderr.on('error', () => undefined)
  try {
    const { printFirstLink } = await import('./console.js')
    await printFirstLink({
      firstLink: postern.members.firstLink, publicUrl: publicUrl ?? url, print: (line) => { process.stderr.write(`${line}\n`) },
    })
  } catch (error) {
    log.warn({ cause: causeOf(error) }, 'first_link_failed')
  }
}

/** The supervisor's deadline is later than the workers', because it kills workers that do not stop before theirs. It loads none of the code that serves requests. */
const runSupervisor = async (config: Config, log: Logger): Promise<void> => {
  const { killWorkers, runWorkers } = await import('./workers.js')
  const deadlineMs = config.http.shutdownTimeoutMs + 2 * SHUTDOWN_MARGIN_MS
  const shutdown = listenForShutdown({ deadlineMs, beforeForcedEnd: killWorkers })
  hintAtNpm(log)
  await runWorkers(config, log, shutdown)
}

const hintAtNpm = (log: Logger): void => {
  if (startedByNpm()) log.warn({ run: `node ${process.argv[1] ?? 'dist/apps/cli/main.js'} serve` }, 'started_by_npm')
}

const fail = (sentences: ReadonlyArray<string>): never => {
  for (const sentence of sentences) process.stderr.write(`postern: ${sentence}\n`)
  return process.exit(FAILED)
}
