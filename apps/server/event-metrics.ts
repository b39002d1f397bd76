import { setTimeout as delay } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { AttemptResult } from '../../core/events/delivery.js'
import type { EventBacklog, EventOutbox } from '../../core/kernel/outbox.js'
import { SECOND_MS } from '../../core/kernel/time.js'
import { shareResult } from './share-result.js'

/** The most workspaces whose waiting events are shown. */
const MOST_WORKSPACES = 10

const FRESH_MS = 15 * SECOND_MS
const LONGEST_WAIT_MS = SECOND_MS

/** Counts attempts to deliver events, by their result. */
export const countAttempts = (register: Registry): ((receiver: 'endpoint' | 'broker', result: AttemptResult) => void) => {
  const attempts = new Counter({
    name: 'postern_event_delivery_attempts_total', help: 'Attempts to deliver events.', labelNames: ['receiver', 'result'], registers: [register],
  })
  return (receiver, { delivered, httpStatus }) => {
    attempts.inc({ receiver, result: delivered ? 'delivered' : httpStatus === undefined ? 'unanswered' : 'refused' })
  }
}

/**
 * Shows how many events are stored, and how long the oldest waiting one of the workspaces with the oldest ones has waited.
 *
 * They are read from the database when the metrics are requested, at most every 15 seconds. If the database fails or is slow, the last values are shown.
 */
export const showEventBacklog = (register: Registry, read: EventOutbox['backlog'], now: () => number = Date.now): void => {
  const backlog = shareResult(FRESH_MS, async () => {
    const known = await read(MOST_WORKSPACES)()
    if (E.isLeft(known)) throw known.left.cause
    return known.right
  })
  const latest = (): Promise<EventBacklog | undefined> =>
    Promise.race([backlog().catch(() => undefined), delay(LONGEST_WAIT_MS, undefined, { ref: false })])
  const shared = { registers: [register], aggregator: 'first' as const }
  const stored: Gauge = new Gauge({
    ...shared, name: 'postern_events_stored', help: 'Events in the database, delivered or not.',
    collect: async () => {
      const known = await latest()
      if (known !== undefined) stored.set(known.stored)
    },
  })
  const oldest: Gauge<'workspace'> = new Gauge({
    ...shared, name: 'postern_event_oldest_undelivered_seconds', help: 'How long the oldest event that is not delivered has waited.', labelNames: ['workspace'],
    collect: async () => {
      const known = await latest()
      if (known === undefined) return
      oldest.reset()
      for (const { workspace, at } of known.oldest) oldest.set({ workspace }, Math.max(0, now() - at) / SECOND_MS)
    },
  })
}
