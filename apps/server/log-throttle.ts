import type { Log } from '../../adapters/koa/index.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'

const PAUSE_MS = 60 * SECOND_MS

type Level = Parameters<Log>[0]
type Fields = Parameters<Log>[2]

/** Logs an event that may come very often: the first at once, then one line a minute at most, unless another pause is given, with how many there were since the last line. */
export const logAtIntervals = (log: Log, now: () => Instant, level: Level, event: string, pauseMs = PAUSE_MS): ((fields: Fields) => void) => {
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
 * Logs sends that did not start or did not reach the platform: the first at once, then one line a second at most for each cause.
 *
 * `count` is the number of sends since the line before. Every send has a `request` line of its own besides. Other events are passed on.
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

/** The first word of a cause's message, which is the client library's code where there is one; the figures that follow may change with each line. */
const kindOf = ({ cause }: Fields): string => (typeof cause === 'object' ? cause.message.split(' ', 1)[0] ?? '' : '')
