import * as E from 'fp-ts/lib/Either.js'
import type { AuditLog } from '../../core/access/acting.js'
import { STRANGERS_KEPT_MS } from '../../core/access/audit.js'
import type { Sessions } from '../../core/access/members.js'
import { attempt, portFailure, type PortFailure } from '../../core/kernel/failure.js'
import { guardPort } from '../../core/kernel/guard.js'
import type { Leases } from '../../core/kernel/leases.js'
import type { EventOutbox } from '../../core/kernel/outbox.js'
import { HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { MessageContents } from '../../core/messages/kept-content.js'
import type { RollUpMessages } from '../../core/messages/statistics.js'
import type { Forgotten, RunRetention } from '../../core/privacy.js'
import type { RequestLog } from '../../core/requests/request-log.js'
import type { Reconcile } from '../../core/sending/reconcile.js'
import { makeLoop } from './loop.js'

/** The jobs that time brings about. Each but the sign of life is done by one holder of leases at a time. */
export type Upkeep = {
  /** Begins the first pass of each job. */
  readonly start: () => void
  /** Begins no more passes, waits for the steps that are under way, and releases the leases. */
  readonly stop: () => Promise<void>
}

/** What an app notes of itself where others can see it. */
export type Presence = {
  /** Notes that the process is alive, and when it last ended a pass of reconciliation. */
  readonly note: (reconciledAt: Instant | undefined) => Promise<void>
  /** Takes the note back. */
  readonly remove: () => Promise<void>
}

/** What jobs report. The events are named in snake case, as in a log. */
export type UpkeepReports = {
  /** Gets what a pass has done, in counts; and `…_waits_for_lease`, once, when another holder begins to do the job. */
  readonly log?: (level: 'debug' | 'info', event: string, counts: Readonly<Record<string, number>>) => void
  /** Gets what a pass failed with; the next one begins all the same. */
  readonly onFailure: (event: string, error: unknown) => void
  /** Gets what a run of retention has forgotten since the last call. */
  readonly onForgotten?: (forgotten: Forgotten) => void
}

/** What is kept up: use cases of `makePostern` and ports of a storage. A job is left out where what it needs is. */
export type UpkeepDeps = UpkeepReports & {
  readonly leases: Leases
  readonly reconcile?: Reconcile
  /** Removes expired idempotency keys, after each pass of reconciliation. */
  readonly removeExpiredClaims?: () => Promise<unknown>
  readonly eventOutbox?: Pick<EventOutbox, 'removeOld'>
  readonly messageContents?: Pick<MessageContents, 'removeOld'>
  readonly sessions?: Pick<Sessions, 'removeOld'>
  readonly auditLog?: Pick<AuditLog, 'removeStrangers'>
  readonly requestLog?: Pick<RequestLog, 'removeOld'>
  readonly runRetention?: RunRetention
  readonly rollUpMessages?: RollUpMessages
  readonly presence?: Presence
}

/** How often jobs run, and how long what they delete is kept, in milliseconds. */
export type UpkeepSettings = {
  /** The pause between two passes of reconciliation; half a minute by default. */
  readonly reconcileEveryMs?: number
  /** How long people are remembered, and events kept at most; for ever by default. */
  readonly retentionMs?: number | undefined
  /** How long events are kept; for ever by default. */
  readonly eventRetentionMs?: number
  /** How long what messages said is kept, where it is; for ever by default, and 0 removes what is left of it. */
  readonly contentRetentionMs?: number
  /** How long calls of the API are kept, where they are; for ever by default, and 0 removes what is left of them. */
  readonly requestRetentionMs?: number
}

/** What a job needs of it. */
type Needs<Part extends keyof UpkeepDeps> = UpkeepReports & Required<Pick<UpkeepDeps, Part>>

/** What a pass may ask for while it has the lease. */
export type LeasedPass = {
  /** Whether the job was stopped, so that the pass should end soon. */
  readonly hasEnded: () => boolean
  /** Renews the lease; `false` if another holder has it by now. */
  readonly renew: () => Promise<boolean>
  /** Keeps the lease for so many milliseconds, also if this process is stopped; `false` if another holder has it by now. */
  readonly keepFor: (ms: number) => Promise<boolean>
}

/** A job, as the table of jobs has it. */
export type Job = {
  /** The name of its lease. */
  readonly name: string
  /** How long a lease lasts, in milliseconds; five minutes by default. After a process dies, no other one does the job until it ends. */
  readonly leaseMs?: number
  /** The longest for which a pass keeps the lease, in milliseconds, if that is longer than any lease otherwise. */
  readonly longestLeaseMs?: number
  /** The pause between two passes, in milliseconds. */
  readonly everyMs: number
  /** The event of a pass that failed. */
  readonly failed: string
  /** One pass. Its answer is the pause after it, where that is not the usual one. */
  readonly pass: (leased: LeasedPass) => Promise<number | undefined>
}

/** What a port or a use case answered. Its failure is thrown, since the loop reports what a pass throws. */
const orThrow = <Value>(answer: E.Either<PortFailure, Value>): Value => {
  if (E.isLeft(answer)) throw answer.left.cause
  return answer.right
}

/** Runs a job. The lease saves work for the storage: two passes at once must be safe as well. */
export const runJob = ({ name, leaseMs = 5 * MINUTE_MS, longestLeaseMs, everyMs, failed, pass }: Job, { leases: given, log, onFailure }: Needs<'leases'>): Upkeep => {
  const leases = guardPort(given, portFailure('Leases'))
  let hasEnded = false
  let releases = false
  let isWaiting = false
  const take = async (ms: number): Promise<boolean> => {
    releases = orThrow(await leases.take(name, ms, longestLeaseMs))
    if (!releases && !isWaiting) log?.('info', `${name.replaceAll('-', '_')}_waits_for_lease`, {})
    isWaiting = !releases
    return releases
  }
  const leased: LeasedPass = {
    hasEnded: () => hasEnded,
    renew: () => take(leaseMs),
    keepFor: async (ms) => {
      const isKept = await take(ms)
      releases = false
      return isKept
    },
  }
  const loop = makeLoop({
    pass: async () => ((await take(leaseMs)) ? pass(leased) : undefined),
    everyMs,
    onFailure: (error) => { onFailure(failed, error) },
  })
  return {
    start: loop.start,
    stop: async () => {
      hasEnded = true
      await loop.stop()
      if (releases) await leases.release(name)
    },
  }
}

/** For how many pauses the lease of reconciliation lasts, and the longest in milliseconds. */
const LEASE_PAUSES = 4
const LONGEST_LEASE_MS = 5 * MINUTE_MS

/** Reconciles: at its start, since that may follow a crash, and then once after each pause. */
const reconciliation = (
  { reconcile, removeExpiredClaims, log, onFailure }: Needs<'reconcile'> & Pick<UpkeepDeps, 'removeExpiredClaims'>, everyMs: number, onPass: () => void,
): Job => ({
  name: 'reconcile', leaseMs: Math.min(LEASE_PAUSES * everyMs, LONGEST_LEASE_MS), everyMs, failed: 'reconcile_failed',
  pass: async () => {
    const outcome = await reconcile()
    if (E.isLeft(outcome)) onFailure('reconcile_failed', outcome.left.cause)
    else {
      if (Object.values(outcome.right).some((count) => count > 0)) log?.('info', 'reconciled', outcome.right)
      onPass()
    }
    await removeExpiredClaims?.()
    return undefined
  },
})

/** One pass deletes no more than this many times, so that a large backlog does not keep the storage busy for long. */
const MOST_STEPS = 50

/** After a pass that left some, the next one begins after a rest as long as the pass took, in milliseconds at least: else a flood would fill the storage faster than this empties it. */
const SHORTEST_REST_MS = SECOND_MS

/** Deletes what is no longer needed. `removeSome` answers how many it deleted, and 0 if none is left; the job's stop waits for it. */
const removal = (job: Omit<Job, 'pass'>, removed: string, { log }: UpkeepReports, removeSome: () => Promise<number>): Job => ({
  ...job,
  pass: async ({ hasEnded }) => {
    const begunAt = performance.now()
    let [count, isMore] = [0, true]
    for (let step = 0; step < MOST_STEPS && isMore && !hasEnded(); step += 1) {
      const some = await removeSome()
      count += some
      isMore = some > 0
    }
    if (count > 0) log?.('debug', removed, { count })
    return isMore ? Math.min(job.everyMs, Math.max(SHORTEST_REST_MS, performance.now() - begunAt)) : undefined
  },
})

/** Deletes old events, and what customers wrote once it is delivered everywhere. */
export const eventRetention = ({ eventOutbox, ...reports }: Needs<'eventOutbox'>, retentionMs: number, everyMs = MINUTE_MS): Job =>
  removal({ name: 'event-retention', everyMs, failed: 'event_retention_failed' }, 'old_events_removed', reports, async () => {
    const now = Date.now()
    return orThrow(await eventOutbox.removeOld(now - retentionMs, now))
  })

/** Deletes what messages said long ago. */
export const contentRetention = ({ messageContents, ...reports }: Needs<'messageContents'>, retentionMs: number, everyMs = 10 * MINUTE_MS): Job =>
  removal({ name: 'content-retention', everyMs, failed: 'content_retention_failed' }, 'old_contents_removed', reports, async () =>
    orThrow(await messageContents.removeOld(Date.now() - retentionMs)))

/** How many of each kind one step deletes. */
const BATCH = 500

/** Deletes calls of the API from long ago. */
export const requestRetention = ({ requestLog, ...reports }: Needs<'requestLog'>, retentionMs: number, everyMs = MINUTE_MS): Job =>
  removal({ name: 'request-retention', everyMs, failed: 'request_retention_failed' }, 'old_requests_removed', reports, async () =>
    orThrow(await requestLog.removeOld(Date.now() - retentionMs, BATCH)))

/** Deletes sessions, links and attempts to sign in that have ended, and old entries of people who could not sign in. */
export const accessCleanup = ({ sessions, auditLog, ...reports }: Needs<'auditLog' | 'sessions'>, everyMs = 10 * MINUTE_MS): Job =>
  removal({ name: 'access-cleanup', everyMs, failed: 'access_cleanup_failed' }, 'ended_access_removed', reports, async () =>
    orThrow(await sessions.removeOld(Date.now(), BATCH)) + orThrow(await auditLog.removeStrangers(Date.now() - STRANGERS_KEPT_MS, BATCH)))

/** After a whole run its process keeps the lease for so long, so that no process that is started reads every record again. */
const REST_MS = 23 * HOUR_MS

/** How often a long run says how far it has come. */
const PROGRESS_MS = 30 * SECOND_MS

/** Forgets people in what is older than the operator wants it to be, or tries again after an hour; the job's stop waits for the step that is under way. */
export const retention = ({ runRetention, log, onForgotten }: Needs<'runRetention'>, retentionMs: number, everyMs = HOUR_MS): Job => ({
  name: 'retention', longestLeaseMs: REST_MS, everyMs, failed: 'retention_failed',
  pass: async ({ hasEnded, renew, keepFor }) => {
    let counted: Forgotten = { messages: 0, customers: 0, windows: 0 }
    let saidAt = Date.now()
    const note = (soFar: Forgotten): void => {
      const { messages, customers, windows } = soFar
      onForgotten?.({ messages: messages - counted.messages, customers: customers - counted.customers, windows: windows - counted.windows })
      counted = soFar
    }
    const { forgotten, finished } = orThrow(await runRetention({
      before: Date.now() - retentionMs,
      goOn: async (soFar) => {
        note(soFar)
        if (Date.now() - saidAt > PROGRESS_MS) {
          saidAt = Date.now()
          log?.('info', 'retention_progress', soFar)
        }
        return !hasEnded() && renew()
      },
    }))
    note(forgotten)
    log?.('info', finished ? 'retention_run' : 'retention_interrupted', forgotten)
    return finished && (await keepFor(REST_MS)) ? REST_MS : undefined
  },
})

/** How long a pass begins new buckets. */
const PASS_MS = 2 * SECOND_MS

/**
 * After a pass the storage rests for so many times as long as the pass took; less while much is left to count. On SQLite a pass takes the processor
 * from the sends, and at thousands of sends a second it counts hundreds of thousands of messages: so it costs them a hundredth.
 */
const REST = 100
const SHORT_REST = 2

/** Counts messages for overviews; the job's stop begins no more buckets, and waits for the one that is under way. */
export const messageCounts = ({ rollUpMessages, log }: Needs<'rollUpMessages'>, everyMs = 15 * SECOND_MS): Job => ({
  name: 'message-counts', everyMs, failed: 'message_counts_failed',
  pass: async ({ hasEnded }) => {
    const begunAt = performance.now()
    const { messages, finished } = orThrow(await rollUpMessages(async () => !hasEnded() && performance.now() - begunAt < PASS_MS))
    const tookMs = performance.now() - begunAt
    if (messages > 0) log?.('debug', 'messages_counted', { count: messages, duration_ms: Math.round(tookMs) })
    return finished ? Math.max(everyMs, REST * tookMs) : Math.min(everyMs, SHORT_REST * tookMs)
  },
})

/** The pause between two signs of life, in milliseconds. */
export const HEARTBEAT_MS = 10 * SECOND_MS

/** Notes that this process is alive; its stop takes the note back. */
const heartbeat = ({ note, remove }: Presence, reconciledAt: () => Instant | undefined, onFailure: UpkeepReports['onFailure']): Upkeep => {
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

/** Makes the upkeep of a process; it does nothing before it is started. */
export const makeUpkeep = (deps: UpkeepDeps, { reconcileEveryMs = 30 * SECOND_MS, retentionMs = Infinity, eventRetentionMs = Infinity, contentRetentionMs = Infinity, requestRetentionMs = Infinity }: UpkeepSettings = {}): Upkeep => {
  const { reconcile, eventOutbox, messageContents, requestLog, sessions, auditLog, runRetention, rollUpMessages, presence } = deps
  const eventsKeptMs = Math.min(eventRetentionMs, retentionMs)
  const requestsKeptMs = Math.min(requestRetentionMs, retentionMs)
  let reconciledAt: Instant | undefined
  const table = [
    reconcile && reconciliation({ ...deps, reconcile }, reconcileEveryMs, () => { reconciledAt = Date.now() }),
    eventOutbox && eventsKeptMs < Infinity && eventRetention({ ...deps, eventOutbox }, eventsKeptMs),
    messageContents && contentRetentionMs < Infinity && contentRetention({ ...deps, messageContents }, contentRetentionMs),
    requestLog && requestsKeptMs < Infinity && requestRetention({ ...deps, requestLog }, requestsKeptMs),
    sessions && auditLog && accessCleanup({ ...deps, sessions, auditLog }),
    runRetention && retentionMs < Infinity && retention({ ...deps, runRetention }, retentionMs),
    rollUpMessages && messageCounts({ ...deps, rollUpMessages }),
  ]
  const jobs = [
    ...table.filter((job) => job !== undefined && job !== false).map((job) => runJob(job, deps)),
    ...(presence ? [heartbeat(presence, () => reconciledAt, deps.onFailure)] : []),
  ]
  return {
    start: () => { for (const job of jobs) job.start() },
    stop: async () => { await Promise.all(jobs.map((job) => job.stop())) },
  }
}
