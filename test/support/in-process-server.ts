import * as E from 'fp-ts/lib/Either.js'
import { readConfig } from '../../apps/server/config.js'
import { makeLog } from '../../apps/server/log.js'
import { loadRateCards } from '../../apps/server/rate-card.js'
import { type Gateway, serve } from '../../apps/server/serve.js'
import type { Env } from './postern.js'
import { rightOf } from './right-of.js'
import type { LogLine } from './server-process.js'

/** A gateway in this process. */
export type InProcessServer = Gateway & {
  /** The log so far, one line per event. */
  readonly log: () => ReadonlyArray<LogLine>
}

/** Starts the server of `postern serve` in this process and, if `PORT` is not given, on a free port. Its senders have no limit, unless a test gives them one. */
export const serveInProcess = async (env: Env): Promise<InProcessServer> => {
  const config = readConfig({ PORT: '0', PAIR_LIMIT: 'off', SENDER_LIMIT: 'off', PORTFOLIO_LIMIT: 'off', ...env })
  if (E.isLeft(config)) throw new Error(config.left.join(' '))
  const lines: LogLine[] = []
  const log = makeLog(config.right.logLevel, { write: (line) => void lines.push(JSON.parse(line) as LogLine) })
  const gateway = await serve(config.right, rightOf(await loadRateCards(config.right.rateCard)), log)
  let stopped: Promise<void> | undefined
  // A test may have stopped it before its fixture does.
  return { ...gateway, log: () => lines, stop: () => (stopped ??= gateway.stop()) }
}
