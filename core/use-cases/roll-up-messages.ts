import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PortFailure } from '../errors.js'
import { bucketSpan, type BucketWidth } from '../message-statistics.js'
import type { MessageStatistics } from '../ports/message-statistics.js'
import { firstProgress, KEPT_MS, nextDue, presentBuckets, type DueBucket, type Note } from '../roll-up-schedule.js'
import type { Clock } from '../time.js'

/**
 * Counts again the messages of the present and of the buckets that are due, one bucket after the other, for as long as `goOn` allows.
 *
 * A round's progress is noted after its bucket, so a bucket that was interrupted is counted again from the beginning.
 */
export type RollUpMessages = (goOn: () => Promise<boolean>) => TaskEither<PortFailure, RolledUp>
/** How many messages were counted, some of them more than once, and whether other buckets are due. */
export type RolledUp = { readonly messages: number; readonly finished: boolean }
/** What rolling messages up needs. */
export type RollUpMessagesDeps = { readonly messageStatistics: MessageStatistics; readonly now: Clock }

/** Makes the roll-up. */
export const makeRollUpMessages = (deps: RollUpMessagesDeps): RollUpMessages => (goOn) => async () => {
  const { messageStatistics, now } = deps
  const read = await messageStatistics.progress()()
  if (E.isLeft(read)) return read
  const progress = new Map(read.right)
  const write = async ({ round, at }: Note): Promise<E.Either<PortFailure, void>> => {
    progress.set(round, at)
    return messageStatistics.noteProgress(round, at)()
  }
  for (const first of firstProgress(progress, now())) {
    const noted = await write(first)
    if (E.isLeft(noted)) return noted
  }
  let messages = 0
  const present = presentBuckets(now())
  for (let index = 0; ; index += 1) {
    const due = present[index] ?? nextDue(progress, now())
    if (due === undefined) return E.map(() => ({ messages, finished: true }))(await removeOld(deps))
    if (!(await goOn())) return E.right({ messages, finished: false })
    const skipped = await skip(deps, due)
    if (E.isLeft(skipped)) return skipped
    const counted = skipped.right === undefined ? await countBucket(deps, due) : E.right(0)
    if (E.isLeft(counted)) return counted
    messages += counted.right
    const note = skipped.right ?? due.note
    const noted = note === undefined ? E.right(undefined) : await write(note)
    if (E.isLeft(noted)) return noted
  }
}

/** What to note if there were no messages for long, so that a database without messages needs no step for each of its hours. */
const skip = async ({ messageStatistics }: RollUpMessagesDeps, { skips }: DueBucket): Promise<E.Either<PortFailure, Note | undefined>> => {
  for (const { span, note } of skips) {
    const found = await messageStatistics.workspacesWith(span, { limit: 1 })()
    if (E.isLeft(found)) return found
    if (found.right.items.length === 0) return E.right(note)
  }
  return E.right(undefined)
}

const WORKSPACES_AT_ONCE = 500

const countBucket = async ({ messageStatistics }: RollUpMessagesDeps, { width, start }: DueBucket): Promise<E.Either<PortFailure, number>> => {
  let messages = 0
  let cursor: string | undefined
  do {
    const found = await messageStatistics.workspacesWith(bucketSpan(width, start), { limit: WORKSPACES_AT_ONCE, ...(cursor !== undefined && { cursor }) })()
    if (E.isLeft(found)) return found
    for (const workspace of found.right.items) {
      const counted = await messageStatistics.recount(workspace, width, start)()
      if (E.isLeft(counted)) return counted
      messages += counted.right
    }
    cursor = found.right.next
  } while (cursor !== undefined)
  return E.right(messages)
}

const WIDTHS = Object.keys(KEPT_MS) as ReadonlyArray<BucketWidth>

const removeOld = async ({ messageStatistics, now }: RollUpMessagesDeps): Promise<E.Either<PortFailure, void>> => {
  for (const width of WIDTHS) {
    for (;;) {
      const removed = await messageStatistics.removeOld(width, now() - KEPT_MS[width])()
      if (E.isLeft(removed)) return removed
      if (removed.right === 0) break
    }
  }
  return E.right(undefined)
}
