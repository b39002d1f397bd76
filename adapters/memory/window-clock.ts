import * as O from 'fp-ts/lib/Option.js'
import { countedIdOf, type CustomerId } from '../../core/customers/customer.js'
import { type InboundMark, markInbound, type WindowClock } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import { type EventState, openEventState, storeEvents } from './event-state.js'
import { infallible } from './task.js'

/** The windows in memory, by the clock that is given; a mark's name is its workspace, a space and the customer's id. */
export const makeMemoryWindowClock = (
  now: () => Instant, events: EventState = openEventState(), marks = new Map<string, InboundMark>(),
): WindowClock => {
  return {
    now,
    lastInbound: (workspace, customer) => infallible(() => O.fromNullable(marks.get(nameOf(workspace, customer))?.lastInbound)),
    recordInbound: (workspace, customer, at, statedAt, along) =>
      infallible(() => {
        const name = nameOf(workspace, countedIdOf(customer))
        const before = marks.get(name)
        const after = markInbound(before, at, statedAt)
        if (along !== undefined) storeEvents(events, along({ before: before?.lastInbound, lastInbound: after.lastInbound }))
        marks.set(name, after)
      }),
  }
}

const nameOf = (workspace: WorkspaceId, customer: CustomerId | undefined): string => `${workspace} ${customer}`
