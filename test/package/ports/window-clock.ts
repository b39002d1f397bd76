import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Instant, PhoneNumber, PortFailure, WindowClock, WorkspaceId } from '../../../core/ports/window-clock.js'

export const windowClock = (inbound: Map<PhoneNumber, Instant>): WindowClock => ({
  now: (): Instant => 0,
  lastInbound: (_workspace: WorkspaceId, customer: PhoneNumber): TE.TaskEither<PortFailure, O.Option<Instant>> =>
    TE.right(O.fromNullable(inbound.get(customer))),
  recordInbound: (_workspace: WorkspaceId, customer: PhoneNumber, at: Instant, statedAt?: Instant): TE.TaskEither<PortFailure, void> =>
    TE.fromIO(() => void inbound.set(customer, Math.min(at, statedAt ?? at))),
})
