import * as O from 'fp-ts/lib/Option.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import type { Instant } from '../../core/kernel/time.js'
import {
  type Heartbeat, heldStart, heldStartOf, INSTALLATION_KEPT_MS, isBeatDue, type QueueHold, type QueueHolds, type SeenInstallation,
} from '../../core/messages/queue-holds.js'
import { type EventState, storeEvents } from './events.js'
import { infallible } from './kernel.js'

/** The holds by workspace, that of every workspace under an empty text, and when each installation last sent the queue. */
export type HoldState = { readonly holds: Map<WorkspaceId | '', QueueHold>; readonly seen: Map<string, Instant> }

/** The empty state. */
export const openHoldState = (): HoldState => ({ holds: new Map(), seen: new Map() })

/** The holds of the queue, in memory; `isEmpty` determines whether no message is queued. */
export const makeMemoryQueueHolds = ({ holds, seen }: HoldState, events: EventState, isEmpty: () => boolean): QueueHolds => {
  const list = (): ReadonlyArray<QueueHold> =>
    [...holds.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, hold]) => hold)
  const startHold = (beat: Heartbeat): QueueHold | undefined => {
    const installations = Array.from(seen, ([installation, seenAt]): SeenInstallation => ({ installation, seenAt }))
    if (!isBeatDue(installations, beat)) return undefined
    const why = heldStartOf(installations, beat)
    seen.set(beat.installation, beat.at)
    for (const { installation, seenAt } of installations) {
      if (installation !== beat.installation && seenAt < beat.at - INSTALLATION_KEPT_MS) seen.delete(installation)
    }
    return why === undefined || holds.has('') || isEmpty() ? undefined : heldStart(why, beat.at)
  }
  return {
    list: () => infallible(list),
    hold: (hold, outboxEntries) => infallible(() => {
      const known = holds.get('') ?? holds.get(hold.workspace ?? '')
      if (known !== undefined) return { hold: known, isNew: false }
      holds.set(hold.workspace ?? '', hold)
      if (outboxEntries !== undefined) storeEvents(events, outboxEntries(hold))
      return { hold, isNew: true }
    }),
    resume: (workspace, outboxEntries) => infallible(() => {
      const hold = holds.get(workspace ?? '')
      if (hold === undefined) return O.none
      holds.delete(workspace ?? '')
      if (outboxEntries !== undefined) storeEvents(events, outboxEntries(hold))
      return O.some(hold)
    }),
    heartbeat: (beat, outboxEntries) => infallible(() => {
      const added = startHold(beat)
      if (added !== undefined) {
        holds.set('', added)
        if (outboxEntries !== undefined) storeEvents(events, outboxEntries(added))
      }
      return { holds: list(), isNew: added !== undefined }
    }),
  }
}
