import type { Log } from './log.js'
import type { IgnoredItems } from './webhook.js'

/** The most kinds that are remembered, and so logged. */
const MOST_KINDS = 1_000

/** Logs what notifications bring and nothing uses: each kind once, since the platform may bring it in every notification. */
export const makeIgnoredLog = (log: Log): ((items: IgnoredItems, requestId: string) => void) => {
  const logged = new Set<string>()
  return ({ field, reason, count }, requestId) => {
    const kind = `${field} ${reason}`
    if (logged.has(kind) || logged.size >= MOST_KINDS) return
    logged.add(kind)
    log('info', 'notification_items_ignored', { request_id: requestId, field, reason, count })
  }
}
