import type { KnexStorage } from '../../adapters/knex/index.js'
import { MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import { causeOf } from './cause.js'
import { makeLeases } from './leases.js'
import { makeRepeatedJob } from './repeated-job.js'
import { makeTemplateSync, type TemplateSyncDeps } from './template-sync.js'

/** The job that reads the platform's lists of templates. */
export type TemplateSyncJob = {
  readonly start: () => void
  /** Has the list of an account read soon, since the platform has reported a change; once a minute at most. */
  readonly syncSoon: (accountId: string) => void
  /** Begins to read no more lists, and waits a limited time for those under way. */
  readonly stop: () => Promise<void>
  /** Waits for what is still under way after `stop`; it ends once the transport is closed. */
  readonly idle: () => Promise<void>
}

export type TemplateSyncJobDeps = Omit<TemplateSyncDeps, 'leases' | 'now'> & { readonly lease: KnexStorage['lease'] }

/** After this pause at most, new senders are seen. */
const LONGEST_PAUSE_MS = MINUTE_MS

/** How soon after a report of the platform; reports of many templates come together. */
const SOON_MS = SECOND_MS

/** How long `stop` waits, in milliseconds. */
const STOP_MS = 2 * SECOND_MS

/** Makes the job; it reads nothing before it is started, and nothing at all if `everyMs` is 0. */
export const makeTemplateSyncJob = ({ lease, ...deps }: TemplateSyncJobDeps): TemplateSyncJob => {
  if (deps.everyMs === 0) return { start: () => undefined, syncSoon: () => undefined, stop: () => Promise.resolve(), idle: () => Promise.resolve() }
  const sync = makeTemplateSync({ ...deps, leases: makeLeases(lease), now: Date.now })
  const job = makeRepeatedJob({
    pass: async () => job.hasten(Math.max(SOON_MS, await sync.pass())),
    everyMs: LONGEST_PAUSE_MS,
    onFailure: (error) => deps.log('error', 'template_sync_failed', { cause: causeOf(error) }),
  })
  return {
    start: job.start,
    syncSoon: (accountId) => {
      if (sync.want(accountId)) job.hasten(SOON_MS)
    },
    stop: () => {
      sync.end()
      return job.stop(STOP_MS)
    },
    idle: () => job.stop(),
  }
}
