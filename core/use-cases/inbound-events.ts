import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { countedIdOf, type CustomerIds } from '../customer.js'
import type { Along } from '../event.js'
import { messageReceived, windowOpened, type ReceivedMessage } from '../event-data.js'
import type { RecordedInbound, WindowClock } from '../ports/window-clock.js'
import { isOpen, lastInboundOf, type WindowDeps } from '../window.js'
import type { WorkspaceId } from '../workspace.js'
import { alongAnyway, isHeard, type EventDeps } from './event-deps.js'

/** What making the events of an inbound message needs. */
export type InboundEventsDeps = EventDeps & WindowDeps & { readonly windowClock: Pick<WindowClock, 'now'> }

/**
 * What makes the events of an inbound message: that it was received, where it is given, and that it opened the window.
 *
 * The write knows only when the customer wrote under the id for which the message counts, so the other ids are looked up before it. If that
 * fails, the event of the window may be one too many.
 */
export const alongInbound = async (
  deps: InboundEventsDeps, workspace: WorkspaceId, customer: CustomerIds, received?: ReceivedMessage,
): Promise<Along<RecordedInbound> | undefined> => {
  const { events, windowClock } = deps
  const id = countedIdOf(customer)
  if (events === undefined || id === undefined || !(await isHeard(events, workspace))) return undefined
  const now = windowClock.now()
  const found = await lastInboundOf(deps, workspace, id, (lastInbound) => isOpen(now, lastInbound))()
  const window = { workspace, id, now, before: E.isRight(found) ? found.right : O.none }
  const message = received === undefined ? [] : [messageReceived(workspace, received)]
  return alongAnyway(events, (recorded) => [...message, ...windowOpened(window, recorded)])
}
