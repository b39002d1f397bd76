import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import { causeOf } from './cause.js'
import { type LeasedJob, makeLeasedJob } from './leased-job.js'

/** Deletes what is no longer needed; `stop` waits for the step that is under way. */
export type RemovalJob = Pick<LeasedJob, 'start' | 'stop'>

export type RemovalJobOptions = {
  /** The name of its lease. */
  readonly name: string
  readonly lease: KnexStorage['lease']
  /** Deletes some and returns how many; none left: 0. */
  readonly removeSome: () => TE.TaskEither<PortFailure, number>
  readonly log: Log
  /** The log's event of a pass that deleted something, and that of one that failed. */
  readonly events: { readonly removed: string; readonly failed: string }
  /** The pause between two passes, in milliseconds. */
  readonly everyMs: number
}

/** One pass deletes no more than this many times, so that a large backlog does not keep the database busy for long. */
const MOST_STEPS = 50

/** After a pass that left some, the next one begins after a rest as long as the pass took, in milliseconds at least: else a flood would fill the database faster than this empties it. */
const SHORTEST_REST_MS = SECOND_MS

/** Makes the job. */
export const makeRemovalJob = ({ name, lease, removeSome, log, events, everyMs }: RemovalJobOptions): RemovalJob => {
  const job = makeLeasedJob({
    name, lease, everyMs,
    pass: async ({ hasEnded }) => {
      const begunAt = performance.now()
      let [removed, isMore] = [0, true]
      for (let step = 0; step < MOST_STEPS && isMore && !hasEnded(); step += 1) {
        const result = await removeSome()()
        if (E.isLeft(result)) throw result.left.cause
        removed += result.right
        isMore = result.right > 0
      }
      if (removed > 0) log('debug', events.removed, { count: removed })
      if (isMore) job.hasten(Math.max(SHORTEST_REST_MS, performance.now() - begunAt))
    },
    onFailure: (error) => log('error', events.failed, { cause: causeOf(error) }),
  })
  return job
}
