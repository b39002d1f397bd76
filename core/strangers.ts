import type { AuditLog } from './ports/audit-log.js'
import { DAY_MS, MINUTE_MS, type Clock } from './time.js'

/** How long the entries of people who could not sign in are kept: they name emails and addresses of people who never were here. */
export const STRANGERS_KEPT_MS = 90 * DAY_MS

/** So many of their entries are noted one by one in a minute. */
export const MOST_STRANGERS_A_MINUTE = 30

/**
 * The audit log for a gateway that strangers reach: beyond some in a minute, those who could not sign in are only counted, so that a flood does not fill
 * the database. The next entry of one says in `details.left_out` how many were left out before it.
 */
export const noteFewStrangers = ({ append }: Pick<AuditLog, 'append'>, now: Clock): Pick<AuditLog, 'append'> => {
  let [minute, noted, leftOut] = [0, 0, 0]
  return {
    append: (entries) => {
      const current = Math.floor(now() / MINUTE_MS)
      if (current !== minute) [minute, noted] = [current, 0]
      return append(entries.flatMap((entry) => {
        if (entry.by.type !== 'unknown') return [entry]
        if (noted >= MOST_STRANGERS_A_MINUTE) {
          leftOut += 1
          return []
        }
        const before = leftOut
        noted += 1
        leftOut = 0
        return [before === 0 ? entry : { ...entry, details: { ...entry.details, left_out: before } }]
      }))
    },
  }
}
