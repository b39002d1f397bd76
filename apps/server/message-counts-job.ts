import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import { MINUTE_MS, SECOND_MS } from '../../core/time.js'
import type { RollUpMessages } from '../../core/use-cases/roll-up-messages.js'
import { causeOf } from './cause.js'
import { makeLeases } from './leases.js'
import { makeRepeatedJob } from './repeated-job.js'

/** Counts messages for the console's overview. */
export type MessageCountsJob = {
  readonly start: () => void
  /** Begins no more buckets, and waits for the one that is under way. */
  readonly stop: () => Promise<void>
}

export type MessageCountsJobDeps = {
  readonly rollUp: RollUpMessages
  readonly lease: KnexStorage['lease']
  readonly log: Log
  /** The pause between two passes, in milliseconds; 15 seconds by default. */
  readonly everyMs?: number
}

const LEASE = 'message-counts'
const LEASE_MS = 5 * MINUTE_MS

/** How long a pass begins new buckets. */
const PASS_MS = 2 * SECOND_MS

/**
 * After a pass the database rests for so many times as long as the pass took; less while much is left to count. On SQLite a pass takes the processor
 * from the sends, and at thousands of sends a second it counts hundreds of thousands of messages: so it costs them a hundredth.
 */
const REST = 100
const SHORT_REST = 2

/** Makes the job. Of all gateways on one database, only the one that holds the lease counts; two at once would be safe as well. */
export const makeMessageCountsJob = ({ rollUp, lease, log, everyMs = 15 * SECOND_MS }: MessageCountsJobDeps): MessageCountsJob => {
  const leases = makeLeases(lease)
  let hasEnded = false
  let restsUntil = 0

  const pass = async (): Promise<void> => {
    const begunAt = performance.now()
    if (begunAt < restsUntil || !(await leases.take(LEASE, LEASE_MS))) return
    const result = await rollUp(async () => !hasEnded && performance.now() - begunAt < PASS_MS)()
    if (E.isLeft(result)) throw result.left.cause
    const tookMs = performance.now() - begunAt
    if (result.right.finished) restsUntil = begunAt + REST * tookMs
    else job.hasten(SHORT_REST * tookMs)
    if (result.right.messages > 0) log('debug', 'messages_counted', { count: result.right.messages, duration_ms: Math.round(tookMs) })
  }

  const job = makeRepeatedJob({ pass, everyMs, onFailure: (error) => log('error', 'message_counts_failed', { cause: causeOf(error) }) })
  return {
    start: job.start,
    stop: async () => {
      hasEnded = true
      await job.stop()
      await leases.release(LEASE)
    },
  }
}
