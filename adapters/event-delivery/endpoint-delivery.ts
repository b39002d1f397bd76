import * as E from 'fp-ts/lib/Either.js'
import type { EndpointId } from '../../core/event-endpoint.js'
import { shardOf, SHARDS, type DeliveryTask, type EventDeliveries } from '../../core/ports/event-deliveries.js'
import { runEndpoint, type EndpointRunDeps } from './endpoint-run.js'
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

/** How many endpoints get deliveries at once; those that are slow to answer do not count. */
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

/** The pause after the storage failed, and before an endpoint is taken up again of which nothing could be noted, in milliseconds. */
const REST_MS = 1_000

type Run = { readonly isFailing: boolean; readonly underWay: ReadonlyMap<string, number>; readonly ended: Promise<void> }

/** Makes it. Each shard of endpoints is delivered by the process that holds its lease, `event-shard-0` to `event-shard-15`. */
export const makeEndpointDelivery = (deps: EndpointDeliveryDeps): EndpointDelivery => {
  const { deliveries, leases, control } = deps
  const running = new Map<EndpointId, Run>()
  const restingUntil = new Map<EndpointId, number>()
  let [busyAt, lookForFailingAt] = [-IDLE_AFTER_MS, 0]

  const leaseOf = (shard: number): string => `event-shard-${shard}`

  const roomFor = (isFailing: boolean): number => {
    const counted = [...running.values()].filter((run) => run.isFailing === isFailing && (isFailing || !isSlow(run)))
    return Math.min((isFailing ? FAILING_AT_ONCE : AT_ONCE) - counted.length, MOST_AT_ONCE - running.size)
  }

  /** Begins runs of the endpoints that have waited longest; `more` if there may be others that another query would find. */
  const beginRuns = async (isFailing: boolean): Promise<'all' | 'more' | 'failed'> => {
    const shards = Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) => !leases.isRefused(leaseOf(shard)))
    const limit = roomFor(isFailing)
    if (limit <= 0 || shards.length === 0) return 'all'
    const due = await deliveries.due({ shards, at: deps.now(), limit, except: [...running.keys(), ...restingUntil.keys()], failing: isFailing })()
    if (E.isLeft(due)) {
      deps.onFailure(due.left.cause)
      return 'failed'
    }
    let refused = 0
    for (const task of due.right) {
      if (control.isStopping()) break
      const lease = leaseOf(shardOf(task.endpoint.id))
      if (!(await leases.hold(lease))) refused += 1
      else begin(task, isFailing)
    }
    return refused > 0 ? 'more' : 'all'
  }

  const begin = (task: DeliveryTask, isFailing: boolean): void => {
    const { id } = task.endpoint
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
    running.set(id, { isFailing, underWay, ended })
  }

  const pass = async (): Promise<number> => {
    const now = performance.now()
    for (const [id, until] of restingUntil) if (until <= now) restingUntil.delete(id)
    const healthy = await beginRuns(false)
    const failing = now < lookForFailingAt ? 'all' : await beginRuns(true)
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

const isSlow = ({ underWay }: Run): boolean => [...underWay.values()].some((begunAt) => performance.now() - begunAt > SLOW_MS)
