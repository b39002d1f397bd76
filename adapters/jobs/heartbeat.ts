import * as E from 'fp-ts/lib/Either.js'
import { attempt, portFailure } from '../../core/kernel/failure.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'
import type { JobReports, RunningJob } from './job.js'
import { makeLoop } from './loop.js'

/** What an app notes of itself where others can see it. */
export type Presence = {
  /** Notes that the process is alive, and when it last ended a pass of reconciliation. */
  readonly note: (reconciledAt: Instant | undefined) => Promise<void>
  /** Takes the note back. */
  readonly remove: () => Promise<void>
}

/** The pause between two signs of life, in milliseconds. */
export const HEARTBEAT_MS = 10 * SECOND_MS

/** Notes that this process is alive; its stop takes the note back. */
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
