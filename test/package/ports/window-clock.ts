import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { CustomerId, CustomerIds, Instant, PhoneNumber, PortFailure, WindowClock, WorkspaceId, Along, AlongEntry, RecordedInbound } from '../../../core/ports/window-clock.js'

const ZURICH = '41443332211' as PhoneNumber

export const windowClock = (inbound: Map<CustomerId, Instant>): WindowClock => ({
  now: (): Instant => 0,
  lastInbound: (_workspace: WorkspaceId, customer: CustomerId): TE.TaskEither<PortFailure, O.Option<Instant>> =>
    TE.right(O.fromNullable(inbound.get(customer))),
  recordInbound: (_workspace: WorkspaceId, { phoneNumber, userId }: CustomerIds, at: Instant, statedAt?: Instant): TE.TaskEither<PortFailure, void> =>
    TE.fromIO(() => void inbound.set(userId ?? phoneNumber ?? ZURICH, Math.min(at, statedAt ?? at))),
})

/** The events of a write, made of its outcome. */
export const eventsAlong = (along: Along<RecordedInbound>, outcome: RecordedInbound): ReadonlyArray<AlongEntry> => along(outcome)
