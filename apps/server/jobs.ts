import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import { type EventDelivery, makeEventDelivery } from '../../adapters/event-delivery/event-delivery.js'
import { type Loop, type LoopOptions, makeLoop } from '../../adapters/event-delivery/loop.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Log } from '../../adapters/koa/index.js'
import { STRANGERS_KEPT_MS } from '../../core/access/audit.js'
import type { AttemptResult, EventSink } from '../../core/events/delivery.js'
import type { SinkAddress } from '../../core/events/endpoint-use-cases.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import { eventIdOf } from '../../core/kernel/ids.js'
import type { Leases } from '../../core/kernel/leases.js'
import { HOUR_MS, type Instant, MINUTE_MS, SECOND_MS } from '../../core/kernel/time.js'
import type { RollUpMessages } from '../../core/messages/statistics.js'
import type { Postern } from '../../core/postern.js'
import type { Forgotten, RunRetention } from '../../core/privacy.js'
import type { Reconcile, Reconciled } from '../../core/sending/reconcile.js'
import { causeOf, version } from './package.js'
import { logAtIntervals } from './log-throttle.js'

/** A repeated job that one gateway at a time does, of all those on one database. */
export type LeasedJob = Pick<Loop, 'start'> & {
  /** Begins no more passes, waits for the one that is under way, and ends the lease. */
  readonly stop: () => Promise<void>
}

/** What a pass may ask for while it has the lease. */
export type LeasedPass = {
  /** Whether the job was stopped, so that the pass should end soon. */
  readonly hasEnded: () => boolean
  /** Renews the lease; `false` if another gateway has it by now. */
  readonly renew: () => Promise<boolean>
  /** Keeps the lease for so many milliseconds, also if this gateway is stopped; `false` if another gateway has it by now. */
  readonly keepFor: (ms: number) => Promise<boolean>
}

export type LeasedJobOptions = Required<Pick<LoopOptions, 'everyMs' | 'onFailure'>> & {
  /** The name of the lease. */
  readonly name: string
  readonly leases: Leases
  /** How long a lease lasts, in milliseconds; five minutes by default. After a gateway dies, no other one does the job until it ends. */
  readonly leaseMs?: number
  readonly pass: (leased: LeasedPass) => Promise<number | undefined>
}

