import * as O from 'fp-ts/lib/Option.js'
import type { Instant, PhoneNumber, WindowClock, WorkspaceId } from '../../core/ports/window-clock.js'
import { surely } from './task.js'

/** The windows in memory, by the clock that is given. */
export const makeMemoryWindowClock = (now: () => Instant): WindowClock => {
  const lastInbound = new Map<string, Instant>()
  return {
    now,
    lastInbound: (workspace, customer) => surely(() => O.fromNullable(lastInbound.get(nameOf(workspace, customer)))),
    recordInbound: (workspace, customer, at) =>
      surely(() => {
        const name = nameOf(workspace, customer)
        lastInbound.set(name, Math.max(at, lastInbound.get(name) ?? at))
      }),
  }
}

const nameOf = (workspace: WorkspaceId, customer: PhoneNumber): string => `${workspace} ${customer}`
