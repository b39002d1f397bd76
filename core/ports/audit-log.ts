import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { AuditEntry } from '../audit-entry.js'
import type { PortFailure } from '../errors.js'
import type { Page, PageQuery } from '../page.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export { auditIdOf, isAuditId } from '../audit-entry.js'
export type { AuditActor, AuditedAct, AuditEntry, AuditId } from '../audit-entry.js'
export type { PortFailure } from '../errors.js'
export type { Page, PageQuery } from '../page.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/**
 * Who did what. Entries are only ever added, and only those of strangers have an end. Most are stored with the write that they describe (`Along`); those of acts that wrote nothing,
 * such as a refusal, are appended here.
 */
export interface AuditLog {
  /** Stores entries, all or none. An entry whose id is stored already changes nothing. */
  readonly append: (entries: ReadonlyArray<AuditEntry>) => TaskEither<PortFailure, void>
  /**
   * Entries, newest first, by the order of their ids. A cursor continues where its page ended, even if entries were added since. The last page has no
   * next, even if it is full. An unknown cursor never fails.
   */
  readonly list: (query: AuditQuery) => TaskEither<PortFailure, Page<AuditEntry>>
  /** Deletes entries of people who could not sign in (`unknown`) from before a moment; at most `limit`. Right: how many. */
  readonly removeStrangers: (before: Instant, limit: number) => TaskEither<PortFailure, number>
}

/** Which entries are listed: with a workspace only those that concern it, from `since` on, before `until`; all where nothing is given. */
export type AuditQuery = PageQuery & {
  readonly workspace?: WorkspaceId
  readonly since?: Instant
  readonly until?: Instant
}
