import * as O from 'fp-ts/lib/Option.js'
import type { CustomerId, Instant, WindowClock, WorkspaceId } from '../../core/ports/window-clock.js'
import { countedIdOf } from '../../core/customer.js'
import { markInbound, type InboundMark } from '../../core/window.js'
import { openEventState, storeEvents, type EventState } from './event-state.js'
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