/** Makes the job. The lease saves work for the database: two passes at once must be safe as well. */
export const makeLeasedJob = ({ name, leases, leaseMs = 5 * MINUTE_MS, pass, everyMs, onFailure }: LeasedJobOptions): LeasedJob => {
  let hasEnded = false
  let releases = false
  const take = async (ms: number): Promise<boolean> => {
    const taken = await leases.take(name, ms)
    if (E.isLeft(taken)) throw taken.left.cause
    return (releases = taken.right)
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
  const job = makeLoop({
    pass: async () => ((await take(leaseMs)) ? pass(leased) : undefined),
    everyMs, onFailure,
  })
  return {
    start: job.start,
    stop: async () => {
      hasEnded = true
      await job.stop()
      if (releases) await leases.release(name)
    },
  }
}

export type RemovalJobOptions = {
  /** The name of its lease. */
  readonly name: string
  readonly leases: Leases
  /** Deletes some and returns how many; none left: 0. */
  readonly removeSome: () => Promise<E.Either<PortFailure, number>>
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

/** Makes a job that deletes what is no longer needed; `stop` waits for the step that is under way. */
export const makeRemovalJob = ({ name, leases, removeSome, log, events, everyMs }: RemovalJobOptions): LeasedJob =>
  makeLeasedJob({
    name, leases, everyMs,
    pass: async ({ hasEnded }) => {
      const begunAt = performance.now()
      let [removed, isMore] = [0, true]
      for (let step = 0; step < MOST_STEPS && isMore && !hasEnded(); step += 1) {
        const result = await removeSome()
        if (E.isLeft(result)) throw result.left.cause
        removed += result.right
        isMore = result.right > 0
      }
      if (removed > 0) log('debug', events.removed, { count: removed })
      return isMore ? Math.min(everyMs, Math.max(SHORTEST_REST_MS, performance.now() - begunAt)) : undefined
    },
    onFailure: (error) => log('error', events.failed, { cause: causeOf(error) }),
  })

export type AccessCleanupJobDeps = Pick<KnexStorage, 'sessions' | 'auditLog' | 'leases'> & {
  readonly log: Log
  /** The pause between two passes, in milliseconds; ten minutes by default. */
  readonly everyMs?: number
}

/** How many of each kind one step deletes. */
const BATCH = 500

/** Makes the job that deletes sessions, links and attempts to sign in that have ended, and old entries of people who could not sign in. */
export const makeAccessCleanupJob = ({ sessions, auditLog, leases, log, everyMs = 10 * MINUTE_MS }: AccessCleanupJobDeps): LeasedJob =>
  makeRemovalJob({
    name: 'access-cleanup', leases, log, everyMs,
    removeSome: async () => {
      const ended = await sessions.removeOld(Date.now(), BATCH)
      if (E.isLeft(ended)) return ended
      const strangers = await auditLog.removeStrangers(Date.now() - STRANGERS_KEPT_MS, BATCH)
      return E.isLeft(strangers) ? strangers : E.right(ended.right + strangers.right)
    },
    events: { removed: 'ended_access_removed', failed: 'access_cleanup_failed' },
  })

export type EventRetentionJobDeps = Pick<KnexStorage, 'eventOutbox' | 'leases'> & {
  readonly log: Log
  /** How long events are kept, in milliseconds. */
  readonly retentionMs: number
  /** The pause between two passes, in milliseconds; a minute by default. */
  readonly everyMs?: number
}

/** Makes the job that deletes old events, and what customers wrote once it is delivered everywhere. */
export const makeEventRetentionJob = ({ eventOutbox, leases, log, retentionMs, everyMs = MINUTE_MS }: EventRetentionJobDeps): LeasedJob =>
  makeRemovalJob({
    name: 'event-retention', leases, log, everyMs,
    removeSome: () => {
      const now = Date.now()
      return eventOutbox.removeOld(now - retentionMs, now)
    },
    events: { removed: 'old_events_removed', failed: 'event_retention_failed' },
  })

export type RetentionJobDeps = {
  readonly runRetention: RunRetention
  readonly leases: Leases
  /** Counts what a run has forgotten. */
  readonly countForgotten: (forgotten: Forgotten) => void
  readonly log: Log
  /** How long people are remembered, in milliseconds. */
  readonly retentionMs: number
  /** The pause after a run that did not come to its end, in milliseconds; an hour by default. */
  readonly everyMs?: number
}

/** After a whole run its gateway keeps the lease for so long, so that no gateway that is started reads every record again. */
const REST_MS = 23 * HOUR_MS

/** How often a long run says in the log how far it has come. */
const PROGRESS_MS = 30 * SECOND_MS

/** Makes the job that forgets people in what is older than the operator wants it to be; `stop` waits for the step that is under way. */
export const makeRetentionJob = ({ runRetention, leases, countForgotten, log, retentionMs, everyMs = HOUR_MS }: RetentionJobDeps): LeasedJob => {
  const pass = async ({ hasEnded, renew, keepFor }: LeasedPass): Promise<number | undefined> => {
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
    })
    if (E.isLeft(run)) throw run.left.cause
    note(run.right.forgotten)
    log('info', run.right.finished ? 'retention_run' : 'retention_interrupted', run.right.forgotten)
    return run.right.finished && (await keepFor(REST_MS)) ? REST_MS : undefined
  }

  return makeLeasedJob({
    name: 'retention', leases, pass, everyMs,
    onFailure: (error) => log('error', 'retention_failed', { cause: causeOf(error) }),
  })
}

