import type { InboundMark } from '../../core/customers/window.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { pageOf } from '../../core/kernel/json.js'
import type { Instant } from '../../core/kernel/time.js'
import {
  BUCKET_MS, bucketSpan, bucketStart, type BucketWidth, countMessages, isInSpan, type MessageCount, type MessageStatistics, sumCounts, type TimeSpan,
} from '../../core/messages/statistics.js'
import type { WorkspaceMessages } from './message-log.js'
import { infallible } from './task.js'

/** What the statistics in memory are made from. */
export type CountedState = { readonly shelves: ReadonlyMap<WorkspaceId, WorkspaceMessages>; readonly marks: ReadonlyMap<string, InboundMark> }

/** The counts of one bucket; its name is the workspace, the width and the beginning. */
type Bucket = { readonly workspace: WorkspaceId; readonly width: BucketWidth; readonly start: Instant; readonly counts: ReadonlyArray<MessageCount> }

/** The statistics in memory, over the messages and the windows of a storage. */
export const makeMemoryMessageStatistics = ({ shelves, marks }: CountedState): MessageStatistics => {
  const buckets = new Map<string, Bucket>()
  const progress = new Map<string, Instant>()

  const replace = (bucket: Bucket): void => void buckets.set(`${bucket.workspace} ${bucket.width} ${bucket.start}`, bucket)
  const countsIn = (workspace: WorkspaceId, width: BucketWidth, { from, to }: TimeSpan): ReadonlyArray<MessageCount> =>
    [...buckets.values()].filter((bucket) => bucket.workspace === workspace && bucket.width === width && bucket.start >= from && bucket.start < to)
      .sort((a, b) => a.start - b.start).flatMap(({ counts }) => counts)
  const sumUp = (workspace: WorkspaceId, parts: BucketWidth, width: BucketWidth, at: Instant): void => {
    const start = bucketStart(width, at)
    replace({ workspace, width, start, counts: sumCounts(countsIn(workspace, parts, bucketSpan(width, start)).map((count) => ({ ...count, start }))) })
  }

  return {
    counts: (workspace, width, span) => infallible(() => countsIn(workspace, width, span)),
    recount: (workspace, width, start) => infallible(() => {
      const messages = [...shelves.get(workspace)?.records.values() ?? []].filter((message) => isInSpan(bucketSpan(width, start), message))
      replace({ workspace, width, start, counts: countMessages(start, messages) })
      if (width === '5m') sumUp(workspace, '5m', '1h', start)
      sumUp(workspace, '1h', '1d', start)
      return messages.length
    }),
    workspacesWith: (span, { cursor = '', limit }) => infallible(() => {
      const ids = [...shelves.entries()].filter(([id, { records }]) => id > cursor && [...records.values()].some((message) => isInSpan(span, message))).map(([id]) => id)
      return pageOf(ids.sort().slice(0, limit + 1), limit, (id) => id)
    }),
    removeOld: (width, before) => infallible(() => {
      const old = [...buckets].filter(([, bucket]) => bucket.width === width && bucket.start < before)
      const oldest = Math.min(...old.map(([, { start }]) => start))
      const removed = old.filter(([, { start }]) => start < oldest + BUCKET_MS[width])
      for (const [name] of removed) buckets.delete(name)
      return removed.reduce((sum, [, { counts }]) => sum + Math.max(1, counts.length), 0)
    }),
    progress: () => infallible(() => new Map(progress)),
    noteProgress: (name, at) => infallible(() => void progress.set(name, at)),
    openWindows: (workspace, after, limit) => infallible(() =>
      Math.min(limit, [...marks].filter(([name, { lastInbound }]) => name.startsWith(`${workspace} `) && lastInbound > after).length)),
  }
}
