import { type CustomerId, type IdRecord, learnFact, NOTHING_KNOWN, recordKeyOf } from '../../core/customers/customer.js'
import type { Customers } from '../../core/customers/learn.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { infallible } from './task.js'

/** What is known of customers, in memory; a record's name is its workspace, a space and its key. */
export const makeMemoryCustomers = (events: EventState = openEventState(), records = new Map<string, IdRecord>()): Customers => {
  const recordOf = (workspace: WorkspaceId, id: CustomerId): IdRecord => records.get(nameOf(workspace, id)) ?? NOTHING_KNOWN
  return {
    find: (workspace, id) =>
      infallible(() => {
        const own = recordOf(workspace, id)
        return { own, other: own.other === undefined ? NOTHING_KNOWN : recordOf(workspace, own.other) }
      }),
    learn: (workspace, id, fact, along) =>
      infallible(() => {
        const before = recordOf(workspace, id)
        const after = learnFact(before, fact)
        if (after === before) return
        if (along !== undefined) storeEvents(events, along({ before, after }))
        records.set(nameOf(workspace, id), after)
      }),
    hasOptedOut: (workspace) =>
      infallible(() => [...records].some(([name, { optedOut }]) => optedOut === true && name.startsWith(`${workspace} `))),
  }
}

const nameOf = (workspace: WorkspaceId, id: CustomerId): string => `${workspace} ${recordKeyOf(id)}`
