import type { AuditLog } from '../../core/access/acting.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { pageById } from './page.js'
import { infallible } from './task.js'

/** The audit log in memory. */
export const makeMemoryAuditLog = (state: EventState = openEventState()): AuditLog => ({
  append: (entries) => infallible(() => storeEvents(state, entries)),
  list: ({ workspace, since = -Infinity, until = Infinity, ...query }) =>
    infallible(() => {
      const wanted = [...state.auditEntries.values()].filter(
        (entry) => (workspace === undefined || entry.workspace === workspace) && entry.at >= since && entry.at < until,
      )
      return pageById(wanted, query, ({ id }) => id)
    }),
  removeStrangers: (before, limit) => infallible(() => {
    const found = [...state.auditEntries.values()].filter(({ by, at }) => by.type === 'unknown' && at < before).slice(0, limit)
    for (const { id } of found) state.auditEntries.delete(id)
    return found.length
  }),
})
