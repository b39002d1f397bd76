import type { Log } from '../../adapters/koa/index.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'

const PAUSE_MS = 60 * SECOND_MS

type Level = Parameters<Log>[0]
type Fields = Parameters<Log>[2]

/** Logs an event that may come very often: the first at once, then one line a minute at most, with how many there were since the last line. */
export const logAtIntervals = (log: Log, now: () => Instant, level: Level, event: string): ((fields: Fields) => void) => {
  let count = 0
  let silentUntil = 0
  return (fields) => {
    count += 1
    if (now() < silentUntil) return
    log(level, event, { count, ...fields })
    count = 0
    silentUntil = now() + PAUSE_MS
  }
}
