import type { Log } from '../../adapters/koa/index.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'

const PAUSE_MS = 60 * SECOND_MS

type Level = Parameters<Log>[0]
type Fields = Parameters<Log>[2]

/** Logs a frequent event: the first immediately, then at most one line per pause (a minute by default) with the number of events since the last line. */
export const logAtIntervals = (
  log: Log, now: () => Instant, level: Level, event: string, pauseMs = PAUSE_MS,
): ((fields: Fields) => void) => {
  let count = 0
  let silentUntil = 0
  return (fields) => {
    count += 1
    if (now() < silentUntil) return
    log(level, event, { count, ...fields })
    count = 0
    silentUntil = now() + pauseMs
  }
}

/**
 * Logs sends that did not start or did not reach the platform: the first immediately, then at most one line a second for each cause.
 *
 * `count` is the number of sends since the previous line. Every send also has its own `request` line. Other events are passed on.
 */
export const logRefusedSends = (log: Log, now: () => Instant): Log => {
  const ofKinds = new Map<string, (fields: Fields) => void>()
  return (level, event, fields) => {
    if (event !== 'platform_unreachable') return log(level, event, fields)
    const kind = kindOf(fields)
    const logKind = ofKinds.get(kind) ?? logAtIntervals(log, now, level, event, SECOND_MS)
    ofKinds.set(kind, logKind)
    logKind(fields)
  }
}

/** The first word of a cause's message: the client library's code if there is one. The numbers after it may change with each line. */
const kindOf = ({ cause }: Fields): string => (typeof cause === 'object' ? cause.message.split(' ', 1)[0] ?? '' : '')
