import * as E from 'fp-ts/lib/Either.js'
import {
  type DeliveryTask, type DisabledReason, endpointDisabled, type EndpointHealth, type EventDeliveries, type MadeAttempt, noteAttempts,
} from '../../core/events/delivery.js'
import type { EventEndpoint } from '../../core/events/endpoint.js'
import type { EventId } from '../../core/kernel/ids.js'
import type { EventPosition } from '../../core/kernel/outbox.js'
import type { Instant } from '../../core/kernel/time.js'
import type { RunControl } from './run-control.js'

/** How far a run of deliveries to an endpoint has come. */
export type EndpointProgress = {
  readonly position: () => EventPosition
  /** Whether the run may not go on: the endpoint is disabled, or another process has taken it over. */
  readonly hasEnded: () => boolean
  /** Whether anything was noted in this run. */
  readonly hasNoted: () => boolean
  /** Notes attempts, and that everything up to a position was taken up. Tries again while the storage fails. */
  readonly note: (made: ReadonlyArray<MadeAttempt>, to: EventPosition) => Promise<void>
}

/** What noting needs. */
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

/** Follows a run from where its task begins. */
export const followProgress = (deps: EndpointProgressDeps, { endpoint, ...start }: DeliveryTask): EndpointProgress => {
  let position = start.position
  let health: EndpointHealth = { failures: start.failures, failingSince: endpoint.failingSince }
  let [hasEnded, hasNoted] = [false, false]

  const record = async (made: ReadonlyArray<MadeAttempt>, to: EventPosition): Promise<void> => {
    const { disabled, ...outcome } = noteAttempts(endpoint.id, health, made)
    const progress = { ...outcome, endpoint: endpoint.id, from: position, to, ...(disabled !== undefined && { disabled: true as const }) }
    const along = disabled && ((changed: EventEndpoint) => [{ id: deps.newEventId(), at: deps.now(), ...endpointDisabled(changed, disabled) }])
    const noted = await recorded(() => deps.deliveries.record(progress, along)())
    // Where the answer to the first try was lost, the second one finds another position. The endpoint is then taken up anew.
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
