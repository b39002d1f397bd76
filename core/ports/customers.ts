import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { CustomerFact, CustomerId, IdRecord, KnownId } from '../customer.js'
import type { PortFailure } from '../errors.js'
import type { Along } from '../event.js'
import type { WorkspaceId } from '../workspace.js'

export { learnFact, NOTHING_KNOWN, recordKeyOf } from '../customer.js'
export type { CustomerFact, CustomerId, IdRecord, KnownId } from '../customer.js'
export type { PortFailure } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export type { WorkspaceId } from '../workspace.js'

/** What each workspace knows of its customers, a record for each of their ids. No workspace sees what another one knows. */
export interface Customers {
  /**
   * The record of an id, and the record of the id that it names as the other one; `NOTHING_KNOWN` for each that does not exist.
   *
   * Variants of one phone number have one record: `recordKeyOf` is the rule.
   */
  readonly find: (workspace: WorkspaceId, id: CustomerId) => TaskEither<PortFailure, KnownId>
  /**
   * Adds a fact to the record of an id; `learnFact` is the rule.
   *
   * A fact that is repeated, or late, changes nothing that a later one said. Concurrent facts leave the same record as the same facts one after the other.
   *
   * `along` is called where the fact changed the record, and its events are stored in the same step.
   */
  readonly learn: (workspace: WorkspaceId, id: CustomerId, fact: CustomerFact, along?: Along<LearnedFact>) => TaskEither<PortFailure, void>
  /**
   * Whether any customer of a workspace has stopped marketing messages, so that a send looks its customer up only where that matters.
   *
   * It is true as soon as a fact that says so was learned through this adapter. What another process learned may be seen two seconds later.
   */
  readonly hasOptedOut: (workspace: WorkspaceId) => TaskEither<PortFailure, boolean>
}

/** The record of an id before and after a fact. */
export type LearnedFact = { readonly before: IdRecord; readonly after: IdRecord }
