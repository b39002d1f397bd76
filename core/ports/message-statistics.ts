import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import type { BucketWidth, MessageCount, TimeSpan } from '../message-statistics.js'
import type { Page, PageQuery } from '../page.js'
import type { Instant } from '../time.js'
import type { WorkspaceId } from '../workspace.js'

export type { PortFailure } from '../errors.js'
export { BUCKET_MS, bucketSpan, bucketStart, chargedIn, countMessages, isInSpan, sumCounts } from '../message-statistics.js'
export { firstMessageIdAt } from '../message.js'
export type { BucketWidth, MessageCount, TimeSpan } from '../message-statistics.js'
export type { MessageRecord } from '../message-record.js'
export type { MessageState } from '../message-state.js'
export type { Page, PageQuery } from '../page.js'
export type { Category } from '../rate-card.js'
export type { Instant } from '../time.js'
export type { WorkspaceId } from '../workspace.js'

/**
 * The messages of the workspaces, counted in buckets of time, so that a read adds up some hundred rows however many messages there are.
 *
 * The counts are derived: all of them can be made again from the messages (`firstMessageIdAt` says where a message counts). A send writes none of them.
 */
export interface MessageStatistics {
  /** A workspace's counts in buckets that begin in a span, in the order of the buckets, as they were when each bucket was last counted. */
  readonly counts: (workspace: WorkspaceId, width: BucketWidth, span: TimeSpan) => TaskEither<PortFailure, ReadonlyArray<MessageCount>>
  /**
   * Counts the messages of one bucket, in steps that are short however many they are, and then replaces the bucket's counts in one step, with those of the wider
   * buckets around it, which become the sums of the buckets in them. Right: the number of messages.
   *
   * Without a change of a message, counting again changes nothing. Concurrent counts of one bucket leave what one of them has counted.
   */
  readonly recount: (workspace: WorkspaceId, width: '5m' | '1h', start: Instant) => TaskEither<PortFailure, number>
  /** The workspaces that have messages in a span, in pages by their ids. */
  readonly workspacesWith: (span: TimeSpan, query: PageQuery) => TaskEither<PortFailure, Page<WorkspaceId>>
  /** Removes some of the buckets of a width that begin before a moment, oldest first. Right: how many counts were removed; 0 if there are no more. */
  readonly removeOld: (width: BucketWidth, before: Instant) => TaskEither<PortFailure, number>
  /** How far each of the roll-up's rounds has come, by their names. */
  readonly progress: () => TaskEither<PortFailure, ReadonlyMap<string, Instant>>
  /** Notes how far a round has come. A name has at most 32 characters. */
  readonly noteProgress: (name: string, at: Instant) => TaskEither<PortFailure, void>
  /** How many customers have written to a workspace after a moment, by any of their ids, as `WindowClock.lastInbound` says; at most `limit`, however many there are. */
  readonly openWindows: (workspace: WorkspaceId, after: Instant, limit: number) => TaskEither<PortFailure, number>
}
