import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  learnFact, NOTHING_KNOWN, recordKeyOf, type CustomerFact, type CustomerId, type Customers, type IdRecord, type KnownId, type PortFailure, type WorkspaceId,
  type Along, type AlongEntry, type LearnedFact,
} from '../../../core/ports/customers.js'

export const customers = (records: Map<CustomerId, IdRecord>): Customers => ({
  find: (_workspace: WorkspaceId, id: CustomerId): TE.TaskEither<PortFailure, KnownId> =>
    TE.right({ own: records.get(recordKeyOf(id)) ?? NOTHING_KNOWN, other: NOTHING_KNOWN }),
  learn: (_workspace: WorkspaceId, id: CustomerId, fact: CustomerFact): TE.TaskEither<PortFailure, void> =>
    TE.fromIO(() => void records.set(id, learnFact(records.get(id) ?? NOTHING_KNOWN, fact))),
  hasOptedOut: (_workspace: WorkspaceId): TE.TaskEither<PortFailure, boolean> =>
    TE.fromIO(() => [...records.values()].some(({ optedOut }) => optedOut === true)),
})

/** The events of a write, made of its outcome. */
export const eventsAlong = (along: Along<LearnedFact>, outcome: LearnedFact): ReadonlyArray<AlongEntry> => along(outcome)
