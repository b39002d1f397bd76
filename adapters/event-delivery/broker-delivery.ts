import * as E from 'fp-ts/lib/Either.js'
import type { AttemptResult, BrokerTask, EventDeliveries, EventSink } from '../../core/events/delivery.js'
import type { WorkspaceId } from '../../core/kernel/ids.js'
import { ALL_EVENTS, type EventOutbox, type StoredEvent, wantsEvent } from '../../core/kernel/outbox.js'
import type { TracingDeps } from '../../core/kernel/tracing.js'
import type { HeldLeases } from '../jobs/held-leases.js'
import { type Loop, makeLoop } from '../jobs/loop.js'
import type { RunControl } from '../jobs/run-control.js'
import { attemptToDeliver } from './attempt.js'
import { makeGroupedNotes } from './grouped-notes.js'
import { workInOrder } from './in-order.js'

/** The dependencies of deliveries to a broker. */
export type BrokerDeliveryDeps = TracingDeps & {
  readonly broker: EventSink
  readonly deliveries: Pick<EventDeliveries, 'brokerDue' | 'recordBroker'>
  readonly outbox: Pick<EventOutbox, 'after'>
  readonly leases: HeldLeases
  readonly control: RunControl
  readonly onAttempt: (result: AttemptResult) => void
  readonly onFailure: (error: unknown) => void
}

const LEASE = 'event-broker'

/** How many events of a workspace are read in one query; a full batch means that publishing has fallen behind in that workspace. */
const BATCH = 64

/** How many events of a workspace are published concurrently if publishing has fallen behind. */
const AT_ONCE = 16

/** Events of this many workspaces are published concurrently. */
const WORKSPACES_AT_ONCE = 4

/** How many workspaces are read in one query, in addition to those that wait after a failure. */
const MAX_TASKS = 64
const MAX_WAITING = 1_000

const POLL_MS = 250
const REST_MS = 1_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

/** A workspace whose latest attempt failed. */
type Pause = { readonly until: number; readonly ms: number }

/**
 * Creates it. A workspace's events are published one after the other. If publishing has fallen behind, several are published concurrently, but events of one subject
 * stay in order. An event that fails is tried again, and its workspace waits for it, with pauses that grow to 30 seconds.
 */
export const makeBrokerDelivery = ({
  broker, deliveries, outbox, leases, control, onAttempt, onFailure, tracer,
}: BrokerDeliveryDeps): Loop => {
  const pauses = new Map<WorkspaceId, Pause>()

  const isPaused = ({ workspace }: BrokerTask): boolean => (pauses.get(workspace)?.until ?? 0) > performance.now()

  const pass = async (): Promise<number> => {
    const due = await deliveries.brokerDue(MAX_TASKS + pauses.size)
    if (E.isLeft(due)) return failed(due.left.cause)
    const tasks = due.right.filter((task) => !isPaused(task))
    if (tasks.length === 0 || !(await leases.hold(LEASE))) return POLL_MS
    const queue = [...tasks]
    const moved = await Promise.all(Array.from({ length: WORKSPACES_AT_ONCE }, async () => {
      let hasMoved = false
      for (let task = queue.shift(); task !== undefined && goesOn(); task = queue.shift()) hasMoved = (await publish(task)) || hasMoved
      return hasMoved
    }))
    return moved.includes(true) ? 0 : POLL_MS
  }

  const goesOn = (): boolean => !control.isStopping() && leases.isHeld(LEASE)

  /** Publishes the next events of a workspace; `true` if all were published and there may be more. */
  const publish = async ({ workspace, position }: BrokerTask): Promise<boolean> => {
    const read = await outbox.after(workspace, position, BATCH)
    if (E.isLeft(read)) return failed(read.left.cause) === 0
    const events = read.right
    let [from, isOver] = [position, false]
    const notes = makeGroupedNotes<StoredEvent>(async (published) => {
      const to = published.at(-1)?.position ?? from
      if (control.isAbandoned()) return
      const noted = await deliveries.recordBroker({ workspace, from, to })
      if (E.isLeft(noted)) onFailure(noted.left.cause)
      // Events whose progress could not be recorded are published again from the stored position.
      if (E.isLeft(noted) || !noted.right) isOver = true
      else from = to
    })
    const options = {
      subjectOf: ({ subject }: StoredEvent) => subject, atOnce: events.length < BATCH ? 1 : AT_ONCE, goesOn: () => !isOver && goesOn(),
    }
    await workInOrder(events, options, async (event, index) => {
      if (!wantsEvent(ALL_EVENTS, event.type)) return notes.add(index, event)
      const result = await attemptToDeliver(broker, event, tracer, 'broker')
      onAttempt(result)
      if (result.delivered) return notes.add(index, event)
      isOver = true
      pause(workspace)
    })
    await notes.finish()
    if (!isOver) pauses.delete(workspace)
    return !isOver && events.length > 0
  }

  const pause = (workspace: WorkspaceId): void => {
    const last = pauses.get(workspace)
    if (last !== undefined && last.until > performance.now()) return
    const ms = Math.min(2 * (last?.ms ?? FIRST_PAUSE_MS / 2), LONGEST_PAUSE_MS)
    if (last !== undefined || pauses.size < MAX_WAITING) pauses.set(workspace, { until: performance.now() + ms, ms })
  }

  const failed = (error: unknown): number => {
    onFailure(error)
    return REST_MS
  }

  return makeLoop({ pass, onFailure })
}
