import * as E from 'fp-ts/lib/Either.js'
import {
  type AttemptResult, type DeliveryTask, type DisabledReason, endpointDisabled, type EndpointHealth, type EventDeliveries, type EventSink,
  isCircuitOpen, type MadeAttempt, noteAttempts, type Retry, shardOf, SHARDS,
} from '../../core/events/delivery.js'
import type { SinkAddress } from '../../core/events/endpoint-use-cases.js'
import { type EndpointId, type EventEndpoint, formatOf, signingSecrets } from '../../core/events/endpoint.js'
import type { PortFailure } from '../../core/kernel/failure.js'
import { type FairShares, makeFairShares } from '../shared/fair-shares.js'
import type { EventId, WorkspaceId } from '../../core/kernel/ids.js'
import { type EventOutbox, type EventPosition, type StoredEvent, wantsEvent } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { TracingDeps } from '../../core/kernel/tracing.js'
import type { HeldLeases } from '../jobs/held-leases.js'
import { type Loop, makeLoop } from '../jobs/loop.js'
import type { RunControl } from '../jobs/run-control.js'
import { attemptToDeliver } from './attempt.js'
import type { AttemptRate } from './attempt-rate.js'
import { type GroupedNotes, makeGroupedNotes } from './grouped-notes.js'
import { workInOrder } from './in-order.js'

/** The progress of a run of deliveries to an endpoint. */
export type EndpointProgress = {
  readonly position: () => EventPosition
  /** Whether the run must stop: the endpoint is disabled, or another process has taken it over. */
  readonly hasEnded: () => boolean
  /** Whether anything was recorded in this run. */
  readonly hasNoted: () => boolean
  /** Records attempts, and that everything up to a position was processed. Tries again while the storage fails. */
  readonly note: (made: ReadonlyArray<MadeAttempt>, to: EventPosition) => Promise<void>
}

