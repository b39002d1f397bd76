import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import type { RollUpMessages } from '../../core/messages/statistics.js'
import { causeOf } from './cause.js'
import { type LeasedJob, makeLeasedJob, type Turn } from './leased-job.js'

/** Counts messages for the console's overview; `stop` begins no more buckets, and waits for the one that is under way. */
export type MessageCountsJob = Pick<LeasedJob, 'start' | 'stop'>

export type MessageCountsJobDeps = {
  readonly rollUp: RollUpMessages
  readonly lease: KnexStorage['lease']
  readonly log: Log
  /** The pause between two passes, in milliseconds; 15 seconds by default. */
  readonly everyMs?: number
}

/** How long a pass begins new buckets. */
const PASS_MS = 2 * SECOND_MS

/**
 * After a pass the database rests for so many times as long as the pass took; less while much is left to count. On SQLite a pass takes the processor
 * from the sends, and at thousands of sends a second it counts hundreds of thousands of messages: so it costs them a hundredth.
 */
const REST = 100
const SHORT_REST = 2

/** Makes the job. */
export const makeMessageCountsJob = ({ rollUp, lease, log, everyMs = 15 * SECOND_MS }: MessageCountsJobDeps): MessageCountsJob => {
  let restsUntil = 0

  const pass = async ({ hasEnded }: Turn): Promise<void> => {
    const begunAt = performance.now()
    const result = await rollUp(async () => !hasEnded() && performance.now() - begunAt < PASS_MS)()
    if (E.isLeft(result)) throw result.left.cause
    const tookMs = performance.now() - begunAt
    if (result.right.finished) restsUntil = begunAt + REST * tookMs
    else job.hasten(SHORT_REST * tookMs)
    if (result.right.messages > 0) log('debug', 'messages_counted', { count: result.right.messages, duration_ms: Math.round(tookMs) })
  }

  const job = makeLeasedJob({
    name: 'message-counts', lease, isDue: () => performance.now() >= restsUntil, pass, everyMs,
    onFailure: (error) => log('error', 'message_counts_failed', { cause: causeOf(error) }),
  })
  return job
}
