import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import { HOUR_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { Forgotten, RunRetention } from '../../core/privacy.js'
import { causeOf } from './cause.js'
import { type LeasedJob, makeLeasedJob, type Turn } from './leased-job.js'

/** Forgets people in what is older than the operator wants it to be; does nothing where everything is kept. `stop` waits for the step that is under way. */
export type RetentionJob = Pick<LeasedJob, 'start' | 'stop'>

export type RetentionJobDeps = {
  readonly runRetention: RunRetention
  readonly lease: KnexStorage['lease']
  /** Counts what a run has forgotten. */
  readonly countForgotten: (forgotten: Forgotten) => void
  readonly log: Log
  /** How long people are remembered, in milliseconds; `undefined`: for ever. */
  readonly retentionMs: number | undefined
  /** The pause between two looks at whether a run is due, in milliseconds; an hour by default. */
  readonly everyMs?: number
}

/** After a whole run its gateway keeps the lease for so long, so that no gateway that is started reads every record again. */
const REST_MS = 23 * HOUR_MS

/** How often a long run says in the log how far it has come. */
const PROGRESS_MS = 30 * SECOND_MS

/** Makes the job. */
export const makeRetentionJob = ({ runRetention, lease, countForgotten, log, retentionMs, everyMs = HOUR_MS }: RetentionJobDeps): RetentionJob => {
  if (retentionMs === undefined) return { start: () => undefined, stop: () => Promise.resolve() }
  let restsUntil = 0

  const pass = async ({ hasEnded, renew, keepFor }: Turn): Promise<void> => {
    let counted: Forgotten = { messages: 0, customers: 0, windows: 0 }
    let saidAt = Date.now()
    const note = (soFar: Forgotten): void => {
      const { messages, customers, windows } = soFar
      countForgotten({ messages: messages - counted.messages, customers: customers - counted.customers, windows: windows - counted.windows })
      counted = soFar
    }
    const run = await runRetention({
      before: Date.now() - retentionMs,
      goOn: async (soFar) => {
        note(soFar)
        if (Date.now() - saidAt > PROGRESS_MS) {
          saidAt = Date.now()
          log('info', 'retention_progress', soFar)
        }
        return !hasEnded() && renew()
      },
    })()
    if (E.isLeft(run)) throw run.left.cause
    note(run.right.forgotten)
    log('info', run.right.finished ? 'retention_run' : 'retention_interrupted', run.right.forgotten)
    if (run.right.finished && (await keepFor(REST_MS))) restsUntil = Date.now() + REST_MS
  }

  return makeLeasedJob({
    name: 'retention', lease, isDue: () => Date.now() >= restsUntil, pass, everyMs,
    onFailure: (error) => log('error', 'retention_failed', { cause: causeOf(error) }),
  })
}
