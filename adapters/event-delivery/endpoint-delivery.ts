import * as E from 'fp-ts/lib/Either.js'
import { type DeliveryTask, type EventDeliveries, shardOf, SHARDS } from '../../core/events/delivery.js'
import type { EndpointId } from '../../core/events/endpoint.js'
import { type FairShares, makeFairShares } from '../../core/kernel/fairness.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { type EndpointRunDeps, runEndpoint } from './endpoint-run.js'
import type { HeldLeases } from './held-leases.js'
import { makeLoop } from './loop.js'

/** Deliveries to the endpoints of all workspaces. */
export type EndpointDelivery = {
  readonly start: () => void
  /** Looks for endpoints with something to deliver. */
  readonly wake: () => void
  /** Begins no more runs and waits for those under way. */
  readonly stop: () => Promise<void>
}

/** What it needs. */
export type EndpointDeliveryDeps = Omit<EndpointRunDeps, 'deliveries' | 'mayGoOn' | 'underWay'> & {
  readonly deliveries: Pick<EventDeliveries, 'due' | 'record' | 'retries'>
  readonly leases: HeldLeases
}

/** How many endpoints get deliveries at once, shared by workspaces as all three numbers are; those that are slow to answer do not count. */
const AT_ONCE = 64

/** How many of the endpoints whose latest attempt failed get deliveries at once, besides. */
const FAILING_AT_ONCE = 16

/** How many endpoints get deliveries at once, all counted. */
const MOST_AT_ONCE = 512

/** An endpoint with an attempt that is under way for longer counts as slow, in milliseconds. */
const SLOW_MS = 1_000

/** How often to look for endpoints that fail, in milliseconds: what this process stores matters little to them. */
const FAILING_EVERY_MS = 200

/** How often to look for what other processes have stored, in milliseconds: while there is something to deliver, and once there was nothing for a time. */
const POLL_MS = 250
const IDLE_POLL_MS = 1_000
const IDLE_AFTER_MS = 60_000

/** How often a pass asks what is due: once where there is room for all, again where workspaces that have their share were in the way. */
const MOST_QUERIES = 4

/** How many workspaces are left out because others have waited longer for a turn. */
const MOST_TURNS = 1_000

/** The pause after the storage failed, and before an endpoint is taken up again of which nothing could be noted, in milliseconds. */
const REST_MS = 1_000

type Run = {
  readonly workspace: WorkspaceId
  readonly isFailing: boolean
  readonly underWay: ReadonlyMap<string, number>
  readonly ended: Promise<void>
  /** Whether one of its attempts was slow: from then on it does not count, or endpoints whose answers take seconds would be too many each time they are called again. */
  isSlow: boolean
}

/**
 * Makes it. Each shard of endpoints is delivered by the process that holds its lease, `event-shard-0` to `event-shard-15`.
 *
 * No workspace may begin more runs than its share, so that there is room for those of another. Where more endpoints are due than there is room for, workspaces take turns
 * besides: one that has begun runs begins others only after every other one with something to deliver.
 */
export const makeEndpointDelivery = (deps: EndpointDeliveryDeps): EndpointDelivery => {
  const { deliveries, leases, control } = deps
  const running = new Map<EndpointId, Run>()
  const restingUntil = new Map<EndpointId, number>()
  /** Workspaces that have begun runs since others had to wait. */
  const hadTurn = { healthy: new Set<WorkspaceId>(), failing: new Set<WorkspaceId>() }
  let [busyAt, lookForFailingAt] = [-IDLE_AFTER_MS, 0]

  const leaseOf = (shard: number): string => `event-shard-${shard}`

  /** How the workspaces share the runs of one kind, and all runs. */
  const countRuns = (isFailing: boolean): ReadonlyArray<FairShares<WorkspaceId>> => {
    const [kind, all] = [makeFairShares<WorkspaceId>(isFailing ? FAILING_AT_ONCE : AT_ONCE), makeFairShares<WorkspaceId>(MOST_AT_ONCE)]
    for (const run of running.values()) {
      run.isSlow ||= [...run.underWay.values()].some((begunAt) => deps.monotonic() - begunAt > SLOW_MS)
      all.take(run.workspace)
      if (run.isFailing === isFailing && (isFailing || !run.isSlow)) kind.take(run.workspace)
    }
    return [kind, all]
  }

  /** Begins runs of the endpoints that have waited longest; `more` if there may be others that another query would find. */
  const beginRuns = async (isFailing: boolean): Promise<'all' | 'more' | 'failed'> => {
    const shards = Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) => !leases.isRefused(leaseOf(shard)))
    const [shares, turns] = [countRuns(isFailing), hadTurn[isFailing ? 'failing' : 'healthy']]
    const limit = Math.min(...shares.map(({ free }) => free()))
    if (limit <= 0 || shards.length === 0) return 'all'
    const due = await deliveries.due({
      shards, at: deps.now(), limit, failing: isFailing,
      except: [...running.keys(), ...restingUntil.keys()],
      exceptWorkspaces: [...new Set([...shares.flatMap(({ atShare }) => atShare()), ...turns])],
    })()
    if (E.isLeft(due)) {
      deps.onFailure(due.left.cause)
      return 'failed'
    }
    const isFull = due.right.length >= limit
    let isMore = !isFull && turns.size > 0
    if (!isFull || turns.size > MOST_TURNS) turns.clear()
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
    for (let query = 1; query < MOST_QUERIES; query += 1) {
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

  const loop = makeLoop(pass, deps.onFailure)
  return {
    start: loop.start,
    wake: loop.wake,
    stop: async () => {
      await loop.stop()
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}
