import * as E from 'fp-ts/lib/Either.js'
import { attempt, portFailure } from '../../core/kernel/failure.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { JobReports, RunningJob } from './job.js'
import { makeLoop } from './loop.js'

/** What a process records about itself so that other processes can see it. */
export type Presence = {
  /** Records that the process is alive, and when it last finished a pass of reconciliation. */
  readonly note: (reconciledAt: Instant | undefined) => Promise<void>
  /** Removes the record. */
  readonly remove: () => Promise<void>
}

/** The pause between two heartbeats, in milliseconds. */
export const HEARTBEAT_MS = 10 * SECOND_MS

/** Records that this process is alive; its stop removes the record. */
export const heartbeat = ({ note, remove }: Presence, reconciledAt: () => Instant | undefined, { onFailure }: JobReports): RunningJob => {
  const failed = (error: unknown): void => { onFailure('heartbeat_failed', error) }
  const loop = makeLoop({ pass: async () => { await note(reconciledAt()) }, everyMs: HEARTBEAT_MS, onFailure: failed })
  return {
    start: loop.start,
    stop: async () => {
      await loop.stop()
      const removed = await attempt(remove, portFailure('Gateways'))
      if (E.isLeft(removed)) failed(removed.left.cause)
    },
  }
}