export type MessageCountsJobDeps = {
  readonly rollUp: RollUpMessages
  readonly leases: Leases
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

/** Makes the job that counts messages for the console's overview; `stop` begins no more buckets, and waits for the one that is under way. */
export const makeMessageCountsJob = ({ rollUp, leases, log, everyMs = 15 * SECOND_MS }: MessageCountsJobDeps): LeasedJob => {
  const pass = async ({ hasEnded }: LeasedPass): Promise<number> => {
    const begunAt = performance.now()
    const result = await rollUp(async () => !hasEnded() && performance.now() - begunAt < PASS_MS)
    if (E.isLeft(result)) throw result.left.cause
    const tookMs = performance.now() - begunAt
    if (result.right.messages > 0) log('debug', 'messages_counted', { count: result.right.messages, duration_ms: Math.round(tookMs) })
    return result.right.finished ? Math.max(everyMs, REST * tookMs) : Math.min(everyMs, SHORT_REST * tookMs)
  }

  return makeLeasedJob({
    name: 'message-counts', leases, pass, everyMs,
    onFailure: (error) => log('error', 'message_counts_failed', { cause: causeOf(error) }),
  })
}

export type ReconcileJobDeps = {
  readonly reconcile: Reconcile
  readonly leases: Leases
  readonly removeExpiredClaims: KnexStorage['removeExpiredClaims']
  readonly log: Log
  /** Called after a pass that did not fail. */
  readonly onPass: () => void
  /** The pause between two passes, in milliseconds. */
  readonly everyMs: number
}

/** For how many pauses a lease lasts. */
const LEASE_PAUSES = 4

/** The longest leases, in milliseconds. */
const LONGEST_LEASE_MS = 5 * MINUTE_MS

/** Makes the job that reconciles: at its start, since that may follow a crash, and then once after each pause. */
export const makeReconcileJob = ({ reconcile, leases, removeExpiredClaims, log, onPass, everyMs }: ReconcileJobDeps): LeasedJob => {
  const pass = async (): Promise<undefined> => {
    const outcome = await reconcile()
    report(outcome)
    if (E.isRight(outcome)) onPass()
    await removeExpiredClaims()
  }

  const report = (outcome: E.Either<PortFailure, Reconciled>): void => {
    if (E.isLeft(outcome)) onFailure(outcome.left.cause)
    else if (Object.values(outcome.right).some((count) => count > 0)) log('info', 'reconciled', outcome.right)
  }

  const onFailure = (cause: unknown): void => log('error', 'reconcile_failed', { cause: causeOf(cause) })

  return makeLeasedJob({ name: 'reconcile', leases, leaseMs: Math.min(LEASE_PAUSES * everyMs, LONGEST_LEASE_MS), pass, everyMs, onFailure })
}

export type HeartbeatJobDeps = {
  readonly gateways: KnexStorage['gateways']
  /** When this process last ended a pass of reconciliation. */
  readonly reconciledAt: () => Instant | undefined
  readonly log: Log
}

/** The pause between two notes, in milliseconds. */
export const HEARTBEAT_MS = 10 * SECOND_MS

/** Makes the job that notes in the database that this process is alive; `stop` takes the note back. */
export const makeHeartbeatJob = ({ gateways, reconciledAt, log }: HeartbeatJobDeps): LeasedJob => {
  const process = { id: randomUUID(), version: version(), host: hostname(), pid: globalThis.process.pid, startedAt: Date.now() }
  const onFailure = (cause: unknown): void => log('error', 'heartbeat_failed', { cause: causeOf(cause) })
  const job = makeLoop({ pass: async () => { await gateways.note({ ...process, reconciledAt: reconciledAt() }) }, everyMs: HEARTBEAT_MS, onFailure })
  return {
    start: job.start,
    stop: async () => {
      await job.stop()
      await gateways.remove(process.id).catch(onFailure)
    },
  }
}

/** What the jobs of a gateway are made of. */
export type JobsDeps = {
  readonly postern: Pick<Postern, 'upkeep'>
  readonly storage: Pick<KnexStorage, 'auditLog' | 'eventOutbox' | 'gateways' | 'leases' | 'removeExpiredClaims' | 'sessions'>
  readonly log: Log
  readonly countForgotten: RetentionJobDeps['countForgotten']
}

/** How often the jobs of a gateway run, and how long what they delete is kept. */
export type JobsSettings = {
  readonly reconcileEveryMs: number
  readonly retentionMs: number | undefined
  readonly eventRetentionMs: number
  /** Whether there are pages, which alone show what is counted. */
  readonly countsMessages: boolean
}

/** The jobs of a gateway. Each but the heartbeat is done by one gateway at a time, of all those on one database. */
export const makeJobs = ({ postern: { upkeep }, storage, log, countForgotten }: JobsDeps, settings: JobsSettings): LeasedJob => {
  const { leases, gateways, eventOutbox, sessions, auditLog, removeExpiredClaims } = storage
  const { reconcileEveryMs, retentionMs = Infinity, eventRetentionMs, countsMessages } = settings
  let reconciledAt: Instant | undefined
  const jobs = [
    makeReconcileJob({ reconcile: upkeep.reconcile, leases, removeExpiredClaims, log, everyMs: reconcileEveryMs, onPass: () => { reconciledAt = Date.now() } }),
    makeHeartbeatJob({ gateways, reconciledAt: () => reconciledAt, log }),
    makeEventRetentionJob({ eventOutbox, leases, log, retentionMs: Math.min(eventRetentionMs, retentionMs) }),
    makeAccessCleanupJob({ sessions, auditLog, leases, log }),
    ...(retentionMs === Infinity ? [] : [makeRetentionJob({ runRetention: upkeep.runRetention, leases, countForgotten, log, retentionMs })]),
    ...(countsMessages ? [makeMessageCountsJob({ rollUp: upkeep.rollUpMessages, leases, log })] : []),
  ]
  return {
    start: () => { for (const job of jobs) job.start() },
    stop: async () => { await Promise.all(jobs.map((job) => job.stop())) },
  }
}

/** The job that delivers events. */
export type EventDeliveryJob = Pick<EventDelivery, 'start' | 'stop'>

export type EventDeliveryJobDeps = {
  readonly storage: Pick<KnexStorage, 'eventDeliveries' | 'eventOutbox' | 'leases' | 'onEvents'>
  readonly sinkFor: (address: SinkAddress) => EventSink
  readonly broker: EventSink | undefined
  readonly countAttempt: (receiver: 'endpoint' | 'broker', result: AttemptResult) => void
  readonly log: Log
}

/** Makes the job; it delivers nothing before it is started. */
export const makeEventDeliveryJob = ({ storage, sinkFor, broker, countAttempt, log }: EventDeliveryJobDeps): EventDeliveryJob => {
  const logFailure = logAtIntervals(log, Date.now, 'error', 'event_delivery_failed')
  const logBroker = logAtIntervals(log, Date.now, 'warn', 'event_broker_failed')
  const delivery = makeEventDelivery({
    deliveries: storage.eventDeliveries, outbox: storage.eventOutbox, leases: storage.leases, sinkFor, ...(broker && { broker }),
    now: Date.now, newAttemptId: () => uuidv7().replaceAll('-', ''), newEventId: () => eventIdOf(uuidv7()),
    onAttempt: (receiver, result) => {
      countAttempt(receiver, result)
      if (receiver === 'broker' && !result.delivered) logBroker({ error: result.error ?? 'no reason given' })
    },
    onDisabled: ({ id, workspace }, reason) => log('warn', 'event_endpoint_disabled', { endpoint: id, workspace, reason }),
    onFailure: (error) => { logFailure({ cause: causeOf(error) }) },
  })
  let unlisten = (): void => undefined
  return {
    start: () => {
      unlisten = storage.onEvents(delivery.wake)
      delivery.start()
    },
    stop: async (limitMs) => {
      unlisten()
      await delivery.stop(limitMs)
    },
  }
}
