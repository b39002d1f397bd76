import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import { type Instant, SECOND_MS } from '../../core/kernel/time.js'
import { causeOf } from './cause.js'
import { makeRepeatedJob } from './repeated-job.js'
import { version } from './version.js'

/** Notes in the database that this process is alive; `stop` takes the note back. */
export type HeartbeatJob = { readonly start: () => void; readonly stop: () => Promise<void> }

export type HeartbeatJobDeps = {
  readonly gateways: KnexStorage['gateways']
  /** When this process last ended a pass of reconciliation. */
  readonly reconciledAt: () => Instant | undefined
  readonly log: Log
}

/** The pause between two notes, in milliseconds. */
export const HEARTBEAT_MS = 10 * SECOND_MS

/** Makes the job of this process. */
export const makeHeartbeatJob = ({ gateways, reconciledAt, log }: HeartbeatJobDeps): HeartbeatJob => {
  const process = { id: randomUUID(), version: version(), host: hostname(), pid: globalThis.process.pid, startedAt: Date.now() }
  const onFailure = (cause: unknown): void => log('error', 'heartbeat_failed', { cause: causeOf(cause) })
  const job = makeRepeatedJob({ pass: () => gateways.note({ ...process, reconciledAt: reconciledAt() }), everyMs: HEARTBEAT_MS, onFailure })
  return {
    start: job.start,
    stop: async () => {
      await job.stop()
      await gateways.remove(process.id).catch(onFailure)
    },
  }
}
