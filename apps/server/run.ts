// Once, at the server's entry, so that an operator's own adapter classes may use inversify's decorators; ours need none.
import 'reflect-metadata'
import cluster from 'node:cluster'
import * as E from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import type { RateCard } from '../../core/rate-card.js'
import { causeOf } from './cause.js'
import { readConfig, type Config, type Env } from './config.js'
import { makeLog } from './log.js'
import { loadRateCard } from './rate-card.js'
import { serve } from './serve.js'
import { startWorkers, STOP } from './workers.js'

const DONE = 0
const FAILED = 1

/** Runs the gateway with an environment until a signal stops it; ends the process with 0 then, and with 1 where it cannot start. */
export const run = async (env: Env): Promise<void> => {
  const config = readConfig(env)
  if (E.isLeft(config)) return fail(config.left)
  const card = await loadRateCard(config.right.rateCard)
  if (E.isLeft(card)) return fail(card.left)
  const log = makeLog(config.right.logLevel)
  try {
    if (config.right.workers === 1) await runAlone(config.right, card.right, log)
    else if (cluster.isPrimary) await runSupervisor(config.right, log)
    else await runWorker(config.right, card.right, log)
  } catch (error) {
    fail([causeOf(error).message])
  }
}

const runAlone = async (config: Config, card: RateCard, log: Logger): Promise<void> => {
  const gateway = await serve(config, card, log)
  onSignals(() => leaveAfter(gateway.stop()), () => process.exit(FAILED))
}

const runSupervisor = async (config: Config, log: Logger): Promise<void> => {
  const workers = await startWorkers(config, log)
  onSignals(() => leaveAfter(workers.stop()), () => {
    workers.kill()
    process.exit(FAILED)
  })
}

/** A worker may be told several times, by its supervisor and by a signal to all processes; it stops once. */
const runWorker = async (config: Config, card: RateCard, log: Logger): Promise<void> => {
  const gateway = await serve(config, card, log)
  let stopping = false
  const stop = (): void => {
    if (!stopping) leaveAfter(gateway.stop())
    stopping = true
  }
  onSignals(stop, stop)
  process.on('message', (message) => { if (message === STOP) stop() })
}

/** The first signal stops with care, a second one at once. */
const onSignals = (first: () => void, second: () => void): void => {
  let signals = 0
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => (signals++ === 0 ? first() : second()))
}

const leaveAfter = (stop: Promise<void>): void => {
  stop.then(() => process.exit(DONE), (error: unknown) => fail([causeOf(error).message]))
}

const fail = (sentences: ReadonlyArray<string>): void => {
  for (const sentence of sentences) process.stderr.write(`postern: ${sentence}\n`)
  process.exit(FAILED)
}