/** The dependencies of recording progress. */
export type EndpointProgressDeps = {
  readonly deliveries: Pick<EventDeliveries, 'record'>
  readonly control: RunControl
  readonly now: () => Instant
  readonly newEventId: () => EventId
  readonly onDisabled: (endpoint: EventEndpoint, reason: DisabledReason) => void
  readonly onFailure: (error: unknown) => void
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** Tracks a run from the position at which its task begins. */
export const followProgress = (deps: EndpointProgressDeps, { endpoint, ...start }: DeliveryTask): EndpointProgress => {
  let position = start.position
  let health: EndpointHealth = { failures: start.failures, failingSince: endpoint.failingSince }
  let [hasEnded, hasNoted] = [false, false]

  const record = async (made: ReadonlyArray<MadeAttempt>, to: EventPosition): Promise<void> => {
    const { disabled, ...outcome } = noteAttempts(endpoint.id, health, made)
    const progress = { ...outcome, endpoint: endpoint.id, from: position, to, ...(disabled !== undefined && { disabled: true as const }) }
    const outboxEntries = disabled
      && ((changed: EventEndpoint) => [{ id: deps.newEventId(), at: deps.now(), ...endpointDisabled(changed, disabled) }])
    const noted = await recorded(() => deps.deliveries.record(progress, outboxEntries))
    // If the answer to the first try was lost, the second try finds another position. The run then ends, and another run continues the endpoint.
    hasEnded = noted !== true || disabled !== undefined
    if (noted !== true) return
    position = to
    health = outcome
    hasNoted = true
    if (disabled !== undefined) deps.onDisabled(endpoint, disabled)
  }

  const recorded = async (write: () => Promise<E.Either<{ readonly cause: unknown }, boolean>>): Promise<boolean | undefined> => {
    for (let pauseMs = FIRST_PAUSE_MS; !deps.control.isAbandoned(); pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const result = await write()
      if (E.isRight(result)) return result.right
      deps.onFailure(result.left.cause)
      await deps.control.pauseUntilAbandoned(pauseMs)
    }
    return undefined
  }

  return {
    position: () => position,
    hasEnded: () => hasEnded,
    hasNoted: () => hasNoted,
    note: async (made, to) => {
      if (!hasEnded) await record(made, to)
    },
  }
}

/** What a run of deliveries to an endpoint needs. */
export type EndpointRunDeps = EndpointProgressDeps & TracingDeps & {
  readonly deliveries: Pick<EventDeliveries, 'record' | 'retries'>
  readonly outbox: Pick<EventOutbox, 'after'>
  readonly sinkFor: (address: SinkAddress) => EventSink
  readonly rate: AttemptRate
  readonly newAttemptId: () => string
  readonly random: () => number
  readonly onAttempt: (result: AttemptResult) => void
  /** Whether this process may still deliver to the endpoint. */
  readonly mayGoOn: () => boolean
  /** The attempts in progress by their ids, and when each started on the clock of `monotonic`. */
  readonly underWay: Map<string, number>
  readonly monotonic: () => number
}

/** The result of a run: whether anything was recorded. */
export type EndpointRunResult = { readonly hasMoved: boolean }

/** An event to deliver, with its waiting retry if it was tried before. */
type Item = { readonly event: StoredEvent; readonly retry?: Retry }

/** A processed event: with an attempt, unless the endpoint does not want its type. */
type TakenUp = { readonly event: StoredEvent; readonly made: MadeAttempt | undefined }

/** How many events are read in one query; a full batch means that deliveries to the endpoint have fallen behind. */
const BATCH = 64

/** How many events are delivered concurrently to an endpoint whose deliveries have fallen behind. */
const RUN_AT_ONCE = 16

/** A run ends after this time, in milliseconds, so that waiting endpoints get their turn. */
const RUN_MS = 2_000

/**
 * If an attempt takes longer than this, in milliseconds, its endpoint counts as slow. A failure that took longer ends the run, and the endpoint continues among the
 * failing ones.
 */
const SLOW_MS = 1_000

/** The minimum interval between two readings of new events, and of due retries, in milliseconds. */
const READ_EVERY_MS = 20
const READ_RETRIES_EVERY_MS = 250

/** Delivers the waiting events of an endpoint until none is left, its circuit opens, or its turn is over. */
export const runEndpoint = async (deps: EndpointRunDeps, task: DeliveryTask): Promise<EndpointRunResult> => {
  const { deliveries, outbox, control, rate } = deps
  const { endpoint } = task
  const progress = followProgress(deps, task)
  const sink = deps.sinkFor({ url: endpoint.url, format: formatOf(endpoint), secrets: signingSecrets(task.secrets, deps.now()) })
  let failures = task.failures
  let isOver = false

  const goesOn = (): boolean => !isOver && !progress.hasEnded() && !control.isStopping() && deps.mayGoOn()

  const read = async <A>(what: Promise<E.Either<PortFailure, ReadonlyArray<A>>>): Promise<ReadonlyArray<A>> => {
    const result = await what
    if (E.isRight(result)) return result.right
    isOver = true
    deps.onFailure(result.left.cause)
    return []
  }
  const dueRetries = async (limit: number): Promise<ReadonlyArray<Item>> =>
    (await read(deliveries.retries(endpoint.id, deps.now(), limit))).map((retry) => ({ event: retry.event, retry }))
  const eventsAfter = async (position: EventPosition): Promise<ReadonlyArray<Item>> =>
    (await read(outbox.after(endpoint.workspace, position, BATCH))).map((event) => ({ event }))

  const attempt = async ({ event, retry }: Item): Promise<MadeAttempt | undefined> => {
    await control.pauseUntilStop(rate.reserve(endpoint.id))
    if (!goesOn()) return undefined
    const [id, startedAt] = [deps.newAttemptId(), deps.now()]
    deps.underWay.set(id, deps.monotonic())
    const result = await attemptToDeliver(sink, event, deps.tracer, 'webhook')
    deps.underWay.delete(id)
    // The endpoint was not called: the event waits for another run, and nothing is recorded.
    if (result.isUntried === true) {
      isOver = true
      return undefined
    }
    deps.onAttempt(result)
    failures = result.delivered ? 0 : failures + 1
    if (!result.delivered) isOver ||= isCircuitOpen({ failures }) || result.durationMs > SLOW_MS || result.isGone === true
    return { id, event, startedAt, result, random: deps.random(), ...(retry !== undefined && { retry }) }
  }

  const deliver = (items: ReadonlyArray<Item>, notes: GroupedNotes<TakenUp>, firstNumber: number): Promise<void> => {
    const options = { subjectOf: ({ event }: Item) => event.subject, atOnce: items.length < BATCH ? 1 : RUN_AT_ONCE, goesOn }
    return workInOrder(items, options, async (item, index) => {
      const isWanted = item.retry !== undefined || wantsEvent(endpoint.types, item.event.type)
      const made = isWanted ? await attempt(item) : undefined
      if (!isWanted || made !== undefined) notes.add(firstNumber + index, { event: item.event, made })
    })
  }

  const notesUpTo = (to: (last: StoredEvent) => EventPosition): GroupedNotes<TakenUp> =>
    makeGroupedNotes(async (group) => {
      const last = group.at(-1)
      if (last !== undefined) await progress.note(group.flatMap(({ made }) => made ?? []), to(last.event))
    })

  const deliverRetries = async (retries: ReadonlyArray<Item>): Promise<void> => {
    const notes = notesUpTo(() => progress.position())
    await deliver(retries, notes, 0)
    await notes.finish()
  }

  /** Makes one attempt for a failing endpoint. Due retries and new events alternate, so an event that the endpoint always rejects does not block new ones. */
  const probe = async (): Promise<void> => {
    const retries = await dueRetries(1)
    if (retries.length > 0 && failures % 2 === 1) return deliverRetries(retries)
    const events = await eventsAfter(progress.position())
    const wanted = events.findIndex(({ event }) => wantsEvent(endpoint.types, event.type))
    const notes = notesUpTo(({ position }) => position)
    await deliver(events.slice(0, wanted === -1 ? BATCH : wanted + 1), notes, 0)
    await notes.finish()
    if (wanted === -1 && goesOn()) await deliverRetries(retries)
  }

  const deliverAll = async (): Promise<void> => {
    const endsAt = performance.now() + RUN_MS
    const notes = notesUpTo(({ position }) => position)
    let [taken, position, readRetriesAt] = [0, progress.position(), 0]
    while (goesOn() && performance.now() < endsAt) {
      const begunAt = performance.now()
      const isTime = begunAt >= readRetriesAt
      const retries = isTime ? await dueRetries(BATCH) : []
      if (isTime) readRetriesAt = begunAt + READ_RETRIES_EVERY_MS
      if (retries.length > 0) {
        await notes.finish()
        await deliverRetries(retries)
      }
      const events = goesOn() ? await eventsAfter(position) : []
      if (retries.length + events.length === 0) break
      await deliver(events, notes, taken)
      taken += events.length
      position = events.at(-1)?.event.position ?? position
      await notes.untilFew()
      if (events.length < BATCH) await control.pauseUntilStop(begunAt + READ_EVERY_MS - performance.now())
    }
    await notes.finish()
  }

  await (isCircuitOpen(task) ? probe() : deliverAll())
  return { hasMoved: progress.hasNoted() }
}

/** The dependencies of deliveries to endpoints. */
export type EndpointDeliveryDeps = Omit<EndpointRunDeps, 'deliveries' | 'mayGoOn' | 'underWay'> & {
  readonly deliveries: Pick<EventDeliveries, 'due' | 'record' | 'retries'>
  readonly leases: HeldLeases
}

/** How many endpoints get deliveries concurrently, not counting endpoints that are slow to answer. Workspaces share this limit and the two below. */
const AT_ONCE = 64

/** How many endpoints whose latest attempt failed get deliveries concurrently, in addition. */
const FAILING_AT_ONCE = 16

/** How many endpoints get deliveries concurrently in total. */
const MAX_AT_ONCE = 512

/** How often to look for failing endpoints, in milliseconds: the events that this process stores matter little to them. */
const FAILING_EVERY_MS = 200

/** How often to look for events stored by other processes, in milliseconds: while there are events to deliver, and once there were none for some time. */
const POLL_MS = 250
const IDLE_POLL_MS = 1_000
const IDLE_AFTER_MS = 60_000

/** How many times a pass may query for due endpoints: once if there is room for all, again if the result contained workspaces that already had their share. */
const MAX_QUERIES = 4

/** How many workspaces are left out because others have waited longer for a turn. */
const MAX_TURNS = 1_000

/** The pause after a storage failure, and before the next run of an endpoint whose last run recorded nothing, in milliseconds. */
const REST_MS = 1_000

type Run = {
  readonly workspace: WorkspaceId
  readonly isFailing: boolean
  readonly underWay: ReadonlyMap<string, number>
  readonly ended: Promise<void>
  /** Whether one of its attempts was slow. From then on the run does not count; otherwise endpoints whose answers take seconds would exceed the limit each time they are called. */
  isSlow: boolean
}

/**
 * Creates it. Each shard of endpoints is delivered by the process that holds its lease, `event-shard-0` to `event-shard-15`.
 *
 * No workspace may start more runs than its share, so that there is room for the runs of others. If more endpoints are due than there is room for, workspaces also take
 * turns: a workspace that has started runs starts others only after every other workspace with something to deliver.
 */
export const makeEndpointDelivery = (deps: EndpointDeliveryDeps): Loop => {
  const { deliveries, leases, control } = deps
  const running = new Map<EndpointId, Run>()
  const restingUntil = new Map<EndpointId, number>()
  /** Workspaces that have started runs since others had to wait. */
  const hadTurn = { healthy: new Set<WorkspaceId>(), failing: new Set<WorkspaceId>() }
  let [busyAt, lookForFailingAt] = [-IDLE_AFTER_MS, 0]

  const leaseOf = (shard: number): string => `event-shard-${shard}`

  /** How the workspaces share the runs of one kind, and all runs. */
  const countRuns = (isFailing: boolean): ReadonlyArray<FairShares<WorkspaceId>> => {
    const [kind, all] = [makeFairShares<WorkspaceId>(isFailing ? FAILING_AT_ONCE : AT_ONCE), makeFairShares<WorkspaceId>(MAX_AT_ONCE)]
    for (const run of running.values()) {
      run.isSlow ||= [...run.underWay.values()].some((begunAt) => deps.monotonic() - begunAt > SLOW_MS)
      all.take(run.workspace)
      if (run.isFailing === isFailing && (isFailing || !run.isSlow)) kind.take(run.workspace)
    }
    return [kind, all]
  }

  /** Starts runs of the endpoints that have waited longest; `more` if another query might find more endpoints. */
  const beginRuns = async (isFailing: boolean): Promise<'all' | 'more' | 'failed'> => {
    const shards = Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) => !leases.isRefused(leaseOf(shard)))
    const [shares, turns] = [countRuns(isFailing), hadTurn[isFailing ? 'failing' : 'healthy']]
    const limit = Math.min(...shares.map(({ free }) => free()))
    if (limit <= 0 || shards.length === 0) return 'all'
    const due = await deliveries.due({
      shards, at: deps.now(), limit, failing: isFailing,
      except: [...running.keys(), ...restingUntil.keys()],
      exceptWorkspaces: [...new Set([...shares.flatMap(({ atShare }) => atShare()), ...turns])],
    })
    if (E.isLeft(due)) {
      deps.onFailure(due.left.cause)
      return 'failed'
    }
    const isFull = due.right.length >= limit
    let isMore = !isFull && turns.size > 0
    if (!isFull || turns.size > MAX_TURNS) turns.clear()
    for (const task of due.right) {
      if (control.isStopping()) break
      const { id, workspace } = task.endpoint
      const isLeftOut = !shares.every(({ mayTake }) => mayTake(workspace)) || !(await leases.hold(leaseOf(shardOf(id))))
      isMore ||= isLeftOut
      if (isLeftOut) continue
      begin(task, isFailing)
      for (const { take } of shares) take(workspace)
      if (isFull) turns.add(workspace)
    }
    return isMore ? 'more' : 'all'
  }

  const beginAll = async (isFailing: boolean): Promise<'all' | 'more' | 'failed'> => {
    for (let query = 1; query < MAX_QUERIES; query += 1) {
      const begun = await beginRuns(isFailing)
      if (begun !== 'more') return begun
    }
    return beginRuns(isFailing)
  }

  const begin = (task: DeliveryTask, isFailing: boolean): void => {
    const { id, workspace } = task.endpoint
    const mayGoOn = (): boolean => leases.isHeld(leaseOf(shardOf(id)))
    busyAt = performance.now()
    const underWay = new Map<string, number>()
    const run = runEndpoint({ ...deps, mayGoOn, underWay }, task).catch((error: unknown) => {
      deps.onFailure(error)
      return { hasMoved: false }
    })
    const ended = run.then(({ hasMoved }) => {
      running.delete(id)
      if (!hasMoved) restingUntil.set(id, performance.now() + REST_MS)
      loop.wake()
    })
    running.set(id, { workspace, isFailing, underWay, ended, isSlow: false })
  }

  const pass = async (): Promise<number> => {
    const now = performance.now()
    for (const [id, until] of restingUntil) if (until <= now) restingUntil.delete(id)
    const healthy = await beginAll(false)
    const failing = now < lookForFailingAt ? 'all' : await beginAll(true)
    if (now >= lookForFailingAt) lookForFailingAt = now + FAILING_EVERY_MS
    if (healthy === 'failed' || failing === 'failed') return REST_MS
    if (healthy === 'more' || failing === 'more') return 0
    return performance.now() - busyAt > IDLE_AFTER_MS ? IDLE_POLL_MS : POLL_MS
  }

  const loop = makeLoop({ pass, onFailure: deps.onFailure })
  return {
    ...loop,
    stop: async () => {
      await loop.stop()
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}
